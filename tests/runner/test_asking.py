"""A whole run in memory: what is asked, what is kept, what is asked again."""

import asyncio
from collections import Counter

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
from harness.backends.protocol import Filtered
from harness.backends.scripted import ScriptedBackend
from harness.domain.calls import Progress, Usage
from harness.domain.errors import Permanent, StoreError, Transient
from harness.runner.asking import Asking
from harness.runner.collect import canary_records
from harness.runner.requests import answer_request, n_calls_planned
from harness.store.disk import DiskStore
from harness.store.memory import MemoryStore

PLAN = a_plan(cases=6, answers=3, votes=2, canaries=2, anchors=5)


def in_flight(count):
    return {name: {"limits": {"in_flight": count}} for name in ("baseline", "candidate", "judge")}


def delays(seed):
    """Latencies that differ from call to call and from seed to seed."""

    async def pause(request):
        await asyncio.sleep(int(request.name[seed : seed + 4], 16) / 100_000)

    return pause


def test_every_planned_call_is_made_once():
    store, backends = MemoryStore(), scripted()
    outcome = run(PLAN, store, backends)

    assert outcome.stopped is None
    assert outcome.failures == {}
    assert n_calls(backends) == n_calls_planned(PLAN).total == len(store)
    assert max(Counter(name for b in backends.values() for name in b.calls).values()) == 1
    assert len(evidence_of(PLAN, store, outcome)) == n_calls_planned(PLAN).total


def test_a_second_start_makes_no_call_and_has_the_same_evidence():
    store = MemoryStore()
    first = evidence_bytes(PLAN, store, run(PLAN, store, scripted()))
    backends = scripted()
    outcome = run(PLAN, store, backends)

    assert n_calls(backends) == 0
    assert outcome.progress.n_cached == n_calls_planned(PLAN).total
    assert evidence_bytes(PLAN, store, outcome) == first


@pytest.mark.parametrize("count", [1, 8, 64])
@pytest.mark.parametrize("seed", [0, 9])
def test_the_evidence_is_the_same_at_any_concurrency_and_with_any_delays(count, seed):
    reference = MemoryStore()
    wanted = evidence_bytes(PLAN, reference, run(PLAN, reference, scripted()))
    # The limits are no part of what is asked, so the plans have the same requests.
    plan = a_plan(cases=6, answers=3, votes=2, canaries=2, anchors=5, endpoints=in_flight(count))
    store, backends = MemoryStore(), scripted(pause=delays(seed))

    assert evidence_bytes(plan, store, run(plan, store, backends)) == wanted
    assert all(backend.most_in_flight <= count for backend in backends.values())
    assert count > 8 or backends["judge"].most_in_flight == count


def test_evidence_stands_in_plan_order_whatever_the_order_of_arrival():
    store = MemoryStore()
    records = evidence_of(PLAN, store, run(PLAN, store, scripted(pause=delays(3))))
    places = [
        (r.subject.kind, r.subject.id, r.subject.answer, r.subject.arm, r.role, r.repeat) for r in records
    ]

    assert places[:4] == [
        ("canary", "k0", None, None, "vote", 0),
        ("canary", "k0", None, None, "vote", 1),
        ("canary", "k1", None, None, "vote", 0),
        ("canary", "k1", None, None, "vote", 1),
    ]
    assert places[4:6] == [("anchor", "a0", None, None, "vote", 0), ("anchor", "a0", None, None, "vote", 1)]
    assert places[14:21] == [
        ("case", "c0", None, "baseline", "answer", 0),
        ("case", "c0", 0, "baseline", "vote", 0),
        ("case", "c0", 0, "baseline", "vote", 1),
        ("case", "c0", None, "candidate", "answer", 0),
        ("case", "c0", 0, "candidate", "vote", 0),
        ("case", "c0", 0, "candidate", "vote", 1),
        ("case", "c0", None, "baseline", "answer", 1),
    ]


def test_the_canaries_come_before_everything_else():
    order = []

    def note(request):
        order.append(request.subject.kind)
        return says(request)

    run(PLAN, MemoryStore(), scripted(note))
    assert order[:4] == ["canary"] * 4
    assert "canary" not in order[4:]


def test_after_the_canaries_nothing_else_has_been_paid_for():
    async def work():
        store, backends = MemoryStore(), scripted()
        async with Asking(
            PLAN, store=store, backends=backends, stop=asyncio.Event(), on_progress=lambda _: None
        ) as asking:
            outcome = await asking.ask_canaries()
            return n_calls(backends), list(canary_records(PLAN, store, outcome.failures))

    calls, records = in_virtual_time(work())
    assert calls == len(records) == 4


def test_anchors_are_spread_between_the_votes():
    kinds = []

    def note(request):
        if request.role == "vote":
            kinds.append(request.subject.kind)
        return says(request)

    plan = a_plan(cases=20, answers=5, votes=1, canaries=0, anchors=10, endpoints=in_flight(2))
    run(plan, MemoryStore(), scripted(note))
    places = [place for place, kind in enumerate(kinds) if kind == "anchor"]

    assert len(places) == 10
    assert all(abs(place - (number + 1) * 21) <= 8 for number, place in enumerate(places))


