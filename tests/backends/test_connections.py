"""One connection a call in flight, and the same ones again."""

import asyncio

import pytest
from asking import an_answer, an_endpoint
from loopback import Fault, Settings, serve

from harness.backends.chat import ChatBackend
from harness.backends.connections import StackedTransport, open_transport
from harness.domain.errors import Transient


async def calls(settings: Settings, *, at_once: int, rounds: int) -> tuple[int, int, int]:
    """Make calls; return those answered, those that failed, and the connections the server saw."""
    async with serve(settings) as server:
        backend = ChatBackend("b", an_endpoint(server.base_url, limits={"timeout_s": 0.3}), environ={})

        async def call(number: int) -> bool:
            try:
                await backend.send(an_answer(case=f"c{number}"))
            except Transient:
                return False
            return True

        done = []
        for number in range(rounds):
            done += await asyncio.gather(*(call(number * at_once + index) for index in range(at_once)))
        await backend.aclose()
        return sum(done), len(done) - sum(done), server.counts.n_connections


def test_no_more_connections_are_opened_than_calls_were_in_flight():
    assert asyncio.run(calls(Settings(latency_ms=5.0), at_once=8, rounds=5)) == (40, 0, 8)


@pytest.mark.parametrize("fault", ["reset", "truncate", "500", "hang"])
def test_a_call_that_fails_takes_no_connection_from_the_others(fault):
    settings = Settings(faults=(Fault(fault, at=(2, 3)),))
    answered, failed, n_connections = asyncio.run(calls(settings, at_once=2, rounds=5))

    assert (answered, failed) == (8, 2)
    assert n_connections <= 4


def test_a_proxy_of_the_environment_is_left_to_the_client(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert isinstance(open_transport(most=4), StackedTransport)
    monkeypatch.setenv("https_proxy", "http://proxy.test:3128")
    assert open_transport(most=4) is None
