"""The main job against a naive script: 300 cases x 2 arms x K = 5, one vote an answer.

    python bench/throughput.py [--rounds 5] [--cases 300] [--latency-ms 20]

Both ask the same loopback server, which runs in a process of its own, with 64 calls in flight,
in interleaved rounds. The naive script is asyncio over ``chat.completions.create`` and keeps
nothing; ours has store, evidence and progress on. Prints medians of the ratios, wall and CPU
(user and system) of the whole client process, start-up included, and the cost of a rerun.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

IN_FLIGHT = {"baseline": 16, "candidate": 16, "judge": 32}
ANSWERS = 5


class Cost(NamedTuple):
    """What one process took, in seconds, and the largest it got, in MB."""

    wall_s: float
    cpu_s: float
    peak_mb: float


async def naive(base_url: str, n_cases: int) -> int:
    """Do the job as a first script would: a task for each answer, one semaphore."""
    import openai

    places = asyncio.Semaphore(sum(IN_FLIGHT.values()))
    client = openai.AsyncOpenAI(base_url=base_url, api_key="x")

    async def ask(model: str, prompt: str) -> str:
        async with places:
            reply = await client.chat.completions.create(
                model=model, messages=[{"role": "user", "content": prompt}]
            )
        return reply.choices[0].message.content or ""

    async def judged(arm: str, case: int) -> str:
        answer = await ask(f"m-{arm}", _prompt(case))
        return await ask("m-judge", f"Question: {_prompt(case)}\n{answer}\nVERDICT: pass or fail?")

    arms = ("baseline", "candidate")
    jobs = [judged(arm, case) for _ in range(ANSWERS) for case in range(n_cases) for arm in arms]
    return sum("pass" in text for text in await asyncio.gather(*jobs))


def ours(plan: str, run: str) -> None:
    """Do the job with the harness."""
    from killing import run_to_the_end

    from harness.domain.plan import Plan

    def show(progress: object) -> None:
        print(progress, file=sys.stderr)

    run_to_the_end(Plan.from_json(Path(plan).read_bytes()), Path(run), on_progress=show)


def _prompt(case: int) -> str:
    return f"Case {case}. " + "What would you say to this, and why would you say it? " * 9


def _measured(arguments: Sequence[str]) -> Cost:
    """Run this file in a process of its own, and return what it took."""
    with tempfile.TemporaryFile() as said:
        began_s = time.perf_counter()
        process = subprocess.Popen([sys.executable, __file__, *arguments], stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began_s
        if status != 0:
            said.seek(0)
            raise SystemExit(f"{arguments[0]} ended with status {status}: {said.read()[-2000:].decode()}")
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _compare(n_rounds: int, n_cases: int, latency_ms: float, folder: Path) -> None:
    from killing import server
    from runs import a_plan

    from harness.domain.canonical import canonical_bytes

    with server(latency_ms=latency_ms) as running:
        endpoints = {
            name: {"base_url": running.base_url, "limits": {"in_flight": places}}
            for name, places in IN_FLIGHT.items()
        }
        cases = [{"id": f"c{case}", "prompt": _prompt(case)} for case in range(n_cases)]
        plan = a_plan(cases=cases, answers=ANSWERS, canaries=0, anchors=0, endpoints=endpoints)
        written = folder / "plan.json"
        written.write_bytes(canonical_bytes(plan))
        rounds: list[tuple[Cost, Cost, Cost]] = []
        for number in range(n_rounds):
            run = str(folder / f"run-{number}")
            first = _measured(["ours", str(written), run])
            before = running.stats()["n_requests"]
            again = _measured(["ours", str(written), run])
            n_again = running.stats()["n_requests"] - before
            other = _measured(["naive", running.base_url, str(n_cases)])
            rounds.append((first, other, again))
            print(f"round {number}: ours {_text(first)}; naive {_text(other)}")
            print(f"         rerun {_text(again)}, {n_again} calls")
    _print_ratios(rounds)


def _text(cost: Cost) -> str:
    return f"{cost.wall_s:.1f} s wall, {cost.cpu_s:.1f} s CPU, {cost.peak_mb:.0f} MB"


def _print_ratios(rounds: Sequence[tuple[Cost, Cost, Cost]]) -> None:
    for place, name in enumerate(("wall", "CPU", "peak memory")):
        ratios = sorted(mine[place] / theirs[place] for mine, theirs, _ in rounds)
        print(f"{name}, ours / naive: median {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


def main() -> None:
    """Compare, or be one side of the comparison."""
    if sys.argv[1:2] == ["naive"]:
        asyncio.run(naive(sys.argv[2], int(sys.argv[3])))
        return
    if sys.argv[1:2] == ["ours"]:
        ours(sys.argv[2], sys.argv[3])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--latency-ms", type=float, default=20.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _compare(arguments.rounds, arguments.cases, arguments.latency_ms, Path(folder))


if __name__ == "__main__":
    main()
