import asyncio
import json
import random
from collections.abc import Callable
from contextlib import nullcontext

import pytest
from asking import an_answer, an_endpoint
from loopback import Fault, Settings, serve

from harness.backends.bodies import completion_response
from harness.backends.chat import ChatBackend
from harness.backends.protocol import Filtered
from harness.backends.scripted import ScriptedBackend
from harness.domain.calls import Attempt, Failure, Request, Response
from harness.domain.completion import read_response
from harness.domain.errors import Permanent, Transient
from harness.domain.specs import Limits
from harness.runner.retry import Sent, send_with_retry, wait_before_retry_s


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds
        await asyncio.sleep(0)


async def retry(backend, *, clock=None, slot=None, limits=None, on_attempt=lambda attempt: None) -> Sent:
    clock = clock or Clock()
    return await send_with_retry(
        backend,
        an_answer(),
        limits or Limits(),
        slot=slot or nullcontext(),
        sleep=clock.sleep,
        clock_s=lambda: clock.now_s,
        wall_ms=lambda: round(1000 * clock.now_s),
        rng=random.Random(7),
        on_attempt=on_attempt,
    )


def replies(*outcomes: object) -> Callable[[Request], object]:
    left = iter(outcomes)
    return lambda request: next(left)


def overloaded(**fields: object) -> Transient:
    return Transient("overloaded", "busy", status=529, **fields)


def run(*outcomes: object, clock: Clock | None = None, **limits: object) -> Sent:
    return asyncio.run(retry(ScriptedBackend(replies(*outcomes)), clock=clock, limits=Limits(**limits)))


def test_a_transient_error_is_asked_again_and_every_try_is_on_record():
    told: list[Attempt] = []
    clock = Clock()
    backend = ScriptedBackend(replies(overloaded(retry_after_s=2.5), Transient("connection", "torn"), "yes"))

    sent = asyncio.run(retry(backend, clock=clock, on_attempt=told.append))

    assert isinstance(sent.result, Response)
    assert [(a.error, a.status, a.wait_ms) for a in sent.attempts] == [
        ("overloaded", 529, 0),
        ("connection", None, 2500),
        (None, 200, round(1000 * clock.slept[1])),
    ]
    assert [a.started_ms for a in sent.attempts] == [100_000, 102_500, round(1000 * clock.now_s)]
    assert told == list(sent.attempts)


def test_a_permanent_error_is_never_asked_again():
    sent = run(Permanent("wrong_key", "401 from judge", status=401), "never reached")

    assert sent.result == Failure(kind="wrong_key", detail="401 from judge", status=401)
    assert len(sent.attempts) == 1


def test_after_the_last_try_the_real_cause_stands():
    sent = run(*[overloaded()] * 3, attempts=3)

    assert sent.result == Failure(kind="overloaded", detail="busy", status=529)
    assert len(sent.attempts) == 3


def test_an_error_of_our_own_is_not_retried_and_not_hidden():
    backend = ScriptedBackend(replies(KeyError("typo"), "never reached"))

    with pytest.raises(KeyError):
        asyncio.run(retry(backend))

    assert backend.n_calls == 1


def test_what_the_server_asks_for_is_waited():
    clock = Clock()

    run(overloaded(retry_after_s=7.0), "yes", clock=clock)

    assert clock.slept == [7.0]


def test_a_server_that_asks_for_more_than_the_ceiling_is_asked_again_after_it():
    clock = Clock()

    run(overloaded(retry_after_s=3600.0), "yes", clock=clock, longest_wait_s=30.0)

    assert clock.slept == [30.0]


def test_no_try_starts_after_the_total_time():
    clock = Clock()

    sent = run(*[overloaded(retry_after_s=40.0)] * 9, clock=clock, attempts=9, total_s=100.0)

    assert clock.slept == [40.0, 40.0]
    assert len(sent.attempts) == 3


def test_waits_double_up_to_the_ceiling_and_are_jittered_below():
    waits = [
        wait_before_retry_s(overloaded(), n_tries=n, longest_wait_s=6.0, rng=random.Random(n))
        for n in range(1, 6)
    ]

    for wait_s, full_s in zip(waits, [1, 2, 4, 6, 6], strict=True):
        assert full_s / 2 <= wait_s <= full_s
    assert len(set(waits)) == 5


def test_the_same_source_of_jitter_gives_the_same_waits():
    first, second = Clock(), Clock()
    for clock in (first, second):
        run(*[overloaded()] * 4, clock=clock, attempts=4)

    assert first.slept == second.slept
    assert len(first.slept) == 3


def test_the_usual_tries_outlast_a_limit_of_one_minute():
    limits = Limits()
    shortest_s = sum(
        wait_before_retry_s(
            Transient("rate_limit", ""), n_tries=n, longest_wait_s=limits.longest_wait_s, rng=NoJitter()
        )
        for n in range(1, limits.attempts)
    )

    assert 60 <= shortest_s <= limits.total_s


class NoJitter(random.Random):
    def random(self) -> float:
        return 0.0


