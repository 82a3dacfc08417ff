"""What a response says: its text, or why it has none."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.calls import Response
from harness.domain.completion import MalformedBody, read_completion, response_bytes
from harness.domain.completion_parts import whole_characters


def a_body(message, *, finish="stop", **fields):
    return json.dumps({"choices": [{"finish_reason": finish, "message": message}], **fields})


def test_the_content_of_the_first_choice_is_the_text():
    read = read_completion(a_body({"role": "assistant", "content": " hello\n"}))

    assert (read.text, read.no_text, read.finish_reason) == (" hello\n", None, "stop")


def test_a_verdict_in_the_reasoning_field_of_a_truncated_reply_is_not_text():
    message = {"content": None, "reasoning_content": "... so PASS"}
    body = json.dumps({"choices": [{"finish_reason": "length", "message": message}]})

    read = read_completion(body)

    assert (read.text, read.no_text) == (None, "truncated")


@pytest.mark.parametrize(
    ("message", "finish", "no_text"),
    [
        ({"content": "the answer is"}, "length", "truncated"),
        ({"content": "the ans"}, "content_filter", "filtered"),
        ({"content": "", "refusal": "I cannot help with that."}, "stop", "refused"),
        ({"content": None}, "stop", "unreadable"),
        ({}, "stop", "unreadable"),
        ({"content": {"verdict": "PASS"}}, "stop", "unreadable"),
        ({"content": None, "reasoning_content": "so PASS"}, "stop", "unreadable"),
    ],
)
def test_what_is_no_answer_has_no_text_and_a_reason(message, finish, no_text):
    read = read_completion(a_body(message, finish=finish))

    assert read.text is None
    assert read.no_text == no_text
    assert read.detail


def test_text_parts_are_joined_in_order():
    parts = [{"type": "text", "text": '{"verdict":'}, {"type": "text", "text": '"PASS"}'}]

    assert read_completion(a_body({"content": parts})).text == '{"verdict":"PASS"}'


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text"},
        {"type": "text", "text": 3},
        "PASS",
        None,
    ],
)
def test_a_part_that_is_no_text_makes_the_whole_unreadable(part):
    read = read_completion(a_body({"content": [{"type": "text", "text": "PASS"}, part]}))

    assert (read.text, read.no_text) == (None, "unreadable")


def test_an_empty_answer_is_an_answer():
    assert read_completion(a_body({"content": ""})).text == ""


def test_tokens_that_were_not_counted_are_unknown_and_not_nought():
    assert read_completion(a_body({"content": None})).usage is None
    assert read_completion(a_body({"content": "x"}, usage=None)).usage is None


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 3},
        {"prompt_tokens": True, "completion_tokens": 1},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": 1.5, "completion_tokens": 1},
        [3, 4],
    ],
)
def test_a_count_of_tokens_that_is_none_is_unknown(usage):
    assert read_completion(a_body({"content": "x"}, usage=usage)).usage is None


def test_counted_tokens_are_kept():
    read = read_completion(a_body({"content": "x"}, usage={"prompt_tokens": 7, "completion_tokens": 0}))

    assert read.usage is not None
    assert (read.usage.prompt_tokens, read.usage.completion_tokens) == (7, 0)


def test_who_answered_is_what_the_response_says():
    read = read_completion(a_body({"content": "x"}, model="m-1", system_fingerprint="fp", provider="p"))

    assert read.identity.plain() == {
        "model": "m-1",
        "fingerprint": "fp",
        "service_tier": None,
        "provider": "p",
    }


@pytest.mark.parametrize("model", [None, "", 5, ["m"]])
def test_a_model_id_that_is_no_text_is_unknown(model):
    assert read_completion(a_body({"content": "x"}, model=model)).identity.model is None


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body>502 Bad Gateway</body></html>",
        '{"choices": []}',
        '{"choices": null}',
        '{"choices": [null]}',
        '{"choices": [{"finish_reason": "stop"}]}',
        '{"choices": [{"message": "PASS"}]}',
        '"PASS"',
        '{"choices": [{"message": {"content": "PA',
        b"\xff\xfe\x00",
    ],
)
def test_a_body_that_is_no_completion_is_malformed(body):
    with pytest.raises(MalformedBody):
        read_completion(body)


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "overloaded", "code": 529}}',
        '{"type": "error", "message": "overloaded"}',
        '{"error": "overloaded", "choices": [{"message": {"content": "PASS"}}]}',
    ],
)
def test_an_error_under_a_success_status_is_handed_on(body):
    with pytest.raises(MalformedBody, match="overloaded") as raised:
        read_completion(body)

    assert raised.value.error is not None
    assert raised.value.error["message"] == "overloaded"


def test_a_byte_order_mark_before_the_body_is_no_matter():
    assert read_completion("\ufeff" + a_body({"content": "x"})).text == "x"
    assert read_completion(b"\xef\xbb\xbf" + a_body({"content": "x"}).encode()).text == "x"


def test_half_a_surrogate_pair_is_read_as_the_replacement_character():
    assert read_completion('{"choices":[{"message":{"content":"a\\ud83d"}}]}').text == "a\ufffd"
    assert whole_characters("\udc00é") == "\ufffdé"


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_encoded_once_it_is_whole(text):
    whole_characters(text).encode("utf-8")


@settings(deadline=None)
@given(st.binary() | st.text())
def test_any_body_is_a_completion_or_malformed(body):
    try:
        read = read_completion(body)
    except MalformedBody:
        return
    assert (read.text is None) != (read.no_text is None)


def test_bytes_that_are_no_text_come_back_as_they_were():
    kept = Response(status=200, body=b64encode(b"\xff\x00").decode(), encoding="base64")

    assert response_bytes(kept) == b"\xff\x00"
    assert response_bytes(Response(status=200, body="é")) == "é".encode()
