"""The reader of the usual form says what the reader of all forms says, or nothing."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.completion import MalformedBody, read_completion
from harness.domain.usual_completion import read_usual_completion

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
WORD = st.sampled_from(["stop", "length", "content_filter", "error", "", "no"])
COUNT = st.integers(-2, 2**70)
VALUE = (
    st.none()
    | st.booleans()
    | COUNT
    | st.just(60.0)
    | st.floats()
    | WORD
    | TEXT
    | st.builds(list)
    | st.builds(dict)
)
CHOICE, ABSENT = ("choices", 0), object()
PLACES = (
    *(("choices",), CHOICE, (*CHOICE, "message"), ("usage",)),
    *((*CHOICE, "message", name) for name in ("content", "refusal", "tool_calls")),
    *((*CHOICE, name) for name in ("finish_reason", "error")),
    *(("usage", name) for name in ("prompt_tokens", "completion_tokens")),
    *((name,) for name in ("error", "type", "model", "system_fingerprint", "service_tier", "provider", "id")),
)
EDITS = st.lists(st.tuples(st.sampled_from(PLACES), VALUE | st.just(ABSENT)), max_size=2)


USUAL = json.dumps(
    {
        "id": "chatcmpl-1",
        "created": 1_800_000_000,
        "model": "m-1",
        "system_fingerprint": "fp_1",
        "service_tier": "default",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "caf\u00e9 \u201cgood\u201d", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            },
            {"index": 1, "message": {"role": "assistant", "content": "bad"}, "finish_reason": "length"},
        ],
        "usage": {"prompt_tokens": 60, "completion_tokens": 7, "total_tokens": 67},
    },
    ensure_ascii=False,
)


PIECES = ('"', "\\", "{", "}", "[", "]", ":", ",", "0", "1", "e", "-", ".", "null", "u", " ", "\x01", "é")


def of_all_forms(body: str):
    """What the reader of all forms says; bytes are what it alone is given."""
    try:
        return read_completion(body.encode("utf-8"))
    except MalformedBody as error:
        return error


def test_the_usual_form_is_read():
    read = read_usual_completion(USUAL)

    assert read is not None
    assert read == of_all_forms(USUAL)
    assert (read.text, read.finish_reason, read.no_text) == ("café “good”", "stop", None)
    assert (read.identity.model, read.identity.fingerprint, read.usage.prompt_tokens) == ("m-1", "fp_1", 60)


def edited(body: object, place: tuple[str | int, ...], value: object) -> None:
    """Put a value at the place, or take away what is there; do nothing where the place is gone."""
    *way, last = place
    try:
        for step in way:
            body = body[step]
        if value is ABSENT:
            del body[last]
        else:
            body[last] = value
    except (KeyError, IndexError, TypeError):
        pass


@given(EDITS)
@settings(max_examples=500)
def test_a_body_with_other_values_in_it_says_the_same_to_both(edits):
    body = json.loads(USUAL)
    for place, value in edits:
        edited(body, place, value)
    text = json.dumps(body)
    read = read_usual_completion(text)

    assert read is None or read == of_all_forms(text)


@given(st.integers(0, 2**32))
@settings(max_examples=500)
def test_a_body_with_a_few_characters_changed_says_the_same_to_both(seed):
    rng, characters = Random(seed), list(USUAL)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(characters))
        characters[place : place + rng.randrange(3)] = rng.choice(
            ['"', "\\", "{", "}", "0", "e", "-", "null", ","]
        )
    text = "".join(characters)
    read = read_usual_completion(text)

    assert read is None or read == of_all_forms(text)


@pytest.mark.parametrize(
    "value",
    [
        "1" * 5000,
        "-" + "1" * 5000,
        "1e999",
        '"\\udc00"',
        '"\\ud800"',
        "[" * 300 + "]" * 300,
        '{"a": 1, "a": 2}',
    ],
)
def test_a_value_that_nobody_reads_keeps_neither_from_the_text(value):
    text = USUAL.replace("{", f'{{"odd": {value}, ', 1)
    read = read_usual_completion(text)

    assert of_all_forms(text) == of_all_forms(USUAL)
    assert read is None or read == of_all_forms(USUAL)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"finish_reason": "stop"', '"finish_reason": "length"'),
        ('"finish_reason": "stop"', '"finish_reason": "content_filter"'),
        ('"finish_reason": "stop"', '"finish_reason": "error"'),
        ('"refusal": null', '"refusal": "no"'),
        ('"model": "m-1"', '"model": "m-1", "error": {"message": "out of memory"}'),
        ('"model": "m-1"', '"type": "error"'),
        ('"index": 0', '"error": {"message": "broke off"}'),
    ],
)
def test_what_is_no_text_is_left_to_the_other(was, now):
    assert was in USUAL
    assert read_usual_completion(USUAL.replace(was, now)) is None
