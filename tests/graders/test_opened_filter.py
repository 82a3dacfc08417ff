"""A prompt that the server blocked is filtered, under whichever status it says so."""

from harness.domain.calls import Evidence, Response, Subject
from harness.graders.opened import answer_text


def test_a_prompt_blocked_with_status_400_is_filtered_and_not_unreadable():
    blocked = Response(status=400, body='{"error": {"code": "content_filter", "message": "blocked"}}')
    record = Evidence(
        request="0" * 64,
        role="answer",
        endpoint="baseline",
        subject=Subject(kind="case", id="c1", arm="baseline"),
        repeat=0,
        response=blocked,
    )

    assert answer_text(record) == (None, "filtered")
