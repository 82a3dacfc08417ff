"""Level and coverage of what decides, by simulation with known truth through the public analysis.

    python bench/validity.py [--replicates 2000] [--seed 20261130] [--counts FILE [--minutes 8]] [--write]

Every replicate makes case results, gives them to `harness.analysis.analyse`, and compares what it
says with the truth they were drawn from. Prints the page; with --write, docs/validity.md is written
again. With --counts what was counted is kept, and a run stopped by --minutes goes on where it
stopped; the numbers hang on the seed alone. Exits with 1 if what may decide has a level above .06
or a coverage below .93 by more than two standard errors anywhere in the grid.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from worlds import Drawn, World, draw, results, truth, worlds

from harness.analysis import analyse
from harness.analysis.section import deciding, reweighted
from harness.domain.estimate_blocks import GuardrailBlock, PrimaryBlock
from harness.domain.population_blocks import PopulationBlock
from harness.domain.report import Section
from harness.domain.specs import AnalysisSpec, Guardrail

ALPHA = 0.05
LEVEL_LIMIT, COVERAGE_LIMIT = 0.06, 0.93
# Where nothing is true the margin is small, so that a false claim is not excused as too small to matter.
MARGIN_AT_NOTHING = 0.01
# Replicates of each world that go through the whole analysis too, and must come to the same.
N_WHOLE = 5
# Worlds nearest to a limit after the first draw: drawn again from another seed, with more replicates.
N_AGAIN, TIMES_AGAIN = 8, 3
_LARGE = 1000


class Counts(NamedTuple):
    """What the replicates of one world came to.

    Attributes:
        n: Replicates.
        refused: No interval.
        covered: The interval holds the truth.
        rejected: The interval leaves 0 out; at no difference this is the level.
        wrong: The verdict is one that the truth contradicts.
        not_worse: A loss as large as the truth is claimed to be ruled out, by the guardrail
            whose margin is the true loss.
    """

    n: int
    refused: int
    covered: int
    rejected: int
    wrong: int
    not_worse: int

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth; not a number where there is none."""
        n = self.n - self.refused
        return self.covered / n if n else math.nan


class Row(NamedTuple):
    """A world with what came of it, and whether it was drawn again."""

    world: World
    found: Counts
    again: bool


class Said(NamedTuple):
    """What the analysis said of one experiment."""

    low: float | None
    high: float | None
    verdict: str | None
    guardrail_passed: bool


class Stopped(Exception):
    """The time is over before the grid is."""


def simulate(world: World, *, n_replicates: int, rng: np.random.Generator) -> Counts:
    """Run one world; the first replicates also through the whole `analyse`."""
    # A true gain is turned round into a loss of that size: a guardrail with that margin must fail.
    plain = truth(world)
    true, turned = -abs(plain), plain > 0
    spec = _spec(world, true)

    @lru_cache(maxsize=20_000)
    def said(rows: Drawn) -> Said:
        cases = results(world, rows)
        return _of_weights(reweighted(cases, spec)) if world.weighted else _said(*deciding(cases, spec))

    refused = covered = rejected = wrong = not_worse = 0
    for number in range(n_replicates):
        rows = draw(world, rng, turned=turned)
        found = said(rows)
        if number < N_WHOLE:
            assert found == _whole(world, analyse(results(world, rows), spec))
        refused += found.low is None
        if found.low is None or found.high is None:
            continue
        covered += found.low <= true <= found.high
        rejected += found.low > 0 or found.high < 0
        wrong += _contradicts(found.verdict, true, margin=spec.margin)
        not_worse += found.guardrail_passed
    return Counts(n_replicates, refused, covered, rejected, wrong, not_worse)


def _spec(world: World, true: float) -> AnalysisSpec:
    """Return a plan whose margin is the true loss, so that every claim to have ruled it out is false."""
    has_guardrail = true != 0 and world.weighted is None
    return AnalysisSpec(
        estimand=world.estimand,
        alpha=ALPHA,
        margin=-true or MARGIN_AT_NOTHING,
        seed=1,
        guardrails=(Guardrail(name="loss", margin=-true, estimand=world.estimand),) if has_guardrail else (),
        weights={f"t{number}": stratum.weight for number, stratum in enumerate(world.strata)}
        if world.weighted == "tags"
        else {},
    )


def _whole(world: World, section: Section) -> Said:
    if world.weighted is None:
        return _said(section.primary, section.guardrails)
    assert section.population is not None
    return _of_weights(section.population)


def _said(primary: PrimaryBlock, guardrails: Sequence[GuardrailBlock]) -> Said:
    passed = any(block.status == "pass" for block in guardrails)
    interval = primary.interval
    return Said(interval and interval.low, interval and interval.high, primary.verdict, passed)


