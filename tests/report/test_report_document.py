"""The bytes of report.json and how strictly they are read."""

import json

import pytest

from harness.domain.errors import InputError, Tampered
from harness.report.document import read_report, report_bytes


def test_a_report_reads_back_to_the_same_value_and_the_same_bytes(samples):
    for report in (samples.full_report(), samples.opened_report(), samples.invalid_report()):
        content = report_bytes(report)

        assert read_report(content) == report
        assert report_bytes(read_report(content)) == content


def test_the_bytes_are_canonical_json(samples):
    content = report_bytes(samples.full_report())

    document = json.loads(content)
    assert list(document) == sorted(document)
    assert b'": ' not in content
    assert b'"alpha":0.05' in content
    assert not content.endswith(b"\n")


def test_absent_numbers_are_null_beside_a_reason(samples):
    document = json.loads(report_bytes(samples.invalid_report()))

    primary = document["exploratory"]["primary"]
    assert primary["difference"] is None
    assert primary["reason"] == "the arms were not called"
    assert document["held_out"] is None


EDITS = {
    "a second key before the true one": lambda text: text.replace(
        '"verdict":"inconclusive"}', '"verdict":"improvement","verdict":"inconclusive"}', 1
    ),
    "a second key at the top": lambda text: text.replace('{"audits"', '{"schema_version":"1","audits"', 1),
    "an unknown field": lambda text: text.replace('{"audits"', '{"aaa":1,"audits"', 1),
    "a number spelled otherwise": lambda text: text.replace('"alpha":0.05', '"alpha":5e-2'),
    "a float that equals the integer": lambda text: text.replace('"n_cases":357', '"n_cases":357.0'),
    "NaN": lambda text: text.replace('"alpha":0.05', '"alpha":NaN'),
    "a number too large": lambda text: text.replace('"alpha":0.05', '"alpha":1e999'),
    "an integer that other readers round": lambda text: text.replace(
        '"seed":20240501', '"seed":1152921504606846976'
    ),
    "a space": lambda text: text.replace('{"audits"', '{ "audits"', 1),
    "a line end": lambda text: text + "\n",
    "trailing text": lambda text: text + "{}",
    "half of it": lambda text: text[: len(text) // 2],
    "a byte order mark": lambda text: "\ufeff" + text,
    "a text where a number is wanted": lambda text: text.replace('"n_cases":357', '"n_cases":"357"'),
    "a field left out that has a default": lambda text: text.replace(',"unpaired_cases":[]', ""),
    "keys in another order": lambda text: json.dumps(
        dict(reversed(json.loads(text).items())), separators=(",", ":"), ensure_ascii=False
    ),
    "an escaped letter": lambda text: text.replace('"run"', '"r\\u0075n"'),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_every_other_spelling_of_a_report_is_tampered_with(samples, edit):
    text = report_bytes(samples.full_report()).decode()
    edited = edit(text)
    assert edited != text

    with pytest.raises(Tampered):
        read_report(edited.encode())


def test_bytes_that_are_not_utf8_are_tampered_with(samples):
    content = report_bytes(samples.full_report()).replace(b"xstest-llama2", b"xstest-llama\xff")

    with pytest.raises(Tampered, match="utf-8"):
        read_report(content)


@pytest.mark.parametrize(
    "content",
    [b"", b"<html></html>", b"[1]", b'"text"', b"{}", b'{"schema_version":"2"}', b"\xff\xfe"],
)
def test_a_file_that_is_no_report_is_the_users_mistake(content):
    with pytest.raises(InputError, match="report"):
        read_report(content)


def test_a_hostile_file_cannot_reach_the_terminal_through_the_error():
    with pytest.raises(InputError) as caught:
        read_report(b'{"schema_version":"\\u001b[31m\\u202e"}')

    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


def test_an_integer_beyond_two_to_the_53_is_refused_when_the_report_is_built(samples):
    report = samples.full_report()
    plan = report.plan.model_copy(update={"seed": 2**60})

    with pytest.raises(InputError):
        report_bytes(report.model_copy(update={"plan": plan}))