def test_answers_reach_the_judge_while_others_are_still_being_asked():
    roles = []

    def note(request):
        roles.append(request.role)
        return says(request)

    run(a_plan(cases=40, answers=2, canaries=0, endpoints=in_flight(2)), MemoryStore(), scripted(note))
    assert roles.index("vote") < 20
    assert "answer" in roles[-40:]


def test_a_slow_arm_holds_the_other_one_back():
    asked = []

    def note(request):
        asked.append(request.endpoint)
        return says(request)

    async def pause(request):
        await asyncio.sleep(0.1)

    plan = a_plan(cases=100, answers=1, judge=False, endpoints=in_flight(2))
    backends = {
        "baseline": ScriptedBackend(note, pause=pause),
        "candidate": ScriptedBackend(note),
        "judge": None,
    }
    run(plan, MemoryStore(), backends)

    assert abs(Counter(asked[:100])["baseline"] - 50) <= 5


@pytest.mark.parametrize(
    "reply",
    [
        completion_response(None, model="m"),
        completion_response("cut", model="m", finish_reason="length"),
        completion_response("", model="m", finish_reason="content_filter"),
        Permanent("bad_request", "too long", status=400),
    ],
    ids=["no content", "truncated", "filtered", "failed"],
)
def test_votes_on_an_answer_without_a_text_are_not_asked(reply):
    def script(request):
        return reply if request.subject.id == "c1" and request.role == "answer" else says(request)

    plan = a_plan(cases=3, answers=1, votes=2, canaries=1, anchors=1)
    store, backends = MemoryStore(), scripted(script)
    outcome = run(plan, store, backends)

    assert outcome.stopped is None
    assert backends["judge"].n_calls == n_calls_planned(plan).total - 6 - 4
    assert outcome.progress.n_done == outcome.progress.n_total == n_calls_planned(plan).total - 4


def test_a_filtered_answer_is_stored_and_not_asked_again():
    def blocks(request):
        return completion_response("", model="m", finish_reason="content_filter")

    plan = a_plan(cases=1, answers=1, judge=False)
    store = MemoryStore()
    run(plan, store, scripted(blocks))
    backends = scripted()
    run(plan, store, backends)

    assert n_calls(backends) == 0


def test_where_the_plan_says_so_a_filtered_answer_is_asked_again_at_once():
    blocked = completion_response("", model="m", finish_reason="content_filter")
    tries = Counter()

    def script(request):
        tries[request.name] += 1
        return Filtered("blocked", response=blocked) if tries[request.name] == 1 else "an answer"

    plan = a_plan(cases=1, answers=1, judge=False)
    store = MemoryStore()
    outcome = run(plan, store, scripted(script))

    assert set(tries.values()) == {2}
    assert all(b"an answer" in record.response.body.encode() for record in evidence_of(plan, store, outcome))


def test_a_stored_block_can_be_asked_again_by_name(tmp_path):
    blocked = completion_response("", model="m", finish_reason="content_filter")
    plan = a_plan(cases=2, answers=1, judge=False)
    store = DiskStore(tmp_path / "store")
    run(plan, store, scripted(lambda _: blocked))
    store.set_aside(next(store.names()))
    backends = scripted()
    run(plan, store, backends)

    assert n_calls(backends) == 1
    store.close()


def test_a_failure_is_kept_out_of_the_store_and_asked_again_the_next_time():
    def fails(request):
        return Permanent("bad_request", "no", status=400) if request.subject.id == "c1" else says(request)

    plan = a_plan(cases=4, answers=1, judge=False)
    store = MemoryStore()
    outcome = run(plan, store, scripted(fails))
    failed = [record for record in evidence_of(plan, store, outcome) if record.failure]
    backends = scripted()
    again = run(plan, store, backends)

    assert [(record.subject.id, record.failure.kind) for record in failed] == [("c1", "bad_request")] * 2
    assert len(store) == 8
    assert n_calls(backends) == 2
    assert again.failures == {}


def test_an_error_that_passes_is_one_call_with_two_tries():
    tries = Counter()

    def script(request):
        tries[request.name] += 1
        return Transient("server_error", "busy", status=500) if tries[request.name] == 1 else says(request)

    store = MemoryStore()
    plan = a_plan(cases=2, answers=1, canaries=0, anchors=0)
    outcome = run(plan, store, scripted(script))

    assert outcome.progress.n_calls == n_calls_planned(plan).total
    assert outcome.progress.errors == (("server_error", n_calls_planned(plan).total),)
    assert all(len(store.get(name).timing.attempts) == 2 for name in store.names())


def test_a_changed_judge_is_asked_about_every_answer_and_both_sets_are_kept():
    store = MemoryStore()
    first, second = (
        a_plan(cases=5, answers=1, canaries=0, anchors=0, judge_prompt=f"{word}: $prompt $answer")
        for word in ("One", "Two")
    )
    run(first, store, scripted())
    backends = scripted(lambda request: "VERDICT: fail")
    run(second, store, backends)

    assert (backends["baseline"].n_calls, backends["judge"].n_calls) == (0, 10)
    assert len(store) == 30


