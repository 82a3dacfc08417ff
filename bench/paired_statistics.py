"""How long the statistics take, as ratios to one sort of the same array, and whole sections in seconds.

    python bench/paired_statistics.py [--cases 1000000] [--seed 1]

CPU times of one process, best of three. Peak memory is that of the process.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from harness.analysis import analyse
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult, graded
from harness.stats.bootstrap import percentile_bootstrap
from harness.stats.mcnemar import mcnemar_exact, mcnemar_midp
from harness.stats.means import paired_mean
from harness.stats.paired_difference import tango_interval
from harness.stats.permutation import sign_flip

REPEATS = 5


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
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return 0


def _ratios(n_cases: int, rng: np.random.Generator) -> None:
    values = differences(n_cases, rng)
    clusters = np.arange(n_cases) // 10
    gain, loss = int(np.sum(values > 0)), int(np.sum(values < 0))
    sort_s = best_s(lambda: np.sort(values))
    flips = np.random.default_rng(1)
    timed: dict[str, Callable[[], object]] = {
        "exact and mid-p McNemar": lambda: (
            mcnemar_exact(gain=gain, loss=loss),
            mcnemar_midp(gain=gain, loss=loss),
        ),
        "Tango's interval": lambda: tango_interval(
            gain=gain, loss=loss, n_cases=n_cases, confidence_level=0.95
        ),
        "paired mean": lambda: paired_mean(differences=values, confidence_level=0.95),
        "paired mean, clusters": lambda: paired_mean(
            differences=values, clusters=clusters, confidence_level=0.95
        ),
        "sign flips": lambda: sign_flip(differences=values, n_resamples=9_999, rng=flips),
        "percentile bootstrap": lambda: percentile_bootstrap(differences=values, confidence_level=0.95),
    }
    print(f"{n_cases:,} cases, K = {REPEATS}; one numpy.sort {1000 * sort_s:.2f} ms")
    total_s = 0.0
    for name, action in timed.items():
        seconds = best_s(action)
        total_s += seconds
        print(f"  {name:<24} {1000 * seconds:8.2f} ms  {seconds / sort_s:6.1f} sorts")
    print(f"  {'all of them':<24} {1000 * total_s:8.2f} ms")


if __name__ == "__main__":
    sys.exit(main())
