"""How long the statistics take, beside plain numpy for the same numbers, in sorts of the same array.

    python bench/paired_statistics.py [--cases 1000000] [--seed 1]

CPU times of one process, best of three; one sort of the array is the unit. Beside each
statistic that has one stands the plain way: the fewest numpy calls to the same result
for scores that are fifths, without its checks, its search for the grid, its test of the
result (`plain_statistics`). Memory is what a statistic holds at once beyond the data.
"""

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from plain_statistics import (
    REPEATS,
    plain_bootstrap,
    plain_cluster_bootstrap,
    plain_resamples,
    plain_sign_flip,
)

from harness.analysis import analyse
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult, graded
from harness.stats.bootstrap import percentile_bootstrap, percentile_bootstrap_resampled
from harness.stats.mcnemar import mcnemar_exact, mcnemar_midp
from harness.stats.means import paired_mean
from harness.stats.paired_difference import tango_interval
from harness.stats.permutation import sign_flip

Action = Callable[[], object]


class Timed(NamedTuple):
    """A statistic, and the plain way to the same numbers where there is one."""

    ours: Action
    plain: Action | None = None


def best_s(action: Callable[[], object], *, of: int = 3) -> float:
    """Return the least CPU time of several tries."""
    found = []
    for _ in range(of):
        began_s = time.process_time()
        action()
        found.append(time.process_time() - began_s)
    return min(found)


def differences(n_cases: int, rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Draw differences of two means of five passes."""
    easiness = rng.random(n_cases)
    passes = [rng.binomial(REPEATS, np.minimum(easiness + shift, 1)) for shift in (0.0, 0.03)]
    return (passes[1] - passes[0]) / REPEATS


def results(n_cases: int, rng: np.random.Generator) -> list[CaseResult]:
    """Draw cases as the analysis takes them, with seven tags."""
    easiness = rng.random(n_cases)
    grades = (graded("fail"), graded("pass"))
    arms = [
        (rng.random((n_cases, REPEATS)) < (easiness + shift)[:, None]).astype(int).tolist()
        for shift in (0.0, 0.03)
    ]
    return [
        CaseResult(
            case=f"c{row}",
            cluster=f"c{row}",
            tags=(f"t{row % 7}",),
            weight=1.0,
            split="exploratory",
            baseline=tuple(grades[passed] for passed in arms[0][row]),
            candidate=tuple(grades[passed] for passed in arms[1][row]),
        )
        for row in range(n_cases)
    ]


def main() -> int:
    """Do it and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for n_cases in (10_000, arguments.cases):
        _ratios(n_cases, np.random.default_rng(arguments.seed))
    for n_cases in (10_000, 100_000):
        rows = results(n_cases, np.random.default_rng(arguments.seed))
        spec = AnalysisSpec(margin=0.03, seed=1)
        seconds = best_s(partial(analyse, rows, spec), of=2)
        print(f"analyse  {n_cases:>9,} cases, K = {REPEATS}  {seconds:7.3f} s")
    return 0


def _ratios(n_cases: int, rng: np.random.Generator) -> None:
    values = differences(n_cases, rng)
    sort_s = best_s(lambda: np.sort(values), of=9)
    print(f"{n_cases:,} cases, K = {REPEATS}; one numpy.sort {1000 * sort_s:.2f} ms")
    print(f"  {'':<32}{'ms':>9}{'sorts':>8}{'plain':>8}{'of plain':>10}{'MB':>7}")
    total_s = 0.0
    for name, timed in _timed(values).items():
        seconds = best_s(timed.ours)
        total_s += seconds
        plain_s = best_s(timed.plain) if timed.plain else None
        beside = f"{plain_s / sort_s:8.1f}{seconds / plain_s:10.2f}" if plain_s else " " * 18
        print(
            f"  {name:<32}{1000 * seconds:9.2f}{seconds / sort_s:8.1f}{beside}{_megabytes(timed.ours):7.1f}"
        )
    print(f"  {'all of them':<32}{1000 * total_s:9.2f}")


def _timed(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[str, Timed]:
    n_cases = values.size
    rng = np.random.default_rng(1)
    even, uneven = np.arange(n_cases) // 100, rng.integers(n_cases // 100, size=n_cases)
    gain, loss = int(np.sum(values > 0)), int(np.sum(values < 0))
    rng = np.random.default_rng(1)
    level = {"confidence_level": 0.95}
    return {
        "exact and mid-p McNemar": Timed(
            lambda: (mcnemar_exact(gain=gain, loss=loss), mcnemar_midp(gain=gain, loss=loss))
        ),
        "Tango's interval": Timed(lambda: tango_interval(gain=gain, loss=loss, n_cases=n_cases, **level)),
        "mean, t interval": Timed(lambda: paired_mean(differences=values, **level)),
        "mean, CR2, even clusters": Timed(lambda: paired_mean(differences=values, clusters=even, **level)),
        "mean, CR2, uneven clusters": Timed(
            lambda: paired_mean(differences=values, clusters=uneven, **level)
        ),
        "exact sign flips": Timed(
            lambda: sign_flip(differences=values, n_resamples=9_999, rng=rng),
            lambda: plain_sign_flip(values),
        ),
        "exact bootstrap": Timed(
            lambda: percentile_bootstrap(differences=values, **level), lambda: plain_bootstrap(values)
        ),
        "10,000 resamples": Timed(
            lambda: percentile_bootstrap_resampled(differences=values, n_resamples=10_000, rng=rng, **level),
            lambda: plain_resamples(values, rng),
        ),
        "exact bootstrap, even clusters": Timed(
            lambda: percentile_bootstrap(differences=values, clusters=even, **level),
            lambda: plain_cluster_bootstrap(values, even, rng),
        ),
        "bootstrap, uneven clusters": Timed(
            lambda: percentile_bootstrap(differences=values, clusters=uneven, **level),
            lambda: plain_cluster_bootstrap(values, uneven, rng),
        ),
    }


def _megabytes(action: Action) -> float:
    """Return the most that is held at once, beyond what was there."""
    tracemalloc.start()
    action()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    sys.exit(main())
