"""A run whose judge compares both arms' answers."""

import asyncio

import pytest
from pairs import a_pair_plan, arm_and_case, first_slot, judged_by, prefers, shown_in
from runs import evidence_bytes, evidence_of, n_calls, run

from harness.backends.bodies import completion_response
from harness.domain.calls import Subject
from harness.domain.canonical import text_digest
from harness.graders.reading import read_run
from harness.runner.pair_requests import pair_votes
from harness.runner.requests import anchor_votes, canary_votes, n_calls_planned
from harness.store.memory import MemoryStore

PLAN = a_pair_plan(cases=4, answers=2, votes=3, canaries=2, anchors=3)


def outcomes(plan, store, outcome):
    reading = read_run(plan, evidence_of(plan, store, outcome), ())
    return [
        (case.case, [g.outcome for g in case.baseline], [g.outcome for g in case.candidate])
        for case in reading.cases
    ]


def test_a_pair_is_asked_about_in_both_orders_as_often_as_the_plan_has_votes():
    subject = Subject(kind="case", id="c0", answer=1)
    requests = pair_votes(PLAN, subject, prompt="p", reference=None, ours="mine", theirs="yours")

    assert [(r.subject.first, r.repeat, shown_in(r)) for r in requests] == [
        (first, repeat, shown)
        for first, shown in (("baseline", ("yours", "mine")), ("candidate", ("mine", "yours")))
        for repeat in range(3)
    ]
    assert requests[0].shown == (text_digest("yours"), text_digest("mine"))
    assert len({request.name for request in requests}) == 6
    assert len({request.body for request in requests}) == 2


def test_two_equal_answers_are_still_two_orders():
    subject = Subject(kind="case", id="c0", answer=0)
    requests = pair_votes(PLAN, subject, prompt="p", reference=None, ours="same", theirs="same")

    assert len({request.name for request in requests}) == 6


def test_planted_answers_are_shown_in_both_orders_too():
    for request in (*canary_votes(PLAN, PLAN.canaries[0]), *anchor_votes(PLAN, PLAN.anchors[0])):
        assert request.subject.first in ("answer", "other")
    assert shown_in(anchor_votes(PLAN, PLAN.anchors[0])[0]) == ("not so 0", "so 0")


def test_every_planned_call_is_made_once():
    store, backends = MemoryStore(), judged_by(prefers("candidate"), arm_and_case)
    outcome = run(PLAN, store, backends)

    planned = n_calls_planned(PLAN)
    assert planned == (16, 4 * 2 * 3 * 2, 2 * 3 * 2, 3 * 3 * 2)
    assert outcome.stopped is None
    assert n_calls(backends) == planned.total == len(store) == len(evidence_of(PLAN, store, outcome))


def test_a_judge_that_sees_the_better_answer_makes_gains():
    store = MemoryStore()
    outcome = run(PLAN, store, judged_by(prefers("candidate"), arm_and_case))

    assert outcomes(PLAN, store, outcome) == [(f"c{n}", ["fail", "fail"], ["pass", "pass"]) for n in range(4)]


def test_a_judge_that_loves_the_first_place_makes_ties():
    store = MemoryStore()
    outcome = run(PLAN, store, judged_by(first_slot, arm_and_case))

    assert outcomes(PLAN, store, outcome) == [(f"c{n}", ["fail", "fail"], ["fail", "fail"]) for n in range(4)]


@pytest.mark.parametrize("count", [1, 16])
def test_the_evidence_is_the_same_at_any_concurrency_and_from_the_store(count):
    limits = {name: {"limits": {"in_flight": count}} for name in ("baseline", "candidate", "judge")}
    plan = a_pair_plan(cases=4, answers=2, votes=3, canaries=2, anchors=3, endpoints=limits)
    reference, store = MemoryStore(), MemoryStore()
    wanted = evidence_bytes(
        PLAN, reference, run(PLAN, reference, judged_by(prefers("candidate"), arm_and_case))
    )

    backends = judged_by(prefers("candidate"), arm_and_case)
    assert evidence_bytes(plan, store, run(plan, store, backends)) == wanted
    again = judged_by(prefers("candidate"), arm_and_case)
    assert evidence_bytes(plan, store, run(plan, store, again)) == wanted
    assert n_calls(again) == 0


def without_a_text(request):
    """The baseline's second answer to the first case is cut off."""
    if request.endpoint == "baseline" and (request.subject.id, request.repeat) == ("c0", 1):
        return completion_response("half an", model="m", finish_reason="length")
    return arm_and_case(request)


def test_an_answer_without_a_text_is_never_shown_and_its_pair_has_no_verdict():
    store, backends = MemoryStore(), judged_by(prefers("candidate"), without_a_text)
    outcome = run(PLAN, store, backends)
    reading = read_run(PLAN, evidence_of(PLAN, store, outcome), ())

    assert n_calls(backends) == n_calls_planned(PLAN).total - 6
    first = reading.cases[0]
    assert [grade.outcome for grade in first.candidate] == ["pass", None]
    assert (first.baseline[1].reason, first.candidate[1].reason) == ("truncated", "unpaired")
    silent = [
        v.verdict.no_verdict for v in reading.case_votes if v.subject.id == "c0" and v.subject.answer == 1
    ]
    assert silent == ["not_run"] * 6


def test_a_pair_waits_for_the_slower_arm():
    async def pause(request):
        await asyncio.sleep(0.5 if request.endpoint == "baseline" else 0.0)

    backends = judged_by(prefers("candidate"), arm_and_case, pause=pause)
    store = MemoryStore()
    outcome = run(PLAN, store, backends)

    assert len(evidence_of(PLAN, store, outcome)) == n_calls_planned(PLAN).total
