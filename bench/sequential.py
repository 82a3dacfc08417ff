"""Early stopping by simulation with known truth: false stops, coverage, and what it saves.

    python bench/sequential.py [--replicates 1000] [--seed 20261130] [--write]

Every replicate draws case results in the order they would be asked in, asks
`harness.analysis.is_enough` after every batch as a run does, and reads the verdict at the stop from
the analysis. Prints the page; with --write, docs/sequential.md is written again. Exits with 1 if arms
that do not differ are told apart in more than 5% of runs, or the interval at the stop holds the truth
in less than 95%, by more than two standard errors anywhere.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sequential_page import Replicates, page

from harness.analysis import Anytime, is_enough
from harness.analysis.section import deciding
from harness.domain.estimate_blocks import PrimaryBlock
from harness.domain.specs import AnalysisSpec, Estimand
from harness.domain.verdicts import CaseResult, Graded, graded
from harness.stats.estimability import NotEstimable
from harness.stats.power import sample_size

ALPHA, MARGIN, POWER = 0.05, 0.05, 0.8
N_PEEKED = 200
PAGE = Path(__file__).parents[1] / "docs" / "sequential.md"
_GRADES = (graded("fail"), graded("pass"), graded(None, "unreadable"))


class World(NamedTuple):
    """One row of a table.

    Attributes:
        name: What is particular about it.
        n_max: Cases that may be asked.
        batch: Cases between two weighings of the evidence.
        discordance: Share of the cases on which the arms truly differ.
        difference: True difference in majority verdicts of one answer.
        estimand: Declared primary.
        repeats: Answers of each arm to a case.
        clusters: Sizes of the clusters, whose cases are all alike; none where each case stands alone.
        missing: How often an answer has no verdict.
        n_fixed: Cases of the fixed design that it is held against.
    """

    name: str
    n_max: int
    batch: int
    discordance: float
    difference: float = 0.0
    estimand: Estimand = "majority"
    repeats: int = 1
    clusters: tuple[int, ...] = ()
    missing: float = 0.0
    n_fixed: int = 0


class Run(NamedTuple):
    """One replicate: where it ended, by what, and what its report says there."""

    n_asked: int
    by_evidence: bool
    primary: PrimaryBlock


class Found(NamedTuple):
    """What the replicates of a world came to.

    Attributes:
        n_replicates: Replicates.
        stopped: Share that the evidence ended.
        covered: Share whose interval at the stop holds the truth.
        wrong: Share whose verdict the truth contradicts.
        peeked: Share, of the first `N_PEEKED`, in which reading the fixed design at every batch rejects.
        n_asked: Cases asked, on average.
        excess: Difference at the stop beyond the true one, on average.
        fixed: Share in which the fixed design beside it finds a difference.
    """

    n_replicates: int
    stopped: float
    covered: float
    wrong: float
    peeked: float
    n_asked: float
    excess: float
    fixed: float


class Row(NamedTuple):
    """A world with what came of it."""

    world: World
    found: Found


_UNEQUAL = tuple(1 + (g * g) % 9 for g in range(100))


def level_worlds() -> Iterator[World]:
    """Yield worlds in which the arms do not differ."""
    yield World("every case weighed", 100, 1, 0.2)
    for discordance in (0.05, 0.2, 0.4):
        yield World("independent cases", 200, 10, discordance)
        yield World("independent cases", 500, 25, discordance)
    yield World("independent cases", 2000, 100, 0.1)
    yield World("mean of repeats", 200, 10, 0.1, estimand="mean", repeats=5)
    yield World("mean of repeats", 500, 25, 0.4, estimand="mean", repeats=3)
    yield World("clusters of 5, all alike", 300, 25, 0.3, clusters=(5,) * 60)
    yield World("unequal clusters, all alike", sum(_UNEQUAL), 25, 0.3, clusters=_UNEQUAL)
    yield World(
        "unequal clusters, mean", sum(_UNEQUAL), 25, 0.3, estimand="mean", repeats=3, clusters=_UNEQUAL
    )
    yield World("5% missing", 300, 25, 0.2, missing=0.05)


def effect_worlds() -> Iterator[World]:
    """Yield worlds with an effect, at one to two times the size that a fixed design would need for it."""
    for discordance, planned, factor, times in (
        (0.1, 0.05, 1, 1.0),
        (0.1, 0.05, 1, 1.5),
        (0.1, 0.05, 1, 2.0),
        (0.2, 0.05, 1, 1.0),
        (0.2, 0.05, 1, 1.5),
        (0.2, 0.05, 1, 2.0),
        (0.2, 0.05, 2, 1.0),
        (0.3, 0.1, 1, 1.0),
        (0.3, 0.1, 1, 1.5),
        (0.3, 0.1, 2, 1.0),
    ):
        n_fixed = fixed_size(discordance, planned)
        n_max = math.ceil(times * n_fixed)
        name = f"{100 * planned:g} points"
        yield World(name, n_max, max(10, n_max // 20), discordance, factor * planned, n_fixed=n_fixed)


def fixed_size(discordance: float, difference: float) -> int:
    """Return the cases that the exact power of the mid-p test asks for."""
    gain, loss = (discordance + difference) / 2, (discordance - difference) / 2
    found = sample_size(gain_rate=gain, loss_rate=loss, alpha=ALPHA, power=POWER, test="midp")
    if isinstance(found, NotEstimable):
        raise SystemExit(found.reason)
    return found.n_cases


def truth(world: World) -> float:
    """Return the true difference of the estimand."""
    return world.difference if world.repeats == 1 else 0.7 * world.difference


def draw(world: World, rng: np.random.Generator) -> list[CaseResult]:
    """Draw the cases in a random order, clusters as wholes."""
    sizes = rng.permutation(world.clusters) if world.clusters else np.ones(world.n_max, dtype=np.int64)
    gain = (world.discordance + world.difference) / 2
    shares = [0.6 * (1 - world.discordance), 0.4 * (1 - world.discordance), gain, world.discordance - gain]
    low, high = (0.0, 1.0) if world.repeats == 1 else (0.2, 0.9)
    chances = np.array([[high, high], [low, low], [low, high], [high, low]])
    kinds = np.repeat(rng.choice(4, size=sizes.size, p=shares), sizes)
    shape = (kinds.size, 2, world.repeats)
    grades = (rng.random(shape) < chances[kinds][:, :, None]).astype(np.int64)
    grades[rng.random(shape) < world.missing] = 2
    names = np.repeat(np.arange(sizes.size), sizes)
    return [
        CaseResult(f"c{n}", f"g{name}", (), 1.0, "exploratory", *(_answers(tuple(arm)) for arm in case))
        for n, (name, case) in enumerate(zip(names.tolist(), grades.tolist(), strict=True))
    ]


@lru_cache(maxsize=4096)
def _answers(grades: tuple[int, ...]) -> tuple[Graded, ...]:
    return tuple(_GRADES[grade] for grade in grades)


def batch_ends(results: Sequence[CaseResult], batch: int) -> list[int]:
    """Return after how many cases the evidence is weighed: batches end with a cluster."""
    ends, begun = [], 0
    for end, (case, after) in enumerate(pairwise(results), start=1):
        if end - begun >= batch and case.cluster != after.cluster:
            ends.append(end)
            begun = end
    return [*ends, len(results)]


def simulate_run(world: World, rng: np.random.Generator) -> Run:
    """Run one experiment to its stop."""
    spec = AnalysisSpec(estimand=world.estimand, alpha=ALPHA, margin=MARGIN, seed=1)
    results = draw(world, rng)
    anytime, ends = Anytime(largest_cluster=max(world.clusters, default=1)), batch_ends(results, world.batch)
    by_evidence = False
    for end in ends:
        by_evidence = is_enough(results[:end], spec, anytime)
        if by_evidence:
            break
    primary, _ = deciding(results[:end], spec, anytime=anytime)
    return Run(end, by_evidence, primary)


def _peeks(world: World, rng: np.random.Generator) -> bool:
    """Return whether the fixed-size analysis would claim a difference after any batch."""
    spec = AnalysisSpec(estimand=world.estimand, alpha=ALPHA, margin=MARGIN, seed=1)
    results = draw(world, rng)
    return any(_rejects(results[:end], spec) for end in batch_ends(results, world.batch))


def _rejects(results: Sequence[CaseResult], spec: AnalysisSpec) -> bool:
    """Return whether the fixed-size analysis would claim a difference."""
    interval = deciding(results, spec)[0].interval
    return interval is not None and (interval.low > 0 or interval.high < 0)


def simulate(world: World, *, n_replicates: int, rng: np.random.Generator) -> Found:
    """Run one world, and beside it the fixed design that it is held against."""
    spec = AnalysisSpec(alpha=ALPHA, margin=MARGIN, seed=1)
    runs = [simulate_run(world, rng) for _ in range(n_replicates)]
    whole = (draw(world._replace(n_max=world.n_fixed), rng) for _ in runs if world.n_fixed)
    fixed = sum(_rejects(results, spec) for results in whole)
    peeked = 0 if world.difference else sum(_peeks(world, rng) for _ in range(N_PEEKED))
    n, true = n_replicates, truth(world)
    differences = [run.primary.difference or 0.0 for run in runs]
    return Found(
        n_replicates=n,
        stopped=sum(run.by_evidence for run in runs) / n,
        covered=sum(_covers(run.primary, true) for run in runs) / n,
        wrong=sum(_contradicts(run.primary.verdict, true) for run in runs) / n,
        peeked=peeked / N_PEEKED,
        n_asked=sum(run.n_asked for run in runs) / n,
        excess=math.fsum(differences) / n - true,
        fixed=fixed / n,
    )


def _covers(primary: PrimaryBlock, true: float) -> bool:
    interval = primary.interval
    return interval is not None and interval.low <= true <= interval.high


def _contradicts(verdict: str, true: float) -> bool:
    return {
        "improvement": true <= 0,
        "regression": true >= 0,
        "equivalent": abs(true) >= MARGIN,
        "non_inferior": true <= -MARGIN,
    }.get(verdict, False)


def problems(world: World, found: Found) -> list[str]:
    """Return what breaks a promise by more than two standard errors."""
    error = 2 * math.sqrt(ALPHA * (1 - ALPHA) / found.n_replicates)
    broken = [f"coverage {found.covered:.3f}"] if found.covered < 1 - ALPHA - error else []
    if not world.difference and found.stopped > ALPHA + error:
        broken.append(f"false stops {found.stopped:.3f}")
    return broken + ([f"wrong verdicts {found.wrong:.3f}"] if found.wrong > ALPHA + error else [])


def main() -> int:
    """Simulate, print or write the page; 1 where a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    grid = [*level_worlds(), *effect_worlds()]
    rows = []
    for number, world in enumerate(grid):
        rng = np.random.default_rng([options.seed, number])
        rows.append(Row(world, simulate(world, n_replicates=options.replicates, rng=rng)))
        print(*rows[-1], file=sys.stderr, flush=True)
    broken = [f"{world.name}: {problem}" for world, found in rows for problem in problems(world, found)]
    text = page(rows, broken, Replicates(options.replicates, N_PEEKED), seed=options.seed)
    if options.write:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    else:
        print(text)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