def _of_weights(block: PopulationBlock) -> Said:
    interval = block.interval
    return Said(interval and interval.low, interval and interval.high, block.verdict, guardrail_passed=False)


def _contradicts(verdict: str | None, true: float, *, margin: float) -> bool:
    if verdict == "improvement":
        return true <= 0
    if verdict == "regression":
        return true >= 0
    if verdict == "equivalent":
        return abs(true) >= margin
    return verdict == "non_inferior" and true <= -margin


def problems(row: Row) -> list[str]:
    """Return what breaks a limit by more than two standard errors."""
    world, found = row.world, row.found
    level_limit = LEVEL_LIMIT + 2 * math.sqrt(LEVEL_LIMIT * (1 - LEVEL_LIMIT) / found.n)
    n_intervals = max(found.n - found.refused, 1)
    cover_limit = COVERAGE_LIMIT - 2 * math.sqrt(COVERAGE_LIMIT * (1 - COVERAGE_LIMIT) / n_intervals)
    broken = [f"coverage {found.coverage:.3f}"] if found.coverage < cover_limit else []
    shares = {"wrong verdicts": found.wrong, "guardrail": found.not_worse}
    if truth(world) == 0:
        shares["level"] = found.rejected
    return broken + [f"{name} {n / found.n:.3f}" for name, n in shares.items() if n / found.n > level_limit]


def distance(row: Row) -> float:
    """How far the world is from a limit; negative beyond it."""
    found = row.found
    if found.refused == found.n:
        return 1.0
    levels = [found.wrong, found.not_worse, found.rejected if truth(row.world) == 0 else 0]
    return min(found.coverage - COVERAGE_LIMIT, LEVEL_LIMIT - max(levels) / found.n)


class Ledger:
    """What was counted so far, by world, replicates and seed; on disk where there is a file."""

    def __init__(self, path: Path | None, *, ends_s: float | None) -> None:
        self._path, self._ends_s = path, ends_s
        self._kept: dict[str, Counts] = {}
        if path is not None and path.exists():
            lines = (json.loads(line) for line in path.read_text("utf-8").splitlines())
            self._kept = {line["key"]: Counts(*line["counts"]) for line in lines}

    def counted(self, world: World, *, n_replicates: int, seed: Sequence[int]) -> Counts:
        """Return the counts of a world from the file, or simulate it."""
        key = f"{world} {n_replicates} {list(seed)}"
        if key in self._kept:
            return self._kept[key]
        if self._ends_s is not None and time.monotonic() > self._ends_s:
            raise Stopped
        found = simulate(world, n_replicates=n_replicates, rng=np.random.default_rng(list(seed)))
        self._kept[key] = found
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "counts": found}) + "\n")
        print(world.name, world.n_cases, world.discordance, found, file=sys.stderr, flush=True)
        return found


def run(ledger: Ledger, *, replicates: int, seed: int) -> list[Row]:
    """Simulate every world, then those nearest to a limit once more; the second draw stands.

    What is drawn again is decided by the first draw and its number is fixed, so that the second
    is not the pick of many.
    """
    rows = [
        Row(world, ledger.counted(world, n_replicates=_n(world, replicates), seed=(seed, number)), False)
        for number, world in enumerate(worlds())
    ]
    for number in sorted(range(len(rows)), key=lambda i: distance(rows[i]))[:N_AGAIN]:
        world = rows[number].world
        n = TIMES_AGAIN * _n(world, replicates)
        rows[number] = Row(world, ledger.counted(world, n_replicates=n, seed=(seed + 1, number)), True)
    return rows


def _n(world: World, replicates: int) -> int:
    return replicates // 2 if world.n_cases > _LARGE or world.weighted else replicates


def main() -> int:
    """Do it and print what came of it."""
    from validity_page import document

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--counts", type=Path, help="keep what was counted here, and go on from it")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--write", action="store_true", help="write docs/validity.md")
    arguments = parser.parse_args()
    ends_s = time.monotonic() + 60 * arguments.minutes if arguments.minutes else None
    try:
        rows = run(
            Ledger(arguments.counts, ends_s=ends_s), replicates=arguments.replicates, seed=arguments.seed
        )
    except Stopped:
        print("stopped by the clock; run it again to go on", file=sys.stderr)
        return 2
    text = document(rows, replicates=arguments.replicates, seed=arguments.seed)
    print(text)
    if arguments.write:
        (Path(__file__).parents[1] / "docs" / "validity.md").write_text(text, encoding="utf-8")
    return 1 if any(map(problems, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
