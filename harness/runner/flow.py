"""The way of the calls: queues, and workers that draw from them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Protocol

from harness.domain.batches import after_the_batches, asked_at_most, batches
from harness.domain.calls import Request
from harness.domain.cases import ARMS, Arm, Case
from harness.domain.plan import Plan
from harness.runner.lane import Lane, Stopped
from harness.runner.pair_requests import case_pair_votes
from harness.runner.partners import Partners
from harness.runner.requests import (
    anchors_in_call_order,
    answers_in_call_order,
    canaries_in_call_order,
    case_votes,
    is_judged,
    n_calls_planned,
    n_votes_each,
)
from harness.runner.spread import n_due

# A queue holds a little more than is in flight, so that no endpoint runs far
# ahead of another and few requests are held in memory.
_QUEUED_A_PLACE = 2
# A call that waits for its next try takes no place, so there are more workers than places.
_WORKERS_A_PLACE = 2

Queue = asyncio.Queue[Request | None]


class Asks(Protocol):
    """What gets the text that answers a request."""

    async def text_of(self, request: Request) -> str | None:
        """Return the text; null where there is none."""


async def ask_canaries(plan: Plan, caller: Asks, lanes: Mapping[str, Lane]) -> None:
    """Ask every judge about all canaries."""
    queues = _judge_queues(plan, lanes)

    async def ask(request: Request) -> None:
        await caller.text_of(request)

    async with asyncio.TaskGroup() as group:
        for name, queue in queues.items():
            _start_workers(group, lanes[name], queue, ask)
        group.create_task(_deal(queues, canaries_in_call_order(plan)))


async def ask_cases(
    plan: Plan,
    caller: Asks,
    lanes: Mapping[str, Lane],
    *,
    on_dropped: Callable[[int], None],
    enough: Callable[[int], bool],
) -> None:
    """Ask both arms about every case and the judges about every answer, as the answers arrive.

    A sequential plan is asked batch by batch: everything about one has ended
    before the next begins.

    Args:
        plan: What to ask.
        caller: What gets the responses.
        lanes: The endpoints, by name.
        on_dropped: Told of calls that are needless: votes where an answer has no text, and what
            stands behind a stop.
        enough: Asked after each batch, counted from 0, whether it was the last.
    """
    votes = _Votes(plan, on_dropped)
    for number, cases in enumerate(planned := batches(plan)):
        await _ask_batch(plan, cases, caller, lanes, votes)
        rest = planned[number + 1 :]
        if rest and enough(number):
            on_dropped(_n_calls(plan, chain.from_iterable(rest)))
            break
    left = after_the_batches(plan)
    votes.expect_only(left)
    await _ask_batch(plan, left, caller, lanes, votes)


async def _ask_batch(
    plan: Plan, cases: Sequence[Case], caller: Asks, lanes: Mapping[str, Lane], votes: "_Votes"
) -> None:
    votes.queues = _judge_queues(plan, lanes)

    async def vote(request: Request) -> None:
        await caller.text_of(request)

    async def answer(request: Request) -> None:
        await votes.follow(request, await caller.text_of(request))

    async with asyncio.TaskGroup() as group:
        for name, queue in votes.queues.items():
            _start_workers(group, lanes[name], queue, vote)
        group.create_task(_ask_arms(_alone(plan, cases), lanes, answer, votes))


async def _ask_arms(
    plan: Plan, lanes: Mapping[str, Lane], answer: Callable[[Request], Awaitable[None]], votes: "_Votes"
) -> None:
    queues: dict[str, Queue] = {arm: _queue(lanes[arm]) for arm in ARMS}
    async with asyncio.TaskGroup() as group:
        for arm in ARMS:
            _start_workers(group, lanes[arm], queues[arm], answer)
        group.create_task(_deal(queues, answers_in_call_order(plan)))
    await votes.finish()


class _Votes:
    """The judges' queues: votes on answers as they come, anchors spread between them."""

    def __init__(self, plan: Plan, on_dropped: Callable[[int], None]) -> None:
        planned = n_calls_planned(asked_at_most(plan))
        self.queues: Mapping[str, Queue] = {}
        self._plan = plan
        self._on_dropped = on_dropped
        self._cases = {case.id: case for case in plan.cases}
        self._anchors: Iterator[Request] = anchors_in_call_order(plan)
        self._n_anchors = planned.anchor_votes
        self._n_votes = planned.votes
        # Shared by the workers of both arms; changed between awaits only.
        self._n_passed = 0
        self._n_anchors_sent = 0
        self._partners = Partners()

    async def follow(self, request: Request, text: str | None) -> None:
        """Put the votes on an answer into the queues, and the anchors that are due."""
        case, arm = self._cases[request.subject.id], request.subject.arm
        if arm is None or not is_judged(self._plan, case):
            return
        votes = self._about(case, arm, request, text)
        if votes is None:
            return
        n_votes = n_votes_each(self._plan)
        self._n_passed += n_votes
        if not votes:
            self._on_dropped(n_votes)
        await _feed(self.queues, votes)
        await _feed(self.queues, self._due())

    def _about(self, case: Case, arm: Arm, request: Request, text: str | None) -> tuple[Request, ...] | None:
        """Return the votes an answer calls for: none without a text, null while its partner is awaited."""
        plan, repeat = self._plan, request.repeat
        if not plan.is_pairwise:
            return () if text is None else case_votes(plan, case, arm, answer_repeat=repeat, answer=text)
        both = self._partners.meet(request, text)
        if both is None:
            return None
        if both.baseline is None or both.candidate is None:
            return ()
        return case_pair_votes(
            plan, case, answer_repeat=repeat, baseline=both.baseline, candidate=both.candidate
        )

    def expect_only(self, cases: Sequence[Case]) -> None:
        """Take note that after these cases there are no others: the anchors left go between their votes."""
        self._n_votes = self._n_passed + n_calls_planned(_alone(self._plan, cases)).votes

    async def finish(self) -> None:
        """Put the anchors that are due into the queues, and their ends."""
        await _deal(self.queues, self._due())

    def _due(self) -> Iterator[Request]:
        while self._n_anchors_sent < n_due(
            n_spread=self._n_anchors, n_passed=self._n_passed, n_total=self._n_votes
        ):
            self._n_anchors_sent += 1
            yield next(self._anchors)


