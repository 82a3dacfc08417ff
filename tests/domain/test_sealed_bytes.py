"""Sealed records are canonical as they are written, and no other spelling of them is read."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.calls import Attempt, Evidence, Failure, Response, Side, Subject, Timing, sealed_bytes
from harness.domain.canonical import canonical_bytes
from harness.domain.sealed import Sealed

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SOME = TEXT.filter(bool)
COUNT = st.integers(0, 2**53 - 1)
NAME = st.binary(min_size=32, max_size=32).map(bytes.hex)
SUBJECT = st.builds(
    Subject,
    kind=st.sampled_from(["case", "canary", "anchor"]),
    id=SOME,
    arm=st.sampled_from([None, "baseline", "candidate"]),
    answer=st.none() | COUNT,
    first=st.none() | st.sampled_from(get_args(Side)),
)
RESPONSE = st.builds(
    Response,
    status=st.integers(100, 599),
    headers=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
    body=TEXT,
)
EVIDENCE = st.builds(
    Evidence,
    request=NAME,
    role=st.sampled_from(["answer", "vote"]),
    endpoint=SOME,
    subject=SUBJECT,
    repeat=COUNT,
    shown=st.lists(NAME, max_size=2).map(tuple),
    response=st.none() | RESPONSE,
    failure=st.none() | st.builds(Failure, kind=SOME, detail=TEXT, status=st.none() | COUNT),
)
ATTEMPT = st.builds(
    Attempt,
    started_ms=COUNT,
    duration_ms=COUNT,
    wait_ms=COUNT,
    status=st.none() | COUNT,
    error=st.none() | TEXT,
)
TIMING = st.builds(Timing, request=NAME, attempts=st.lists(ATTEMPT, max_size=3).map(tuple))


@given(EVIDENCE | TIMING)
def test_a_sealed_record_is_canonical_as_it_is_written(record):
    assert sealed_bytes(record) == canonical_bytes(record)


@pytest.mark.parametrize("kind", [Attempt, Evidence, Failure, Response, Subject, Timing])
def test_the_fields_of_what_is_sealed_stand_in_the_order_of_their_names(kind: type[Sealed]):
    assert list(kind.__struct_fields__) == sorted(kind.__struct_fields__)


@given(EVIDENCE)
def test_another_spelling_of_a_record_has_other_bytes_than_the_ones_that_are_written(record):
    spelled = json.dumps(json.loads(sealed_bytes(record)))

    assert Evidence.from_json(spelled) == record
    assert sealed_bytes(record) != spelled.encode()
