"""A rate limit is kept, and an item is never lost to it."""

import asyncio
from collections import deque

from runs import a_plan, ask_all, in_virtual_time, run, says, scripted

from harness.domain.errors import Transient
from harness.store.memory import MemoryStore


class PerMinute:
    """A server that allows so many calls in any minute."""

    def __init__(self, allowed, *, retry_after_s=None):
        self.allowed = allowed
        self.retry_after_s = retry_after_s
        self.taken = deque()
        self.n_refused = 0

    def __call__(self, request):
        now_s = asyncio.get_running_loop().time()
        while self.taken and now_s - self.taken[0] >= 60.0:
            self.taken.popleft()
        if len(self.taken) >= self.allowed:
            self.n_refused += 1
            return Transient("rate_limit", "slow down", status=429, retry_after_s=self.retry_after_s)
        self.taken.append(now_s)
        return says(request)


def a_paced_plan(**limits):
    endpoint = {"limits": {"in_flight": 4, **limits}}
    return a_plan(cases=20, answers=2, judge=False, endpoints={"baseline": endpoint, "candidate": endpoint})


def test_calls_that_are_paced_are_never_refused():
    servers = {name: PerMinute(10) for name in ("baseline", "candidate", "judge")}

    async def work():
        outcome = await ask_all(
            a_paced_plan(per_minute=10), MemoryStore(), scripted(lambda r: servers[r.endpoint](r))
        )
        return outcome, asyncio.get_running_loop().time()

    outcome, ended_s = in_virtual_time(work())
    assert outcome.failures == {}
    assert sum(server.n_refused for server in servers.values()) == 0
    assert 39 * 6.0 <= ended_s < 41 * 6.0


def test_a_rate_limit_that_is_not_known_ends_in_no_answer_and_can_be_resumed():
    server, plan, store = PerMinute(10), a_paced_plan(attempts=3), MemoryStore()
    outcome = run(plan, store, scripted(server))

    assert {failed.failure.kind for failed in outcome.failures.values()} <= {"rate_limit"}
    assert len(store) + len(outcome.failures) == 80 or outcome.stopped is not None
    for _ in range(40):
        if len(store) == 80:
            break
        outcome = run(plan, store, scripted(PerMinute(10)))
    assert len(store) == 80
    assert outcome.failures == {}


def test_a_server_that_says_when_to_come_back_is_obeyed_by_all_calls_to_it():
    server = PerMinute(10, retry_after_s=60.0)
    outcome = run(a_paced_plan(attempts=9, total_s=3000.0), MemoryStore(), scripted(server))

    assert outcome.failures == {}
    # Calls in flight when the limit is hit are refused; those that follow wait.
    assert server.n_refused <= 8 * 9


def test_calls_that_wait_between_tries_leave_their_place_to_others():
    tries = {}

    def script(request):
        tries[request.name] = tries.get(request.name, 0) + 1
        first = request.subject.id == "c0" and tries[request.name] == 1
        return Transient("server_error", "busy", status=500) if first else says(request)

    async def pause(request):
        await asyncio.sleep(0.01)

    endpoint = {"limits": {"in_flight": 1}}
    plan = a_plan(cases=5, answers=1, judge=False, endpoints={"baseline": endpoint, "candidate": endpoint})
    order = []

    async def work():
        backends = scripted(lambda r: order.append(r.subject.id) or script(r), pause=pause)
        await ask_all(plan, MemoryStore(), backends)

    in_virtual_time(work())
    assert order[-2:] == ["c0", "c0"]