def _alone(plan: Plan, cases: Iterable[Case]) -> Plan:
    return plan.model_copy(update={"cases": tuple(cases)})


def _n_calls(plan: Plan, cases: Iterable[Case]) -> int:
    planned = n_calls_planned(_alone(plan, cases))
    return planned.answers + planned.votes


def _judge_queues(plan: Plan, lanes: Mapping[str, Lane]) -> dict[str, Queue]:
    return {judge.endpoint: _queue(lanes[judge.endpoint]) for judge in plan.judges}


def _queue(lane: Lane) -> Queue:
    return asyncio.Queue(maxsize=_QUEUED_A_PLACE * lane.limits.in_flight)


def _start_workers(
    group: asyncio.TaskGroup, lane: Lane, queue: Queue, act: Callable[[Request], Awaitable[None]]
) -> None:
    for _ in range(_WORKERS_A_PLACE * lane.limits.in_flight):
        group.create_task(_work(queue, act))


async def _work(queue: Queue, act: Callable[[Request], Awaitable[None]]) -> None:
    try:
        while (request := await queue.get()) is not None:
            await act(request)
    except Stopped:
        return
    # The end is for every worker of the queue.
    queue.put_nowait(None)


async def _feed(queues: Mapping[str, Queue], requests: Iterable[Request]) -> None:
    for request in requests:
        await queues[request.endpoint].put(request)


async def _deal(queues: Mapping[str, Queue], requests: Iterable[Request]) -> None:
    await _feed(queues, requests)
    for queue in queues.values():
        await queue.put(None)
