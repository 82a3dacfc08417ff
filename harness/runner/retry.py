"""Asking again: the one place that retries."""

import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from harness.backends.protocol import Backend, Filtered
from harness.domain.calls import Attempt, Failure, Request, Response
from harness.domain.errors import CallError, Transient
from harness.domain.specs import Limits

# A rate limit counts by the minute as a rule; a few seconds cannot outlast it.
_FIRST_WAIT_S = {"rate_limit": 4.0}
_USUAL_FIRST_WAIT_S = 1.0


class Sent(NamedTuple):
    """What came of one call after the last try, and every try of it."""

    result: Response | Failure
    attempts: tuple[Attempt, ...]


def wait_before_retry_s(
    error: BaseException | None, *, n_tries: int, longest_wait_s: float, rng: random.Random
) -> float:
    """Return how long to wait after a try that failed, in seconds.

    What the server asks for is obeyed, up to the ceiling: one that asks for
    more is asked again after the ceiling, and the limits of the call end that.
    Otherwise the wait doubles with each try, and is drawn from its upper half,
    so that calls which failed together do not come back together.

    Args:
        error: What the try ended in.
        n_tries: Tries made so far, from 1.
        longest_wait_s: The ceiling.
        rng: Source of the jitter.
    """
    asked_s = error.retry_after_s if isinstance(error, Transient) else None
    if asked_s is not None:
        return min(asked_s, longest_wait_s)
    kind = error.kind if isinstance(error, Transient) else ""
    # The exponent is bounded, so that no number of tries overflows.
    full_s = _FIRST_WAIT_S.get(kind, _USUAL_FIRST_WAIT_S) * 2.0 ** min(n_tries - 1, 20)
    return min(full_s, longest_wait_s) * (0.5 + 0.5 * rng.random())


async def send_with_retry(
    backend: Backend,
    request: Request,
    limits: Limits,
    *,
    slot: AbstractAsyncContextManager[object],
    sleep: Callable[[float], Awaitable[None]],
    clock_s: Callable[[], float],
    wall_ms: Callable[[], int],
    rng: random.Random,
    on_attempt: Callable[[Attempt], None],
) -> Sent:
    """Send a request until it has a response, cannot have one, or the limits end it.

    Only `Transient` errors are asked again. A try that would start more than
    ``limits.total_s`` after the first one is not made. Cancellation and
    everything that is not a `CallError` pass through at once.

    Args:
        backend: The endpoint's backend; one try is one ``send``.
        request: What is asked.
        limits: Tries, total time and the longest wait.
        slot: Entered anew for each try and left before each wait, so that a
            call that waits takes no place. A semaphore or a rate limiter.
        sleep: Waits the given seconds.
        clock_s: Seconds of a clock that never goes back.
        wall_ms: Unix time in milliseconds.
        rng: Source of the jitter.
        on_attempt: Told of each try as it ends.

    Returns:
        The response, or the failure under the kind of the last error. Where
        the plan asks again for filtered responses, the last one of them.
    """
    tries = _Tries(limits, clock_s=clock_s, wall_ms=wall_ms, rng=rng, on_attempt=on_attempt)

    async def one_try() -> Response:
        return await tries.make(backend, request, slot)

    try:
        result: Response | Failure = await _until_over(one_try, tries, sleep=sleep)
    except Filtered as error:
        result = error.response
    except CallError as error:
        result = Failure(kind=error.kind, detail=error.detail, status=error.status)
    return Sent(result=result, attempts=tuple(tries.attempts))


async def _until_over(
    one_try: Callable[[], Awaitable[Response]],
    tries: "_Tries",
    *,
    sleep: Callable[[float], Awaitable[None]],
) -> Response:
    try:
        # Most calls succeed at once, and setting up the retries costs more than all else here.
        return await one_try()
    except Transient as error:
        first: Transient | None = error

    async def next_try() -> Response:
        # The first try is made already; here it only counts as one.
        nonlocal first
        if first is not None:
            error, first = first, None
            raise error
        return await one_try()

    # Built for each call: one that is shared mixes up the states of calls in flight.
    retrying = AsyncRetrying(
        sleep=sleep,
        stop=tries.are_over,
        wait=tries.wait_s,
        retry=retry_if_exception_type(Transient),
        reraise=True,
    )
    return await retrying(next_try)


class _Tries:
    """The tries of one call so far. It lives as long as the call and belongs to it alone."""

    def __init__(
        self,
        limits: Limits,
        *,
        clock_s: Callable[[], float],
        wall_ms: Callable[[], int],
        rng: random.Random,
        on_attempt: Callable[[Attempt], None],
    ) -> None:
        self.attempts: list[Attempt] = []
        self._limits = limits
        self._clock_s = clock_s
        self._wall_ms = wall_ms
        self._rng = rng
        self._on_attempt = on_attempt
        self._first_s: float | None = None
        self._waited_s = 0.0

    async def make(
        self, backend: Backend, request: Request, slot: AbstractAsyncContextManager[object]
    ) -> Response:
        async with slot:
            started_s, started_ms = self._clock_s(), self._wall_ms()
            if self._first_s is None:
                self._first_s = started_s
            try:
                response = await backend.send(request)
            except CallError as error:
                self._note(started_s, started_ms, status=error.status, error=error.kind)
                raise
            self._note(started_s, started_ms, status=response.status, error=None)
        return response

    def _note(self, started_s: float, started_ms: int, *, status: int | None, error: str | None) -> None:
        attempt = Attempt(
            started_ms=started_ms,
            duration_ms=max(0, round(1000 * (self._clock_s() - started_s))),
            status=status,
            error=error,
            wait_ms=round(1000 * self._waited_s),
        )
        self.attempts.append(attempt)
        self._on_attempt(attempt)

    def wait_s(self, state: RetryCallState) -> float:
        self._waited_s = wait_before_retry_s(
            state.outcome.exception() if state.outcome else None,
            n_tries=state.attempt_number,
            longest_wait_s=self._limits.longest_wait_s,
            rng=self._rng,
        )
        return self._waited_s

    def are_over(self, state: RetryCallState) -> bool:
        if state.attempt_number >= self._limits.attempts:
            return True
        # Not tenacity's own stop: it reads a clock that a test cannot turn.
        next_s = self._clock_s() + state.upcoming_sleep
        return self._first_s is not None and next_s - self._first_s > self._limits.total_s
