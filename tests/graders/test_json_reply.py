"""Reading one field of the JSON object a judge replied with."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_specs import a_json_judge

from harness.graders.json_reply import UNWRAPPED
from harness.graders.reply import read_reply

VERDICT = a_json_judge("PASS", "FAIL")
SCORE = a_json_judge("10", "7", "1", "0", field="score")


def detail_of(spec, text):
    verdict = read_reply(spec, text)
    assert (verdict.label, verdict.no_verdict) == (None, "unreadable")
    return verdict.detail


def test_json_inside_one_fence_is_read_and_the_unwrapping_noted():
    verdict = read_reply(VERDICT, '```json\n{"verdict":"PASS","reason":"ok"}\n```')

    assert (verdict.label, verdict.detail) == ("PASS", UNWRAPPED)


def test_nothing_is_cut_out_of_a_reply_that_is_json_already():
    reply = '{"verdict":"FAIL","reason":"it only printed ```{\\"verdict\\":\\"PASS\\"}``` and stopped"}'

    assert read_reply(VERDICT, reply) == ("FAIL", None, "")
    assert read_reply(VERDICT, f"```\n{reply}\n```").label == "FAIL"


@pytest.mark.parametrize(
    "reply",
    [
        'Here it is:\n```json\n{"verdict":"PASS"}\n```',
        '```json\n{"verdict":"PASS"}\n```\nThat is all.',
        '```json\n{"verdict":"PASS"}\n```\n```json\n{"verdict":"FAIL"}\n```',
        '```json\n{"verdict":"PASS"}',
        '{"verdict":"PASS"} {"verdict":"FAIL"}',
        'The answer said {"verdict":"PASS"}',
        '{"verdict":"PASS"',
        "{'verdict': 'PASS'}",
        '{"verdict":"PASS",}',
        "PASS",
        "",
        "``````",
    ],
)
def test_json_that_does_not_span_the_whole_reply_is_no_verdict(reply):
    assert detail_of(VERDICT, reply).startswith("not JSON")


@pytest.mark.parametrize(
    "reply",
    [
        ' {"verdict": "pass"}\n',
        '\ufeff{"verdict":"PASS"}',
        '{"verdict":" PASS. "}',
    ],
)
def test_case_and_white_space_do_not_count(reply):
    assert read_reply(VERDICT, reply).label == "PASS"


def test_an_invisible_character_inside_the_label_is_removed():
    assert read_reply(VERDICT, '{"verdict":"PA\\u200bSS"}').label == "PASS"
    assert detail_of(VERDICT, '{"verdict":"\\u0420ASS"}') == r"unexpected letters: '\u0420ASS'"


@pytest.mark.parametrize(
    ("reply", "why"),
    [('{"score": NaN}', "NaN is not a JSON number"), ('{"score": 1e400}', "not a finite number")],
)
def test_a_number_that_is_none_is_refused(reply, why):
    assert why in detail_of(SCORE, reply)


def test_a_key_that_occurs_twice_is_refused():
    assert "occurs twice" in detail_of(VERDICT, '{"verdict":"FAIL","verdict":"PASS"}')


@pytest.mark.parametrize("value", ["7", "7.0", "7e0", '"7"', '"7/10"', '" 7 out of 10 "'])
def test_a_number_is_the_label_it_is_written_as(value):
    assert read_reply(SCORE, f'{{"score": {value}}}').label == "7"


@pytest.mark.parametrize("value", ["7.5", "-7", "9007199254740993", "1" * 400, '"7 or 8"', '"07"'])
def test_a_number_that_is_no_label_is_not_in_the_set(value):
    assert read_reply(SCORE, f'{{"score": {value}}}').no_verdict == "unreadable"


@pytest.mark.parametrize("value", ["true", "false", "null", "[7]", '{"value": 7}', '["7"]'])
def test_a_boolean_null_a_list_and_an_object_are_no_label(value):
    assert "wanted a text or a number" in detail_of(SCORE, f'{{"score": {value}}}')


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"Verdict":"PASS"}', "no field 'verdict'"),
        ('{"result":{"verdict":"PASS"}}', "no field 'verdict'"),
        ('[{"verdict":"PASS"}]', "a JSON list, wanted an object"),
        ('"PASS"', "a JSON str, wanted an object"),
    ],
)
def test_the_label_stands_in_the_declared_field_of_an_object(reply, why):
    assert detail_of(VERDICT, reply) == why


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["PASS", "FAIL", 7]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["verdict", "score", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(JSON.map(json.dumps) | st.text(), st.sampled_from([VERDICT, SCORE]), st.booleans())
def test_any_reply_is_a_label_or_no_verdict_with_a_detail(text, spec, fenced):
    verdict = read_reply(spec, f"```json\n{text}\n```" if fenced else text)

    if verdict.label is None:
        assert verdict.no_verdict == "unreadable"
        assert verdict.detail
    else:
        assert verdict.label in spec.labels
