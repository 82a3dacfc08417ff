"""The declared estimand on one table: difference, interval and p-value, as measured or at its bounds."""

import math
from typing import Literal, NamedTuple

import numpy as np

from harness.analysis.anytime import Anytime, anytime_difference
from harness.analysis.gating import gating_mean
from harness.analysis.majority import paired_interval
from harness.analysis.mean import Measure, mean_differences
from harness.analysis.table import BoolArray, FloatArray, IntArray, Table
from harness.domain.specs import AnalysisSpec, Estimand
from harness.stats.cluster_sequences import Sides
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval

Fill = Literal["measured", "worst", "best"]


class Target(NamedTuple):
    """What is estimated: the estimand and, for the mean, of passes or of scores.

    ``anytime`` is null where the number of cases was fixed beforehand.
    """

    estimand: Estimand
    of: Measure
    anytime: Anytime | None = None


class Estimate(NamedTuple):
    """A paired difference. ``interval`` and ``pvalue`` are null where ``reason`` says why.

    ``caution`` says why the interval cannot rule a difference out.
    """

    n_cases: int
    difference: float | None
    interval: Interval | None
    pvalue: float | None
    reason: str | None
    caution: str | None = None


def target_of(spec: AnalysisSpec, anytime: Anytime | None = None) -> Target:
    """Return what the plan declares primary."""
    return Target(spec.estimand, spec.primary if spec.estimand == "mean" else "pass", anytime)


def estimate(table: Table, target: Target, *, confidence_level: float, fill: Fill = "measured") -> Estimate:
    """Estimate the difference, candidate minus baseline.

    Args:
        table: The cases.
        target: What to estimate.
        confidence_level: Of the interval.
        fill: ``measured`` leaves out what is missing; ``worst`` and ``best``
            set every missing verdict against or for the candidate.

    Raises:
        ValueError: ``worst`` or ``best`` of a score, whose reach is not known.
    """
    return _estimate(table, target, confidence_level, fill, sides="two-sided")


def one_sided_estimate(table: Table, target: Target, *, alpha: float, fill: Fill = "measured") -> Estimate:
    """Estimate with limits each of which fails with probability alpha: those of one-sided tests.

    At a fixed size they are the interval at 1 - 2 alpha.
    """
    return _estimate(table, target, 1 - 2 * alpha, fill, sides="each")


def _estimate(table: Table, target: Target, confidence_level: float, fill: Fill, *, sides: Sides) -> Estimate:
    keep, differences = paired_differences(table, target, fill)
    if differences.size == 0:
        what = "has a score" if target.of == "score" else "is graded"
        return Estimate(0, None, None, None, f"no case {what} in both arms")
    clusters = table.clusters_of(keep)
    if target.anytime is not None:
        found = anytime_difference(
            differences, clusters, target.anytime, confidence_level=confidence_level, sides=sides
        )
        difference = math.fsum(differences) / differences.size
        return Estimate(differences.size, difference, found.interval, found.evidence.pvalue, None)
    if target.estimand == "majority":
        return _of_majority(differences.astype(np.int64), clusters, confidence_level)
    return _of_mean(differences, clusters, confidence_level, bounded=target.of == "pass")


def _of_majority(differences: IntArray, clusters: IntArray | None, level: float) -> Estimate:
    found = paired_interval(differences, clusters, confidence_level=level)
    return Estimate(
        n_cases=differences.size,
        difference=int(differences.sum()) / differences.size,
        interval=None if isinstance(found.interval, NotEstimable) else found.interval,
        pvalue=found.pvalue,
        reason=found.interval.reason if isinstance(found.interval, NotEstimable) else None,
        caution=found.caution,
    )


def _of_mean(differences: FloatArray, clusters: IntArray | None, level: float, *, bounded: bool) -> Estimate:
    found = gating_mean(differences, clusters, confidence_level=level, bounded=bounded)
    difference = math.fsum(differences) / differences.size
    if isinstance(found, NotEstimable):
        return Estimate(differences.size, difference, None, None, found.reason)
    return Estimate(differences.size, difference, found.interval, found.pvalue, None, found.caution)


def measured_differences(table: Table, target: Target) -> tuple[BoolArray, FloatArray]:
    """Return which cases have a difference, shape (n_cases,), and theirs, shape (n_known,)."""
    if target.estimand == "majority":
        was, now = table.baseline.majority, table.candidate.majority
        known = (was >= 0) & (now >= 0)
        return known, (now - was)[known].astype(np.float64)
    found = mean_differences(table, of=target.of)
    return found.known, found.differences


def paired_differences(table: Table, target: Target, fill: Fill) -> tuple[BoolArray, FloatArray]:
    """Return the same with what is missing left out, or set against or for the candidate.

    Raises:
        ValueError: ``worst`` or ``best`` of a score, whose reach is not known.
    """
    if fill == "measured":
        return measured_differences(table, target)
    if target.of == "score":
        raise ValueError("what a missing score could have been is not known")
    everyone = np.ones(table.n_cases, dtype=bool)
    if target.estimand == "majority":
        return everyone, _filled_majority(table, fill)
    return everyone, _filled_mean(table, fill)


def _filled_majority(table: Table, fill: Fill) -> FloatArray:
    was, now = table.baseline.majority, table.candidate.majority
    against = 1 if fill == "worst" else 0
    filled_was = np.where(was < 0, against, was)
    filled_now = np.where(now < 0, 1 - against, now)
    return (filled_now - filled_was).astype(np.float64)


def _filled_mean(table: Table, fill: Fill) -> FloatArray:
    baseline, candidate = table.baseline, table.candidate
    baseline_missing = baseline.asked - baseline.graded if fill == "worst" else 0
    candidate_missing = candidate.asked - candidate.graded if fill == "best" else 0
    asked_b, asked_c = np.maximum(baseline.asked, 1), np.maximum(candidate.asked, 1)
    return (candidate.passed + candidate_missing) / asked_c - (baseline.passed + baseline_missing) / asked_b


def anything_missing(table: Table, target: Target) -> bool:
    """Whether any case has less than its full measure in either arm."""
    if target.estimand == "majority":
        return bool(np.any(table.baseline.majority < 0) or np.any(table.candidate.majority < 0))
    return bool(
        np.any(table.baseline.graded < table.baseline.asked)
        or np.any(table.candidate.graded < table.candidate.asked)
    )