def test_arms_that_differ_only_in_address_each_get_their_own_answer():
    same = {"model": "m"}
    plan = a_plan(cases=1, answers=1, judge=False, endpoints={"baseline": same, "candidate": same})
    store = MemoryStore()
    backends = {"baseline": ScriptedBackend(lambda _: "A"), "candidate": ScriptedBackend(lambda _: "B")}
    records = evidence_of(plan, store, run(plan, store, {**backends, "judge": ScriptedBackend(says)}))

    assert [backend.n_calls for backend in backends.values()] == [1, 1]
    assert ['"A"' in r.response.body for r in records] == [True, False]


def test_a_rerun_costs_nothing_and_the_first_cost_has_its_own_line():
    def counts(request):
        return completion_response(
            says(request), model="m", usage=Usage(prompt_tokens=1_000_000, completion_tokens=0)
        )

    price = {"price": {"prompt": 2.0, "completion": 1.0}}
    plan = a_plan(cases=1, answers=1, judge=False, endpoints={"baseline": price, "candidate": price})
    store = MemoryStore()
    first = run(plan, store, scripted(counts)).progress
    second = run(plan, store, scripted(counts)).progress

    assert (first.cost, first.reused_cost) == (4.0, 0.0)
    assert (second.cost, second.reused_cost) == (0.0, 4.0)


def test_ids_that_look_like_numbers_are_found_again_on_disk(tmp_path):
    plan = a_plan(cases=[{"id": i, "prompt": f"{i}?"} for i in ("7", "007", "1e3")], answers=1, judge=False)
    store = DiskStore(tmp_path / "store")
    store_names = run(plan, store, scripted()).progress.n_calls
    store.close()
    again, backends = DiskStore(tmp_path / "store"), scripted()
    run(plan, again, backends)

    assert store_names == 6
    assert n_calls(backends) == 0
    again.close()


def test_cases_with_checks_are_answered_and_not_judged():
    checks = [{"kind": "exact", "expected": "4"}]
    plan = a_plan(cases=[{"id": "a", "prompt": "2+2?", "checks": checks}], answers=2, canaries=0, anchors=3)
    backends = scripted()
    outcome = run(plan, MemoryStore(), backends)

    assert backends["judge"].n_calls == 3
    assert outcome.progress.n_done == outcome.progress.n_total == 7


def test_progress_starts_with_what_is_waited_for_and_ends_at_the_total():
    seen: list[Progress] = []

    async def pause(request):
        await asyncio.sleep(3.0)

    plan = a_plan(cases=1, answers=1, canaries=1, anchors=0)
    run(plan, MemoryStore(), scripted(pause=pause), on_progress=seen.append)

    assert "the first response of judge (1 in flight), for 2" in "\n".join(p.waiting_for or "" for p in seen)
    assert [p.n_done for p in seen] == sorted(p.n_done for p in seen)
    assert (seen[-1].n_done, seen[-1].n_total, seen[-1].waiting_for) == (5, 5, None)


def test_nothing_is_left_running_after_a_run():
    async def work():
        before = asyncio.all_tasks()
        backends = scripted()
        await ask_all(PLAN, MemoryStore(), backends)
        return asyncio.all_tasks() - before, backends

    left, backends = in_virtual_time(work())
    assert left == set()
    assert all(backend.closed for backend in backends.values())


class Forgetful(MemoryStore):
    """Loses one response after it took it."""

    def __len__(self) -> int:
        return max(0, super().__len__() - 1)


class Broken(MemoryStore):
    def add_all(self, batch):
        raise StoreError("no space left")


def test_a_store_that_lost_a_response_is_an_error():
    with pytest.raises(StoreError, match="holds"):
        run(PLAN, Forgetful(), scripted())


def test_a_store_that_cannot_write_ends_the_run_at_once_as_itself():
    backends = scripted()
    with pytest.raises(StoreError, match="no space left"):
        run(PLAN, Broken(), backends)

    assert n_calls(backends) <= 4
    assert all(backend.closed for backend in backends.values())


def test_an_error_of_our_own_is_not_retried_and_not_hidden():
    def typo(request):
        raise KeyError("a mistake")

    backends = scripted(typo)
    with pytest.raises(KeyError, match="a mistake"):
        run(PLAN, MemoryStore(), backends)
    assert max(backends["judge"].calls.values()) == 1


def test_an_answer_is_on_disk_before_the_judge_sees_it():
    plan = a_plan(cases=5, answers=2, canaries=0, anchors=0)
    cases = {case.id: case for case in plan.cases}
    store = MemoryStore()
    held = []

    def note(request):
        subject = request.subject
        if request.role == "vote":
            answer = answer_request(plan, cases[subject.id], subject.arm, repeat=subject.answer)
            held.append(store.get(answer.name) is not None)
        return says(request)

    run(plan, store, scripted(note))
    assert held == [True] * 20
