"""One start of a run, from the first call to the last, or to why there was none."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self

from harness.backends.protocol import Backend
from harness.domain.batches import asked_at_most
from harness.domain.calls import Progress
from harness.domain.errors import HarnessError, StoreError
from harness.domain.plan import Plan
from harness.runner.calling import Caller, Clocks
from harness.runner.collect import Failed
from harness.runner.flow import ask_canaries, ask_cases
from harness.runner.lane import Lane
from harness.runner.requests import n_calls_planned
from harness.runner.tally import Tally
from harness.runner.waiting import waiting_for
from harness.store.protocol import ResponseStore
from harness.store.writer import BatchWriter

INTERRUPTED = "interrupted"
_GRACE_S = 5.0
_PROGRESS_EVERY_S = 0.25


class Outcome(NamedTuple):
    """What one start of a run came to.

    ``stopped`` is why it ended before its end, or null. ``failures`` are the
    calls without a response, by request name; running again asks them again.
    """

    stopped: str | None
    failures: Mapping[str, Failed]
    progress: Progress


class Asking:
    """One start of a run: first the judge's canaries, then everything else.

    An asynchronous context manager, to be entered in the event loop that its
    backends were opened in. What comes is on disk before it is read; what is
    on disk is not asked for. Only when it is left is everything written that
    came before a stop; all backends are then closed.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        store: ResponseStore,
        backends: Mapping[str, Backend],
        stop: asyncio.Event,
        on_progress: Callable[[Progress], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """Prepare a start; nothing is sent yet.

        Args:
            plan: What to ask.
            store: Where responses are, and go.
            backends: One for each endpoint of the plan, by its name.
            stop: Set from outside to end the run early.
            on_progress: Told a few times a second how far the run has come.
            sleep: Waits the given seconds.
            wall_ms: Unix time in milliseconds.
        """
        clock_s = asyncio.get_running_loop().time
        self._plan = plan
        self._store = store
        self._stop = stop
        self._on_progress = on_progress
        self._lanes = {
            name: Lane(name, backend, plan.endpoint(name), clock_s=clock_s, sleep=sleep)
            for name, backend in backends.items()
        }
        self._tally = Tally({name: plan.endpoint(name).price for name in backends})
        self._clocks = Clocks(clock_s=clock_s, wall_ms=wall_ms, sleep=sleep)
        self._began_s = clock_s()
        self._phase, self._n_planned = "canaries", 0
        self._halted = asyncio.Event()
        self._stopped: str | None = None
        self._grace_s = _GRACE_S
        # What was last seen to move, and when.
        self._n_seen, self._seen_s = 0, self._began_s

    async def __aenter__(self) -> Self:
        self._writer = BatchWriter(self._store)
        self._caller = Caller(
            lanes=self._lanes,
            store=self._store,
            writer=self._writer,
            tally=self._tally,
            budget=self._plan.experiment.budget,
            clocks=self._clocks,
            rng=random.Random(self._plan.experiment.analysis.seed),
            halt=self._halt,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            for lane in self._lanes.values():
                await lane.aclose()
        finally:
            self._writer.close()

    async def ask_canaries(self) -> Outcome:
        """Ask the judge about its canaries, before anything else is paid for.

        Raises:
            StoreError: A response could not be read or written.
        """
        n_planned = n_calls_planned(self._plan).canary_votes
        return await self._ask("canaries", n_planned, ask_canaries(self._plan, self._caller, self._lanes))

    async def ask_cases(self, enough: Callable[[int], bool] = lambda number: False) -> Outcome:
        """Ask both arms about every case, and the judge about every answer and anchor.

        Args:
            enough: Asked after each batch of a sequential plan, counted from 0,
                once all that came of it is on disk, whether it was the last.

        Raises:
            StoreError: A response could not be read or written, or is gone.
        """
        work = ask_cases(
            self._plan,
            self._caller,
            self._lanes,
            on_dropped=self._drop,
            # Of a batch that was cut off nobody may judge.
            enough=lambda number: self._halted.is_set() or enough(number),
        )
        outcome = await self._ask("cases", n_calls_planned(asked_at_most(self._plan)).total, work)
        # Of a run that was stopped, the last responses are still on their way to the disk.
        if outcome.stopped is None and len(self._store) < self._tally.n_held:
            raise StoreError(f"the store holds {len(self._store)} responses, and {self._tally.n_held} came")
        return outcome

    async def _ask(self, phase: str, n_planned: int, work: Coroutine[object, object, None]) -> Outcome:
        self._phase, self._n_planned = phase, n_planned
        if self._halted.is_set():
            work.close()
            return self._outcome()
        helpers = [asyncio.create_task(self._tick()), asyncio.create_task(self._heed())]
        main = asyncio.create_task(work)
        try:
            await self._until_over(main)
        finally:
            await _end(main, *helpers)
        _raise_error(main)
        self._look_back()
        self._on_progress(self._progress())
        return self._outcome()

    async def _until_over(self, main: "asyncio.Task[None]") -> None:
        halted = asyncio.create_task(self._halted.wait())
        try:
            await asyncio.wait({main, halted}, timeout=self._left_s(), return_when="FIRST_COMPLETED")
            if main.done():
                return
            self._halt(f"budget: {self._plan.experiment.budget.seconds or 0:g} seconds are over")
            await self._let_finish()
        finally:
            await _end(halted)

    def _halt(self, reason: str, *, patient: bool = False) -> None:
        """Start no further try. The first reason stands."""
        if self._halted.is_set():
            return
        self._stopped = reason
        if patient:
            self._grace_s = max(lane.limits.timeout_s for lane in self._lanes.values())
        self._halted.set()
        for lane in self._lanes.values():
            lane.close()

    async def _let_finish(self) -> None:
        """Let what is in flight, and paid for, arrive; not for long where a person waits."""
        idle = asyncio.create_task(self._all_idle())
        stop = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait((idle, stop), timeout=self._grace_s, return_when="FIRST_COMPLETED")
            if stop.done():
                await asyncio.wait((idle,), timeout=_GRACE_S)
        finally:
            await _end(idle, stop)

    async def _all_idle(self) -> None:
        for lane in self._lanes.values():
            await lane.idle()

    async def _heed(self) -> None:
        await self._stop.wait()
        self._halt(INTERRUPTED)

    async def _tick(self) -> None:
        while True:
            self._on_progress(self._progress())
            await asyncio.sleep(_PROGRESS_EVERY_S)

    def _left_s(self) -> float | None:
        seconds = self._plan.experiment.budget.seconds
        return None if seconds is None else max(0.0, self._began_s + seconds - self._clocks.clock_s())

    def _drop(self, n_calls: int) -> None:
        self._tally.n_dropped += n_calls

    def _look_back(self) -> None:
        for lane in self._lanes.values():
            problem = lane.problem_at_end()
            if problem is not None:
                self._halt(f"{lane.name}: {problem}")

    def _progress(self) -> Progress:
        now_s = self._clocks.clock_s()
        if self._tally.n_done != self._n_seen:
            self._n_seen, self._seen_s = self._tally.n_done, now_s
        return self._tally.progress(
            phase=self._phase,
            n_planned=self._n_planned,
            elapsed_s=now_s - self._began_s,
            waiting_for=waiting_for(
                {lane.name: lane.n_in_flight for lane in self._lanes.values()},
                n_done=self._tally.n_done,
                quiet_s=now_s - self._seen_s,
            ),
        )

    def _outcome(self) -> Outcome:
        return Outcome(self._stopped, dict(self._caller.failures), self._progress())


async def _end(*tasks: "asyncio.Task[object] | asyncio.Task[None]") -> None:
    """Cancel the tasks and wait for them: nothing is left behind."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _raise_error(main: "asyncio.Task[None]") -> None:
    """Raise what went wrong in the workers as itself, not as a group of groups."""
    with suppress(asyncio.CancelledError):
        error = main.exception()
        while isinstance(error, BaseExceptionGroup):
            found = [inner for inner in error.exceptions if isinstance(inner, HarnessError)]
            error = (found or error.exceptions)[0]
        if error is not None:
            raise error
