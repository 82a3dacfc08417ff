"""Runs that are killed: a run in a process of its own against a loopback server, and its resumption.

    python tests/killing.py PLAN.json RUN

runs a plan in a directory to its end, and seals it.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from harness.backends.open import open_backend
from harness.cli.sequential import Stopping
from harness.domain.calls import Progress
from harness.domain.canonical import canonical_bytes
from harness.domain.plan import Plan, plan_digest
from harness.runner.asking import Asking, Outcome
from harness.runner.collect import run_records
from harness.store.disk import DiskStore
from harness.store.evidence import read_manifest
from harness.store.protocol import ResponseStore
from harness.store.run_dir import open_run
from harness.store.seal import Sealing, seal_run

HERE = Path(__file__).parent
RULES = json.dumps([{"contains": "VERDICT", "texts": ["VERDICT: pass", "VERDICT: fail"]}])


class Killed(NamedTuple):
    """What a run that was killed and resumed came to, beside one that was left alone."""

    n_planned: int
    n_kills: int
    n_stored_at_kills: tuple[int, ...]
    sent_again: tuple[str, ...]
    n_answered_twice: int
    evidence_sha256: str
    undisturbed_sha256: str


class Server(NamedTuple):
    """A loopback server in a process of its own."""

    base_url: str

    def stats(self) -> dict[str, Any]:
        """What it was asked and what it answered."""
        with urlopen(self.base_url.removesuffix("/v1") + "/stats", timeout=30) as reply:
            found: dict[str, Any] = json.load(reply)
            return found


@contextmanager
def server(*, latency_ms: float, rules: str = RULES) -> Iterator[Server]:
    """Serve while the context lasts."""
    command = [sys.executable, str(HERE / "loopback.py"), "--latency-ms", str(latency_ms), "--rules", rules]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield Server(json.loads(process.stdout.readline())["base_url"])
        finally:
            process.kill()


@contextmanager
def started(plan: Path, run: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a plan in a process of its own; it is killed at the end if it still lives."""
    command = [sys.executable, str(HERE / "killing.py"), str(plan), str(run)]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()


def kill_and_resume(plan: Plan, server: Server, folder: Path, *, n_kills: int, rng: random.Random) -> Killed:
    """Kill a run at random moments, resume it to its end, and run it once undisturbed.

    The moments are drawn evenly over the calls of the run, and a moment more.
    """
    path = folder / "plan.json"
    path.write_bytes(canonical_bytes(plan))
    n_planned = _n_planned(plan)
    kept: list[tuple[set[str], dict[str, int]]] = []
    for n_requests in sorted(rng.randrange(n_planned) for _ in range(n_kills)):
        with started(path, folder / "killed") as process:
            _wait_for(server, n_requests, process)
            time.sleep(rng.random() * 0.03)
        kept.append((_names(folder / "killed"), server.stats()["received_keys"]))
    _run(path, folder / "killed")
    after = server.stats()
    _run(path, folder / "undisturbed")
    return Killed(
        n_planned=n_planned,
        n_kills=n_kills,
        n_stored_at_kills=tuple(len(names) for names, _ in kept),
        sent_again=_sent_again(kept, after["received_keys"]),
        n_answered_twice=len(after["answered_twice"]),
        evidence_sha256=read_manifest(folder / "killed").evidence_sha256,
        undisturbed_sha256=read_manifest(folder / "undisturbed").evidence_sha256,
    )


def _n_planned(plan: Plan) -> int:
    from harness.runner.requests import n_calls_planned

    return n_calls_planned(plan).total


def _wait_for(server: Server, n_requests: int, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None and server.stats()["n_requests"] < n_requests:
        time.sleep(0.01)


def _names(run: Path) -> set[str]:
    if not (run / "store").exists():
        return set()
    store = DiskStore(run / "store")
    names = set(store.names())
    store.close()
    return names


def _sent_again(kept: list[tuple[set[str], dict[str, int]]], after: dict[str, int]) -> tuple[str, ...]:
    """Return the requests that were sent once more after their response was on disk."""
    return tuple(
        sorted({name for names, received in kept for name in names if after[name] > received.get(name, 0)})
    )


def _run(plan: Path, run: Path) -> None:
    with started(plan, run) as process:
        if process.wait(600) != 0:
            raise RuntimeError(f"the run ended with exit code {process.returncode}")


def run_to_the_end(plan: Plan, run: Path, *, on_progress: Callable[[Progress], None]) -> None:
    """Run a plan in a directory to its end, and seal it."""
    with open_run(run, plan) as opened:
        outcome = asyncio.run(_ask(plan, opened.store, on_progress))
        if outcome.stopped or outcome.failures:
            raise SystemExit(outcome.stopped or "a call failed")
        sealing = Sealing(plan_digest(plan), "0", stopped=outcome.stopped, locked=False)
        seal_run(run, run_records(plan, opened.store, outcome.failures), sealing)


async def _ask(plan: Plan, store: ResponseStore, on_progress: Callable[[Progress], None]) -> Outcome:
    backends = {
        name: open_backend(name, plan.endpoint(name), root=HERE, environ=os.environ)
        for name in ("baseline", "candidate", "judge")
    }
    async with Asking(
        plan, store=store, backends=backends, stop=asyncio.Event(), on_progress=on_progress
    ) as asking:
        await asking.ask_canaries()
        return await asking.ask_cases(Stopping(plan, store))


if __name__ == "__main__":
    run_to_the_end(
        Plan.from_json(Path(sys.argv[1]).read_bytes()), Path(sys.argv[2]), on_progress=lambda _: None
    )
