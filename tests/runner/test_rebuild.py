"""Every request is made again from plan and answers, and held against the evidence."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from harness.domain.calls import Evidence
from harness.runner.rebuild import Rebuild
from harness.store.memory import MemoryStore
from tests.runs import a_name, a_plan, evidence_of, run, scripted

PLAN = a_plan(votes=2)


def sealed() -> list[Evidence]:
    store = MemoryStore()
    return evidence_of(PLAN, store, run(PLAN, store, scripted()))


RECORDS = sealed()


def problem(records: list[Evidence]) -> str | None:
    rebuild = Rebuild(PLAN)
    assert list(rebuild.evidence(records)) == records
    return rebuild.problem


def test_the_evidence_of_a_run_names_the_requests_of_its_plan():
    assert {record.role for record in RECORDS} == {"answer", "vote"}
    assert problem(RECORDS) is None


@given(st.sets(st.integers(0, len(RECORDS) - 1)))
def test_records_that_are_missing_make_no_other_one_wrong(missing):
    # An answer that is missing takes the votes on it along.
    gone = {replace(RECORDS[index].subject, answer=RECORDS[index].repeat) for index in missing}
    left = [
        record
        for index, record in enumerate(RECORDS)
        if index not in missing and not (record.role == "vote" and record.subject in gone)
    ]

    assert problem(left) is None


@pytest.mark.parametrize("index", range(len(RECORDS)))
def test_a_record_under_another_name_is_of_no_request(index):
    records = [*RECORDS]
    records[index] = replace(records[index], request=a_name("another"))

    assert f"record {index + 1} (" in (problem(records) or "")


@pytest.mark.parametrize(
    "change", [{"role": "vote"}, {"endpoint": "judge"}, {"repeat": 7}, {"shown": (a_name("a text"),)}]
)
def test_a_record_says_what_its_request_says(change):
    index = next(number for number, record in enumerate(RECORDS) if record.role == "answer")
    records = [*RECORDS]
    records[index] = replace(records[index], **change)

    assert "says other things than the request" in (problem(records) or "")


def test_a_vote_on_another_answer_is_of_no_request():
    answer, vote = next(pair for pair in pairwise(RECORDS) if [r.role for r in pair] == ["answer", "vote"])
    assert answer.response is not None
    turned = replace(answer.response, body=answer.response.body.replace("answer", "Answer"))
    records = [replace(answer, response=turned), vote]

    assert (problem(records) or "").startswith("record 2 (vote 0 about case")


def test_records_out_of_plan_order_are_of_no_later_request():
    assert "record 2 (" in (problem([RECORDS[1], RECORDS[0]]) or "")
