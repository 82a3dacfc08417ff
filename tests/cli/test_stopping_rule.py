"""The function that tells the runner when it has seen enough, at work on real requests."""

import asyncio

import pytest

from harness.cli.sequential import Stopping, follow
from harness.domain.batches import batches
from harness.domain.errors import Permanent
from harness.graders.reading import read_run
from harness.runner.collect import run_records
from harness.store.memory import MemoryStore
from tests.runs import a_plan, evidence_bytes, run, scripted

N_ENOUGH = 9  # of cases that all gain


def plan_of(in_flight=16, **fields):
    here = {name: {"limits": {"in_flight": in_flight}} for name in ("baseline", "candidate", "judge")}
    return a_plan(cases=20, answers=1, canaries=0, endpoints=here, sequential={"batch": 4}, **fields)


def better(request):
    """The candidate's answers are good, and the judge tells."""
    if request.role == "vote":
        return "VERDICT: pass" if "good" in request.body else "VERDICT: fail"
    return "a good answer" if request.endpoint == "candidate" else "an answer"


def asked(plan, store):
    reading = read_run(plan, (record for record, _ in run_records(plan, store, {})), ())
    return follow(plan, reading).block


def start(plan, store, script=better, **options):
    return run(plan, store, scripted(script, **options), enough=Stopping(plan, store))


def test_it_stops_after_the_batch_with_which_the_evidence_is_enough():
    plan, store = plan_of(), MemoryStore()
    start(plan, store)
    block = asked(plan, store)

    assert (block.ended, block.n_batches, block.n_cases) == ("evidence", 3, 12)
    assert block.n_cases - 4 < N_ENOUGH <= block.n_cases


def test_arms_that_do_not_differ_are_asked_to_the_end():
    plan, store = plan_of(), MemoryStore()
    start(plan, store, lambda request: "VERDICT: pass" if request.role == "vote" else "an answer")

    assert asked(plan, store).ended == "n_max"


@pytest.mark.parametrize("in_flight", [1, 5, 64])
def test_neither_concurrency_nor_delays_move_the_stop(in_flight):
    async def pause(request):
        await asyncio.sleep(int(request.name[:4], 16) / 100_000)

    found = []
    for plan, options in ((plan_of(), {}), (plan_of(in_flight), {"pause": pause})):
        store = MemoryStore()
        found.append(evidence_bytes(plan, store, start(plan, store, **options)))

    assert found[0] == found[1]


def test_what_was_asked_stays_in_where_a_failed_call_is_answered_later():
    """A case of the first batch fails, so the run goes on; answered, it would have ended it before."""
    plan, store = plan_of(), MemoryStore()
    lost = batches(plan)[0][0].id

    def failing(request):
        if request.subject.id == lost and request.role == "answer":
            raise Permanent("invalid_request", "no", status=400)
        return better(request)

    start(plan, store, failing)
    start(plan, store)
    block = asked(plan, store)

    assert (block.n_batches, block.ended) == (4, "evidence")
    assert block.n_cases == 16
