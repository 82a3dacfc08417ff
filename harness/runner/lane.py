"""One endpoint while a run goes on: how many calls at a time, how fast, and whether at all."""

import asyncio
from collections.abc import Awaitable, Callable

from harness.backends.protocol import Backend
from harness.domain.calls import Failure, Request, Response
from harness.domain.errors import Transient
from harness.domain.specs import EndpointSpec
from harness.runner.limits import endpoint_problem


class Stopped(Exception):
    """No more calls are made; never leaves the runner."""


class Lane:
    """The way to one endpoint.

    It gives out places for tries, at the pace that is allowed. As a backend it
    sends, and takes note when the server asks everybody to wait.
    """

    def __init__(
        self,
        name: str,
        backend: Backend,
        endpoint: EndpointSpec,
        *,
        clock_s: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.name = name
        self.limits = limits = endpoint.limits
        self.n_in_flight = 0
        self.n_answered = 0
        self._backend = backend
        # A file of recorded replies does not recover, and costs nothing to ask.
        self._is_live = endpoint.backend != "recorded"
        self._clock_s = clock_s
        self._sleep = sleep
        self._places = asyncio.Semaphore(limits.in_flight)
        self._every_s = 60.0 / limits.per_minute if limits.per_minute else 0.0
        # When the next try may start; moved on between awaits only.
        self._next_s = 0.0
        self._n_failed_in_a_row = 0
        self.is_closed = False
        self._was_asked_before = False
        self._last_failure: Failure | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    async def enter(self) -> None:
        """Return once a try may begin: a place is free, the pace allows it, no server asked to wait.

        Raises:
            Stopped: No further try is started.
        """
        await self._places.acquire()
        try:
            await self._turn()
        except BaseException:
            self._places.release()
            raise
        self.n_in_flight += 1
        self._idle.clear()

    def leave(self) -> None:
        """Give the place of a try back."""
        self.n_in_flight -= 1
        self._places.release()
        if not self.n_in_flight:
            self._idle.set()

    async def send(self, request: Request) -> Response:
        """Send once; a server that says when to come back is obeyed by every call to it."""
        try:
            return await self._backend.send(request)
        except Transient as error:
            if error.retry_after_s is not None:
                wait_s = min(error.retry_after_s, self.limits.longest_wait_s)
                self._next_s = max(self._next_s, self._clock_s() + wait_s)
            raise

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()

    def note_cached(self) -> None:
        """Take note that a response of the endpoint was on disk."""
        self._was_asked_before = True

    def note(self, outcome: Response | Failure) -> str | None:
        """Take note of what a call ended in; return why the endpoint is given up, or null."""
        if isinstance(outcome, Response):
            self.n_answered += 1
            self._n_failed_in_a_row = 0
            return None
        self._n_failed_in_a_row += 1
        self._last_failure = outcome
        if not self._is_live:
            return None
        return endpoint_problem(outcome, n_in_a_row=self._n_failed_in_a_row, n_answered=self.n_answered)

    def problem_at_end(self) -> str | None:
        """Return why the endpoint was of no use, or null: it was asked, and never answered."""
        failure = self._last_failure
        if failure is None or self.n_answered or self._was_asked_before or not self._is_live:
            return None
        return f"no call was answered, the last one failed with {failure.kind}: {failure.detail}"

    def close(self) -> None:
        """Start no further try."""
        self.is_closed = True

    async def idle(self) -> None:
        """Return once no try is in flight."""
        await self._idle.wait()

    async def _turn(self) -> None:
        while not self.is_closed:
            wait_s = self._next_s - self._clock_s()
            if wait_s <= 0:
                self._next_s = max(self._next_s, self._clock_s()) + self._every_s if self._every_s else 0.0
                return
            await self._sleep(wait_s)
        raise Stopped
