"""A panel is asked judge by judge: each has its own calls, and nobody is given another's reply."""

from collections import Counter

from panels import as_panel, asked
from runs import a_plan, evidence_bytes, run

from harness.backends.scripted import ScriptedBackend
from harness.domain.cases import ARMS
from harness.domain.specs import Limits
from harness.runner.requests import (
    anchors_in_call_order,
    answer_request,
    canaries_in_call_order,
    case_votes,
    n_calls_planned,
)
from harness.store.memory import MemoryStore


def test_every_judge_is_asked_all_its_votes_on_answers_canaries_and_anchors():
    plan = as_panel(a_plan(cases=3, answers=2, votes=3, canaries=2, anchors=4), "x", "y")

    assert n_calls_planned(plan) == (12, 72, 12, 24)
    for requests in (canaries_in_call_order(plan), anchors_in_call_order(plan)):
        counts = Counter(request.endpoint for request in requests)
        assert counts["judge:x"] == counts["judge:y"]


def test_judges_take_turns_about_anchors_so_that_drift_within_the_run_reaches_them_alike():
    plan = as_panel(a_plan(votes=2, anchors=5), "x", "y", "z")
    turns = [request.endpoint for request in anchors_in_call_order(plan)]

    assert turns == ["judge:x", "judge:y", "judge:z"] * 10


def test_a_judge_with_the_model_address_and_text_of_an_arm_shares_no_call_with_it():
    same = {"model": "m", "base_url": "http://one.test/v1"}
    plan = as_panel(
        a_plan(cases=1, answers=1, endpoints=dict.fromkeys(ARMS, same), judge_prompt="$answer"),
        "x",
        "y",
        endpoints={"x": same, "y": same},
    )
    votes = case_votes(plan, plan.cases[0], "baseline", answer_repeat=0, answer="so")
    asked = [*votes, *(answer_request(plan, plan.cases[0], arm, repeat=0) for arm in ARMS)]

    assert votes[0].body == votes[1].body
    assert votes[0].address == votes[1].address
    assert len({request.name for request in asked}) == 4
    assert len({request.endpoint for request in asked}) == 4


def test_each_backend_gets_its_own_calls_and_a_second_start_asks_nobody():
    plan, store = as_panel(a_plan(votes=2), "x", "y"), MemoryStore()
    backends = {name: ScriptedBackend(lambda r: "VERDICT: pass") for name in plan.endpoint_names}
    run(plan, store, backends)
    planned = n_calls_planned(plan)

    assert backends["judge:x"].n_calls == backends["judge:y"].n_calls
    assert sum(backend.n_calls for backend in backends.values()) == planned.total
    again = {name: ScriptedBackend(lambda r: "VERDICT: pass") for name in plan.endpoint_names}
    run(plan, store, again)
    assert not any(backend.n_calls for backend in again.values())


def test_a_vote_is_read_as_the_judge_it_was_asked_of():
    plan = as_panel(a_plan(cases=1, answers=1), "x", "y")
    reading = asked(plan, lambda r: "VERDICT: pass" if r.endpoint == "judge:x" else "VERDICT: fail")

    said = {(vote.endpoint, vote.verdict.label) for vote in (*reading.case_votes, *reading.anchor_votes)}
    assert said == {("judge:x", "pass"), ("judge:y", "fail")}


def test_the_evidence_of_a_panel_is_the_same_bytes_however_many_calls_are_in_flight():
    evidence = []
    for in_flight in (1, 16):
        limits = {"limits": Limits(in_flight=in_flight)}
        plan, store = as_panel(a_plan(votes=2), "x", "y", endpoints={"x": limits, "y": limits}), MemoryStore()
        backends = {name: ScriptedBackend(lambda r: "VERDICT: pass") for name in plan.endpoint_names}
        evidence.append(evidence_bytes(plan, store, run(plan, store, backends)))

    assert evidence[0] == evidence[1]
    assert evidence[0].count(b'"judge:x"') == evidence[0].count(b'"judge:y"') > 0
