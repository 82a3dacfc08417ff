"""Sealed lines are read strictly: what is not exactly one of them is refused."""

import json

import pytest

from harness.domain.calls import Evidence, Subject, Timing

NAME = "0a" * 32
EVIDENCE = {
    "endpoint": "judge",
    "failure": {"detail": "", "kind": "timeout", "status": None},
    "repeat": 0,
    "request": NAME,
    "response": {"body": "{}", "encoding": "utf-8", "headers": [["x-request-id", "r"]], "status": 200},
    "role": "vote",
    "shown": [NAME],
    "subject": {"answer": 0, "arm": "baseline", "first": None, "id": "c", "kind": "case"},
}
TIMING = {
    "attempts": [{"duration_ms": 7, "error": None, "started_ms": 1, "status": 200, "wait_ms": 0}],
    "request": NAME,
}


def text(line, place="", value=None):
    """The line with another value at one place; without a place, as it is."""
    *way, last = place.split(".")
    copy = json.loads(json.dumps(line))
    part = copy
    for step in way:
        part = part[int(step) if isinstance(part, list) else step]
    if place:
        part[int(last) if isinstance(part, list) else last] = value
    return json.dumps(copy).encode()


@pytest.mark.parametrize(("kind", "line"), [(Evidence, EVIDENCE), (Timing, TIMING)])
def test_a_line_comes_back_as_it_was_written(kind, line):
    read = kind.from_json(text(line))

    assert read.plain() == line
    assert kind.from_json(read.to_json()) == read


def test_what_is_read_does_not_change():
    with pytest.raises(AttributeError):
        Evidence.from_json(text(EVIDENCE)).subject.id = "d"


@pytest.mark.parametrize("place", ["more", "subject.more", "response.more", "failure.more"])
def test_an_unknown_field_is_refused(place):
    with pytest.raises(ValueError, match="unknown field `more`"):
        Evidence.from_json(text(EVIDENCE, place, 1))


@pytest.mark.parametrize("name", ["endpoint", "repeat", "request", "role", "subject"])
def test_a_missing_field_is_refused(name):
    with pytest.raises(ValueError, match=f"missing required field `{name}`"):
        Evidence.from_json(json.dumps({key: value for key, value in EVIDENCE.items() if key != name}))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("endpoint", ""),
        ("endpoint", 3),
        ("endpoint", None),
        *(("repeat", value) for value in (-1, 1.0, 0.5, "0", True, None)),
        *(("request", value) for value in (NAME.upper(), NAME[:-1], NAME + "0", NAME + "\n", "g" * 64, "")),
        ("shown", [NAME.upper()]),
        ("shown", NAME),
        ("shown", [None]),
        ("role", "judge"),
        ("subject.kind", "cases"),
        ("subject.id", ""),
        ("subject.arm", "other"),
        ("subject.first", "case"),
        ("subject.answer", -1),
        ("subject", None),
        ("subject", []),
        ("response.status", "200"),
        ("response.status", 200.0),
        ("response.encoding", "latin-1"),
        ("response.body", None),
        ("response.headers", [["a", "b", "c"]]),
        ("response.headers", [["a", 1]]),
        ("response.headers", {"a": "b"}),
        ("failure.kind", ""),
        ("failure.detail", None),
    ],
)
def test_a_value_of_another_type_or_range_is_refused(place, value):
    with pytest.raises(ValueError):
        Evidence.from_json(text(EVIDENCE, place, value))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("attempts.0.duration_ms", -1),
        ("attempts.0.started_ms", 1.5),
        ("attempts.0.wait_ms", None),
        ("attempts.0.error", 1),
        ("attempts.0.more", 1),
        ("attempts", {}),
        ("request", NAME[1:]),
        ("more", 1),
    ],
)
def test_a_timing_is_read_as_strictly(place, value):
    with pytest.raises(ValueError):
        Timing.from_json(text(TIMING, place, value))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        text(EVIDENCE) + b" x",
        text(EVIDENCE)[:-1],
        b"\xef\xbb\xbf" + text(EVIDENCE),
        text(EVIDENCE).replace(b'"judge"', b'"\xff"'),
        text(EVIDENCE).replace(b'"judge"', b'"\xed\xa0\x80"'),
        text(EVIDENCE).replace(b'"judge"', b'"\\ud800"'),
        text(EVIDENCE).replace(b'"judge"', b'"\x00"'),
        text(EVIDENCE).replace(b"200", b"NaN"),
        text(EVIDENCE).replace(b"200", b"1e999"),
        text(EVIDENCE).replace(b"200", b"0200"),
        b"[" * 100_000,
        b'{"endpoint":' + b"[" * 100_000,
        b'{"more":' + b'{"a":' * 100_000,
    ],
)
def test_what_is_no_such_json_is_refused(content):
    with pytest.raises(ValueError):
        Evidence.from_json(content)


def test_equal_subjects_are_one_key():
    one, other = Subject(kind="case", id="c", arm="baseline"), Subject(id="c", arm="baseline", kind="case")

    assert {one: 1}[other] == 1
    assert one != Subject(kind="case", id="c", arm="candidate")
