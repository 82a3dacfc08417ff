"""How a run ends before its end: what is kept, what is said, how little is paid."""

import asyncio

import pytest
from runs import (
    a_plan,
    ask_all,
    evidence_bytes,
    evidence_of,
    in_virtual_time,
    n_calls,
    run,
    says,
    scripted,
)

from harness.backends.bodies import completion_response
from harness.backends.scripted import ScriptedBackend
from harness.domain.calls import Usage
from harness.domain.errors import Permanent, Transient
from harness.runner.asking import INTERRUPTED
from harness.runner.requests import n_calls_planned
from harness.store.memory import MemoryStore

NO_CANARIES = {"canaries": 0, "anchors": 0}


async def takes_a_second(request):
    await asyncio.sleep(1.0)


def costs_a_dollar(request):
    return completion_response(
        says(request), model="m", usage=Usage(prompt_tokens=1_000_000, completion_tokens=0)
    )


def limits(**fields):
    return {name: {"limits": fields} for name in ("baseline", "candidate", "judge")}


@pytest.mark.parametrize("kind", ["wrong_key", "not_found", "no_quota"])
def test_a_hopeless_error_ends_the_run_at_once_with_one_line(kind):
    def refused(request):
        return (
            Permanent(kind, f"the server said {kind}", status=401)
            if request.role == "vote"
            else says(request)
        )

    backends = scripted(refused)
    store = MemoryStore()
    outcome = run(a_plan(cases=200, answers=5, **NO_CANARIES), store, backends)

    assert outcome.stopped == f"judge: the server said {kind}"
    assert backends["judge"].n_calls <= 16
    assert n_calls(backends) < 150
    assert len(store) == backends["baseline"].n_calls + backends["candidate"].n_calls


def test_a_judge_that_cannot_be_asked_is_found_out_by_its_canaries():
    def refused(request):
        return Permanent("wrong_key", "wrong key", status=401)

    backends = scripted(refused)
    outcome = run(a_plan(), MemoryStore(), backends)

    assert outcome.stopped == "judge: wrong key"
    assert (backends["judge"].n_calls, n_calls(backends)) == (1, 1)


def test_a_server_that_nobody_reaches_is_one_line_even_with_a_single_call():
    def unreachable(request):
        return Transient("connection", "no answer from judge: connection refused")

    backends = scripted(unreachable)
    outcome = run(a_plan(canaries=1, endpoints=limits(attempts=2)), MemoryStore(), backends)

    assert outcome.stopped == (
        "judge: no call was answered, the last one failed with connection: "
        "no answer from judge: connection refused"
    )
    assert n_calls(backends) == 2


def test_settings_that_the_server_refuses_do_not_burn_through_all_calls():
    def refuses(request):
        return Permanent("bad_request", "unknown setting", status=400)

    backends = scripted(refuses)
    outcome = run(a_plan(cases=500, judge=False, endpoints=limits(in_flight=4)), MemoryStore(), backends)

    assert outcome.stopped is not None
    assert "5 calls in a row failed, the last one with bad_request: unknown setting" in outcome.stopped
    assert n_calls(backends) <= 5 + 4 + 4 + 5


def test_single_failures_among_answers_do_not_end_the_run():
    def sometimes(request):
        return Permanent("bad_request", "too long", status=400) if request.name < "8" else says(request)

    outcome = run(a_plan(cases=100, answers=2, judge=False), MemoryStore(), scripted(sometimes))

    assert outcome.stopped is None
    assert 100 < len(outcome.failures) < 300


def test_a_rerun_where_only_old_failures_fail_again_is_not_stopped():
    def refuses_one(request):
        return Permanent("bad_request", "no", status=400) if request.subject.id == "c0" else says(request)

    plan, store = a_plan(cases=3, answers=1, judge=False), MemoryStore()
    run(plan, store, scripted(refuses_one))
    outcome = run(plan, store, scripted(refuses_one))

    assert outcome.stopped is None
    assert len(outcome.failures) == 2


def test_a_recorded_endpoint_is_asked_to_the_end():
    def no_reply(request):
        return Permanent("no_recorded_reply", "none")

    recorded = {"backend": "recorded", "base_url": None, "replies": "r.jsonl"}
    plan = a_plan(cases=30, answers=2, judge=False, endpoints={"baseline": recorded, "candidate": recorded})
    outcome = run(plan, MemoryStore(), scripted(no_reply))

    assert outcome.stopped is None
    assert len(outcome.failures) == 120


def test_a_budget_of_calls_is_kept_to_the_call_and_what_came_is_kept():
    plan = a_plan(cases=50, answers=2, budget={"calls": 40})
    backends, store = scripted(pause=takes_a_second), MemoryStore()
    outcome = run(plan, store, backends)

    assert outcome.stopped == "budget: 40 calls are made"
    assert n_calls(backends) == 40 == len(store) == len(evidence_of(plan, store, outcome))


def test_a_spent_budget_of_calls_stays_spent():
    plan, store = a_plan(cases=50, answers=2, budget={"calls": 40}), MemoryStore()
    run(plan, store, scripted())
    backends = scripted()
    outcome = run(plan, store, backends)

    assert outcome.stopped == "budget: 40 calls are made"
    assert n_calls(backends) == 0


