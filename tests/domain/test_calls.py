"""A request is named by everything that decides it, and by nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.calls import Subject, Timing, make_request, make_requests
from harness.domain.canonical import digest, text_digest

SETTINGS = {
    "role": "vote",
    "endpoint": "judge",
    "address": "https://model.test/v1",
    "body": '{"model":"m"}',
    "subject": Subject(kind="case", id="c", arm="baseline", answer=0),
    "repeat": 0,
    "shown_answers": ("an answer",),
}


def test_the_same_call_has_the_same_name():
    assert make_request(**SETTINGS).name == make_request(**SETTINGS).name


@pytest.mark.parametrize(
    "change",
    [
        {"role": "answer"},
        {"endpoint": "candidate"},
        {"address": "https://other.test/v1"},
        {"body": '{"model":"n"}'},
        {"subject": Subject(kind="case", id="c", arm="candidate", answer=0)},
        {"subject": Subject(kind="case", id="c", arm="baseline", answer=1)},
        {"subject": Subject(kind="anchor", id="c")},
        {"repeat": 1},
        {"shown_answers": ()},
        {"shown_answers": ("another answer",)},
        {"shown_answers": ("an answer", "b")},
    ],
)
def test_whatever_decides_a_call_is_in_its_name(change):
    assert make_request(**{**SETTINGS, **change}).name != make_request(**SETTINGS).name


def test_the_order_in_which_answers_are_shown_is_in_the_name():
    there = make_request(**{**SETTINGS, "shown_answers": ("a", "b")})
    back = make_request(**{**SETTINGS, "shown_answers": ("b", "a")})

    assert there.name != back.name


def test_repeats_are_calls_of_their_own_with_one_text():
    calls = [make_request(**{**SETTINGS, "repeat": repeat}) for repeat in range(5)]

    assert len({call.name for call in calls}) == 5
    assert len({call.body for call in calls}) == 1


@given(
    st.text(st.characters(codec="utf-8")),
    st.text(st.characters(codec="utf-8"), min_size=1),
    st.integers(0, 10**9),
)
def test_a_name_is_the_digest_of_the_canonical_json_of_all_that_decides_it(body, case, repeat):
    subject = Subject(kind="case", id=case, arm="candidate", answer=1)
    settings = {**SETTINGS, "body": body, "subject": subject, "repeat": repeat}
    decides = {key: value for key, value in settings.items() if key != "shown_answers"}
    decides |= {"subject": subject.plain(), "shown": [text_digest("an answer")]}

    assert make_request(**settings).name == digest(decides)


def test_requests_made_together_are_those_made_one_by_one():
    alone = [make_request(**{**SETTINGS, "repeat": repeat}) for repeat in range(3)]
    settings = {key: value for key, value in SETTINGS.items() if key != "repeat"}

    assert list(make_requests(**settings, repeats=range(3))) == alone


def test_a_request_holds_digests_of_the_answers_and_not_their_text():
    call = make_request(**SETTINGS)

    assert call.shown == (text_digest("an answer"),)
    assert "an answer" not in repr(call)


def test_a_call_that_was_never_tried_has_no_start():
    assert Timing(request="0" * 64, attempts=()).started_ms == 0
