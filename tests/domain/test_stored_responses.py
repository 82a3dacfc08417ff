import json

import pytest

from harness.domain.calls import Response
from harness.domain.completion import MalformedBody, read_completion, read_response


def blocked(**error: object) -> Response:
    return Response(status=400, body=json.dumps({"error": error}))


@pytest.mark.parametrize(
    "error", [{"code": "content_filter"}, {"innererror": {"code": "ResponsibleAIPolicyViolation"}}]
)
def test_a_prompt_that_was_blocked_reads_as_filtered_by_nobody_known(error):
    completion = read_response(blocked(message="blocked", **error))

    assert (completion.text, completion.no_text, completion.detail) == (None, "filtered", "blocked")
    assert completion.identity.model is None


@pytest.mark.parametrize("error", [{"code": "bad"}, {"code": ["content_filter"]}, {"innererror": "x"}])
def test_another_error_under_400_is_no_completion(error):
    with pytest.raises(MalformedBody):
        read_response(blocked(message="no", **error))


@pytest.mark.parametrize("choice", [{"error": {"message": "host gone"}}, {"finish_reason": "error"}])
def test_a_choice_that_ended_in_an_error_is_no_answer(choice):
    with pytest.raises(MalformedBody, match="ended in an error") as raised:
        read_completion(json.dumps({"choices": [{"message": {"content": "so PA"}, **choice}]}))

    assert raised.value.error is not None


def test_a_byte_order_mark_before_a_body_changes_nothing():
    body = '\ufeff{"choices": [{"message": {"content": "yes"}}]}'

    assert read_completion(body).text == read_completion(body.encode()).text == "yes"
