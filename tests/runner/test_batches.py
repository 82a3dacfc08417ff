"""A sequential run asks batch by batch, and stops paying when it is told."""

import pytest
from runs import a_plan, evidence_bytes, evidence_of, n_calls, run, scripted

from harness.domain.batches import batches
from harness.runner.collect import run_records
from harness.store.memory import MemoryStore

HELD_OUT = ["c0", "c1"]


def plan_of(in_flight=16, budget=None, **fields):
    here = {name: {"limits": {"in_flight": in_flight}} for name in ("baseline", "candidate", "judge")}
    options = {"cases": 14, "answers": 2, "votes": 2, "anchors": 5, "held_out": HELD_OUT, "endpoints": here}
    return a_plan(budget=budget, sequential={"batch": 4, **fields}, **options)


def asked(records):
    return {record.subject.id for record in records if record.subject.kind == "case"}


def ids(cases):
    return {case.id for case in cases}


def test_a_batch_has_ended_before_the_next_begins():
    plan, seen = plan_of(), []
    store, backends = MemoryStore(), scripted()

    def enough(number):
        seen.append((number, asked(record for record, _ in run_records(plan, store, {}))))
        return False

    outcome = run(plan, store, backends, enough=enough)
    first, second, third = batches(plan)

    assert outcome.stopped is None
    assert seen == [(0, ids(first)), (1, ids((*first, *second)))]
    assert asked(evidence_of(plan, store, outcome)) == ids(plan.cases)
    assert len(third) == 4


@pytest.mark.parametrize("n_batches", [1, 2])
def test_behind_the_stop_nothing_is_asked_but_the_held_out_cases_and_the_anchors_left(n_batches):
    plan, store, backends = plan_of(), MemoryStore(), scripted()
    outcome = run(plan, store, backends, enough=lambda number: number + 1 == n_batches)
    wanted = ids(sum(batches(plan)[:n_batches], ())) | set(HELD_OUT)
    records = evidence_of(plan, store, outcome)

    assert asked(records) == wanted
    assert len({r.subject.id for r in records if r.subject.kind == "anchor"}) == 5
    assert n_calls(backends) == len(wanted) * 2 * 2 * 3 + 5 * 2 + 2
    assert outcome.progress.n_done == outcome.progress.n_total


def test_without_held_out_cases_to_ask_none_is_asked():
    plan, store = plan_of(ask_held_out=False), MemoryStore()
    outcome = run(plan, store, scripted(), enough=lambda number: True)

    assert asked(evidence_of(plan, store, outcome)) == ids(batches(plan)[0])


@pytest.mark.parametrize("in_flight", [1, 3, 64])
def test_the_evidence_is_the_same_at_any_concurrency(in_flight):
    def stop_after_two(number):
        return number == 1

    found = []
    for plan in (plan_of(), plan_of(in_flight)):
        store = MemoryStore()
        found.append(evidence_bytes(plan, store, run(plan, store, scripted(), enough=stop_after_two)))

    assert found[0] == found[1]


def test_of_a_batch_that_a_budget_cut_off_nobody_judges():
    plan = plan_of(budget={"calls": 20})
    told = []
    outcome = run(plan, MemoryStore(), scripted(), enough=lambda number: bool(told.append(number)))

    assert outcome.stopped.startswith("budget")
    assert told == []


def test_a_second_start_is_asked_the_same_and_calls_nobody():
    plan, store = plan_of(), MemoryStore()
    run(plan, store, scripted(), enough=lambda number: number == 1)
    backends, told = scripted(), []
    run(plan, store, backends, enough=lambda number: told.append(number) or number == 1)

    assert n_calls(backends) == 0
    assert told == [0, 1]