def test_no_place_is_held_while_a_call_waits():
    async def watched() -> list[bool]:
        slot = asyncio.Semaphore(1)
        locked: list[bool] = []

        async def sleep(seconds: float) -> None:
            locked.append(slot.locked())

        clock = Clock()
        clock.sleep = sleep  # type: ignore[method-assign]
        backend = ScriptedBackend(
            replies(overloaded(), overloaded(), "yes"), pause=lambda _: note(locked, slot)
        )
        await retry(backend, clock=clock, slot=slot)
        return locked

    async def note(locked: list[bool], slot: asyncio.Semaphore) -> None:
        locked.append(slot.locked())

    assert asyncio.run(watched()) == [True, False, True, False, True]


def test_cancellation_passes_through_at_once():
    async def cancelled() -> int:
        async def hang(request: Request) -> None:
            await asyncio.Event().wait()

        backend = ScriptedBackend(lambda _: "never", pause=hang)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await retry(backend)
        return backend.n_calls

    assert asyncio.run(cancelled()) == 1


def test_calls_in_flight_together_do_not_share_their_tries():
    async def many() -> list[int]:
        failures = {repeat: repeat for repeat in range(4)}

        def script(request: Request) -> object:
            failures[request.repeat] -= 1
            return overloaded() if failures[request.repeat] >= 0 else "yes"

        backend = ScriptedBackend(script)
        clock = Clock()
        sent = await asyncio.gather(
            *(
                send_with_retry(
                    backend,
                    an_answer(repeat=repeat),
                    Limits(),
                    slot=nullcontext(),
                    sleep=clock.sleep,
                    clock_s=lambda: 0.0,
                    wall_ms=lambda: 0,
                    rng=random.Random(repeat),
                    on_attempt=lambda attempt: None,
                )
                for repeat in range(4)
            )
        )
        return [len(one.attempts) for one in sent]

    assert asyncio.run(many()) == [1, 2, 3, 4]


def test_a_response_that_stays_filtered_is_kept_as_what_it_is():
    blocked = completion_response("", model="m", finish_reason="content_filter")

    sent = run(*[Filtered("blocked", response=blocked)] * 2, attempts=2)

    assert sent.result == blocked
    assert [attempt.error for attempt in sent.attempts] == ["filtered", "filtered"]


def test_a_response_that_is_filtered_once_is_asked_again():
    blocked = completion_response("", model="m", finish_reason="content_filter")

    sent = run(Filtered("blocked", response=blocked), "yes")

    assert isinstance(sent.result, Response)
    assert read_response(sent.result).text == "yes"


# Over the wire.


def over_the_wire(*faults: Fault, attempts: int = 6, **endpoint: object) -> tuple[Sent, Clock, int]:
    clock = Clock()

    async def call() -> tuple[Sent, Clock, int]:
        async with serve(Settings(faults=faults)) as server:
            spec = an_endpoint(server.base_url, limits={"attempts": attempts, "timeout_s": 2.0}, **endpoint)
            backend = ChatBackend("judge", spec, environ={})
            sent = await retry(backend, clock=clock, limits=spec.limits)
            await backend.aclose()
            return sent, clock, server.counts.n_requests

    return asyncio.run(call())


def test_four_tries_are_four_requests():
    sent, _, n_requests = over_the_wire(Fault("429"), attempts=4)

    assert n_requests == 4
    assert isinstance(sent.result, Failure)
    assert sent.result.kind == "rate_limit"
    assert len(sent.attempts) == 4


@pytest.mark.parametrize(
    "fault", ["reset", "close", "truncate", "529", "500", "overloaded-body", "error-body"]
)
def test_a_fault_that_passes_is_followed_by_the_answer(fault):
    sent, _, n_requests = over_the_wire(Fault(fault, first=2))

    assert isinstance(sent.result, Response)
    assert read_response(sent.result).text is not None
    assert n_requests == 3
    assert [attempt.error is None for attempt in sent.attempts] == [False, False, True]


def test_overload_in_its_three_forms_is_counted_under_one_name():
    forms = json.dumps({"type": "error", "error": {"type": "overloaded_error"}})
    sent, _, _ = over_the_wire(
        Fault("529", at=(1,)), Fault("500", at=(2,), body=forms), Fault("overloaded-body", at=(3,))
    )

    assert [attempt.error for attempt in sent.attempts] == ["overloaded"] * 3 + [None]


@pytest.mark.parametrize(("asked", "shortest_s", "longest_s"), [("3", 3.0, 3.0), ("date:30", 28.0, 30.0)])
def test_retry_after_is_obeyed_in_both_its_forms(asked, shortest_s, longest_s):
    _, clock, _ = over_the_wire(Fault("429", first=1, retry_after=asked))

    assert shortest_s <= clock.slept[0] <= longest_s


@pytest.mark.parametrize("fault", ["401", "404", "quota"])
def test_what_cannot_be_mended_is_asked_once(fault):
    sent, clock, n_requests = over_the_wire(Fault(fault))

    assert isinstance(sent.result, Failure)
    assert (n_requests, clock.slept) == (1, [])
