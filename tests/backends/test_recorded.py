import asyncio
import json
from pathlib import Path

import pytest
from asking import an_answer

from harness.backends.bodies import completion_response
from harness.backends.recorded import RecordedBackend
from harness.domain.calls import Evidence, Failure, Request, Response, Subject, make_request
from harness.domain.completion import read_response
from harness.domain.errors import InputError, Permanent


def a_vote(subject: Subject, *, repeat: int = 0) -> Request:
    return make_request(role="vote", endpoint="judge", address="", body="{}", subject=subject, repeat=repeat)


def replies(tmp_path: Path, *lines: object, name: str = "replies.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def ask(path: Path, request: Request) -> Response:
    return asyncio.run(RecordedBackend(path).send(request))


def test_an_answer_is_found_by_case_arm_and_repeat(tmp_path):
    path = replies(
        tmp_path,
        {"id": "c1", "arm": "baseline", "repeat": 0, "content": "first"},
        {"id": "c1", "arm": "baseline", "repeat": 1, "content": "second"},
        {"id": "c1", "arm": "candidate", "repeat": 0, "content": "other arm"},
    )

    texts = [read_response(ask(path, an_answer(repeat=repeat))).text for repeat in range(2)]

    assert texts == ["first", "second"]


def test_an_answer_that_names_no_arm_is_that_of_either_arm(tmp_path):
    path = replies(tmp_path, {"id": "c1", "content": "yes"})

    assert read_response(ask(path, an_answer())).text == "yes"


def test_a_vote_is_found_by_whose_answer_it_is_about(tmp_path):
    path = replies(
        tmp_path,
        {"id": "c1", "arm": "baseline", "answer": 0, "content": "pass"},
        {"id": "c1", "arm": "baseline", "answer": 1, "content": "fail"},
        {"id": "c1", "kind": "anchor", "content": "anchored"},
    )

    def text(subject: Subject) -> str | None:
        return read_response(ask(path, a_vote(subject))).text

    assert text(Subject(kind="case", id="c1", arm="baseline", answer=1)) == "fail"
    assert text(Subject(kind="anchor", id="c1")) == "anchored"


def test_a_vote_without_an_arm_stands_for_no_arm(tmp_path):
    path = replies(tmp_path, {"id": "c1", "answer": 0, "content": "pass"})

    with pytest.raises(Permanent, match=r"judge for case 'c1', arm baseline, answer 0, repeat 0"):
        ask(path, a_vote(Subject(kind="case", id="c1", arm="baseline", answer=0)))


def test_a_recorded_reply_says_who_answered_and_counts_no_tokens(tmp_path):
    path = replies(
        tmp_path,
        {"id": "c1", "content": "cut", "finish_reason": "length", "model": "m-9", "fingerprint": "fp_9"},
    )

    completion = read_response(ask(path, an_answer()))

    assert completion.no_text == "truncated"
    assert (completion.identity.model, completion.identity.fingerprint) == ("m-9", "fp_9")
    assert completion.usage is None


def test_a_reply_that_names_no_model_came_from_nobody_knows_whom(tmp_path):
    path = replies(tmp_path, {"id": "c1", "content": "yes"})

    assert read_response(ask(path, an_answer())).identity.model is None


def test_null_content_is_a_response_without_text(tmp_path):
    path = replies(tmp_path, {"id": "c1", "content": None})

    assert read_response(ask(path, an_answer())).no_text == "unreadable"


def test_the_same_reply_has_the_same_bytes(tmp_path):
    path = replies(tmp_path, {"id": "c1", "content": "yes"})

    assert ask(path, an_answer()) == ask(path, an_answer())


def test_a_recorded_failure_is_raised_under_its_name(tmp_path):
    path = replies(tmp_path, {"id": "c1", "failure": "rate_limit"})

    with pytest.raises(Permanent) as raised:
        ask(path, an_answer())

    assert raised.value.kind == "rate_limit"


def test_a_missing_reply_names_what_is_missing(tmp_path):
    path = replies(tmp_path, {"id": "c2", "content": "yes"})

    with pytest.raises(Permanent) as raised:
        ask(path, an_answer())

    assert raised.value.kind == "no_recorded_reply"
    assert raised.value.detail == (
        "replies.jsonl has no reply of baseline for case 'c1', arm baseline, repeat 0"
    )


def test_two_replies_about_one_call_are_refused_with_both_lines(tmp_path):
    path = replies(tmp_path, {"id": "c1", "content": "a"}, "", {"id": "c1", "content": "b"})

    with pytest.raises(InputError, match=r"replies.jsonl:3: a second reply for case 'c1'.* on line 1"):
        RecordedBackend(path)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", r":2: not JSON"),
        ('{"id": "c2", "id": "c3"}', r":2: not JSON: key 'id' occurs twice"),
        ('{"id": "c2", "text": "x"}', r":2: text: Extra inputs"),
        ('{"id": 2}', r":2: id: Input should be a valid string"),
        ('{"id": "c2", "repeat": "0"}', r":2: repeat: "),
        ("[]", r":2: line: "),
    ],
)
def test_a_line_that_is_no_reply_is_refused_with_its_place(tmp_path, line, complaint):
    path = replies(tmp_path, {"id": "c1", "content": "a"}, line)

    with pytest.raises(InputError, match=complaint):
        RecordedBackend(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"gone\.jsonl: cannot be read: No such file"):
        RecordedBackend(tmp_path / "gone.jsonl")


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "c1", "content": "yes"}\r\n\r\n')

    assert read_response(ask(path, an_answer())).text == "yes"


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_bytes('{"id": "c1", "content": "a\u2028b"}\n'.encode())

    assert read_response(ask(path, an_answer())).text == "a\u2028b"


def evidence(request: Request, **outcome: object) -> str:
    kept = {name: getattr(request, name) for name in ("role", "endpoint", "subject", "repeat", "shown")}
    return Evidence(request=request.name, **kept, **outcome).to_json().decode()


def test_sealed_evidence_is_replayed_by_request_name(tmp_path):
    kept = Response(status=200, headers=(("server", "s"),), body=completion_response("x", model="m").body)
    path = replies(tmp_path, evidence(an_answer(), response=kept), name="evidence.jsonl")

    assert ask(path, an_answer()) == kept
    assert ask(tmp_path, an_answer()) == kept


def test_a_failure_in_evidence_is_raised_again(tmp_path):
    failure = Failure(kind="timeout", detail="no answer", status=None)
    path = replies(tmp_path, evidence(an_answer(), failure=failure))

    with pytest.raises(Permanent) as raised:
        ask(path, an_answer())

    assert (raised.value.kind, raised.value.detail) == ("timeout", "no answer")


def test_evidence_of_another_request_is_no_reply(tmp_path):
    path = replies(
        tmp_path, evidence(an_answer("another prompt"), response=completion_response("x", model="m"))
    )

    with pytest.raises(Permanent, match="no_recorded_reply"):
        ask(path, an_answer())


def test_evidence_that_holds_a_request_twice_is_refused(tmp_path):
    line = evidence(an_answer(), response=completion_response("x", model="m"))

    with pytest.raises(InputError, match=r"replies.jsonl:2: a second reply for request [0-9a-f]{64}"):
        RecordedBackend(replies(tmp_path, line, line))