def test_a_budget_of_cost_ends_the_run_when_it_is_spent():
    price = {"price": {"prompt": 1.0, "completion": 0.0}, "limits": {"in_flight": 2}}
    endpoints = {"baseline": price, "candidate": price}
    plan = a_plan(cases=50, answers=2, judge=False, budget={"cost": 10.0}, endpoints=endpoints)
    store = MemoryStore()
    outcome = run(plan, store, scripted(costs_a_dollar, pause=takes_a_second))

    assert outcome.stopped == "budget: 10 USD are spent"
    # What was in flight when it was spent is paid for and kept.
    assert 10 <= outcome.progress.cost <= 10 + 4
    assert len(store) == outcome.progress.cost


def test_a_budget_of_time_ends_the_run_and_what_hangs_is_given_up():
    async def hangs(request):
        await asyncio.sleep(10_000.0 if request.subject.id == "c7" else 0.1)

    plan = a_plan(cases=10, answers=2, judge=False, budget={"seconds": 30.0}, endpoints=limits(in_flight=64))
    store = MemoryStore()

    async def timed():
        outcome = await ask_all(plan, store, scripted(pause=hangs))
        return outcome, asyncio.get_running_loop().time()

    outcome, ended_s = in_virtual_time(timed())
    assert outcome.stopped == "budget: 30 seconds are over"
    assert 30.0 <= ended_s < 36.0
    assert len(store) == 36


def test_an_interrupted_run_lets_calls_in_flight_arrive():
    plan = a_plan(cases=50, answers=2, judge=False, endpoints=limits(in_flight=4))
    store, stop, backends = MemoryStore(), asyncio.Event(), scripted(pause=takes_a_second)

    async def work():
        asyncio.get_running_loop().call_later(3.5, stop.set)
        outcome = await ask_all(plan, store, backends, stop=stop)
        return outcome, asyncio.get_running_loop().time()

    outcome, ended_s = in_virtual_time(work())
    assert outcome.stopped == INTERRUPTED
    assert ended_s < 5.0
    assert n_calls(backends) == len(store) == 32


def test_an_interrupted_run_does_not_wait_for_what_hangs():
    async def hangs(request):
        await asyncio.sleep(10_000.0)

    store, stop = MemoryStore(), asyncio.Event()

    async def work():
        asyncio.get_running_loop().call_later(2.0, stop.set)
        outcome = await ask_all(a_plan(), store, scripted(pause=hangs), stop=stop)
        return outcome, asyncio.get_running_loop().time()

    outcome, ended_s = in_virtual_time(work())
    assert outcome.stopped == INTERRUPTED
    assert ended_s < 8.0
    assert len(store) == 0


def test_a_run_that_waits_between_tries_is_interrupted_at_once():
    def busy(request):
        return Transient("overloaded", "busy", retry_after_s=60.0)

    stop = asyncio.Event()

    async def work():
        asyncio.get_running_loop().call_later(2.0, stop.set)
        await ask_all(a_plan(), MemoryStore(), scripted(busy), stop=stop)
        return asyncio.get_running_loop().time()

    assert in_virtual_time(work()) < 3.0


def test_an_interrupted_run_goes_on_where_it_was_and_ends_with_the_same_evidence():
    plan, whole, parts = a_plan(cases=20, answers=2, votes=2), MemoryStore(), MemoryStore()
    wanted = evidence_bytes(plan, whole, run(plan, whole, scripted()))
    made = 0
    for _ in range(3):
        stop, backends = asyncio.Event(), scripted(pause=takes_a_second)

        async def work(stop=stop, backends=backends):
            asyncio.get_running_loop().call_later(3.2, stop.set)
            return await ask_all(plan, parts, backends, stop=stop)

        assert in_virtual_time(work()).stopped == INTERRUPTED
        made += n_calls(backends)
    backends = scripted()
    outcome = run(plan, parts, backends)

    assert evidence_bytes(plan, parts, outcome) == wanted
    assert made + n_calls(backends) == n_calls_planned(plan).total


def test_a_cancelled_run_keeps_what_had_come_and_closes_everything():
    store, backends = MemoryStore(), scripted(pause=takes_a_second)

    async def work():
        task = asyncio.create_task(ask_all(a_plan(cases=50), store, backends))
        await asyncio.sleep(2.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert in_virtual_time(work()) == set()
    assert all(backend.closed for backend in backends.values())
    assert len(store) == 1 + 32


def test_one_call_that_never_answers_does_not_keep_the_others_from_the_report():
    async def hangs(request):
        if request.subject.id == "c19" and request.endpoint == "baseline":
            await asyncio.sleep(10_000.0)

    class Bounded(ScriptedBackend):
        async def send(self, request):
            try:
                async with asyncio.timeout(60.0):
                    return await super().send(request)
            except TimeoutError as cause:
                raise Transient("timeout", "no answer within 60 s") from cause

    plan = a_plan(cases=20, answers=1, judge=False, endpoints=limits(attempts=3, total_s=100.0))
    store = MemoryStore()
    outcome = run(plan, store, {name: Bounded(says, pause=hangs) for name in scripted()})
    records = evidence_of(plan, store, outcome)

    assert outcome.stopped is None
    assert len(records) == 40
    assert [(r.subject.id, r.failure.kind) for r in records if r.failure] == [("c19", "timeout")]
