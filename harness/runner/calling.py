"""One call: from disk if it is there, else over the wire and to disk."""

import random
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import NamedTuple, Protocol

from harness.domain.calls import Attempt, Failure, Request, Response, Stored, Timing
from harness.domain.specs import Budget
from harness.runner.collect import Failed, completion_of
from harness.runner.lane import Lane, Stopped
from harness.runner.limits import spent
from harness.runner.retry import send_with_retry
from harness.runner.tally import Tally
from harness.store.protocol import ResponseStore
from harness.store.writer import BatchWriter


class Clocks(NamedTuple):
    """Time, as the runner sees it, so that a test can turn it.

    ``clock_s`` never goes back; ``wall_ms`` is Unix time in milliseconds.
    """

    clock_s: Callable[[], float]
    wall_ms: Callable[[], int]
    sleep: Callable[[float], Awaitable[None]]


class Halt(Protocol):
    """Ends the asking. ``patient``: what is in flight may take its full time."""

    def __call__(self, reason: str, *, patient: bool) -> None:
        """Take the reason; the first one stands."""


class _Place:
    """A place in a lane, for each try of one call. The call is counted when its first try begins."""

    def __init__(self, lane: Lane, reserve: Callable[[], None]) -> None:
        self._lane = lane
        self._reserve = reserve
        self._is_counted = False

    async def __aenter__(self) -> None:
        await self._lane.enter()
        if self._is_counted:
            return
        try:
            self._reserve()
        except Stopped:
            self._lane.leave()
            raise
        self._is_counted = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lane.leave()


class Caller:
    """Gets responses, counts them, and keeps the failures of this start of the run."""

    def __init__(
        self,
        *,
        lanes: Mapping[str, Lane],
        store: ResponseStore,
        writer: BatchWriter,
        tally: Tally,
        budget: Budget,
        clocks: Clocks,
        rng: random.Random,
        halt: Halt,
    ) -> None:
        """Make a caller.

        Args:
            lanes: The endpoints, by name.
            store: Where responses are looked up.
            writer: What puts them there.
            tally: What is counted; shared with the progress.
            budget: What the plan allows.
            clocks: Time.
            rng: Source of the jitter between tries.
            halt: Told once why no more calls should be made.
        """
        self.failures: dict[str, Failed] = {}
        self._lanes = lanes
        self._store = store
        self._writer = writer
        self._tally = tally
        self._budget = budget
        self._clocks = clocks
        self._rng = rng
        self._halt = halt
        # What earlier starts of the run paid for counts against its budget.
        self._n_before = len(store)

    async def text_of(self, request: Request) -> str | None:
        """Return the text that answers the request; null where it has none.

        Raises:
            Stopped: No more calls are made.
            StoreError: The response could not be read or written.
        """
        lane = self._lanes[request.endpoint]
        if lane.is_closed:
            raise Stopped
        stored = self._store.get(request.name)
        if stored is not None:
            lane.note_cached()
            completion = completion_of(stored.response)
            self._tally.cached(request.endpoint, completion.usage if completion else None)
            return completion.text if completion else None
        return await self._ask(lane, request)

    def _reserve(self) -> None:
        tally = self._tally
        n_calls = self._n_before + tally.n_started
        reason = spent(self._budget, n_calls=n_calls, cost=tally.cost + tally.reused_cost)
        if reason is not None:
            self._halt(reason, patient=True)
            raise Stopped
        tally.n_started += 1

    async def _ask(self, lane: Lane, request: Request) -> str | None:
        sent = await send_with_retry(
            lane,
            request,
            lane.limits,
            slot=_Place(lane, self._reserve),
            sleep=self._clocks.sleep,
            clock_s=self._clocks.clock_s,
            wall_ms=self._clocks.wall_ms,
            rng=self._rng,
            on_attempt=self._count,
        )
        timing = Timing(request=request.name, attempts=sent.attempts)
        problem = lane.note(sent.result)
        if isinstance(sent.result, Failure):
            self._failed(request, sent.result, timing)
            if problem is not None:
                self._halt(f"{lane.name}: {problem}", patient=False)
            return None
        return await self._keep(request, sent.result, timing)

    async def _keep(self, request: Request, response: Response, timing: Timing) -> str | None:
        # Handed to the writer before it is read: no mistake of ours can lose it.
        on_disk = self._writer.put(request.name, Stored(response=response, timing=timing))
        completion = completion_of(response)
        self._tally.answered(request.endpoint, completion.usage if completion else None)
        # Used only once it is on disk: nothing is built on what a crash would take away.
        await on_disk
        return completion.text if completion else None

    def _failed(self, request: Request, failure: Failure, timing: Timing) -> None:
        self._tally.n_failed += 1
        self.failures[request.name] = Failed(failure, timing)

    def _count(self, attempt: Attempt) -> None:
        self._tally.attempt(attempt.error)
