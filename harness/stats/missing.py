"""What missing scores could do to a difference, and whether one arm loses more of them.

A case where an arm has no score is not dropped in silence: the difference is computed on
complete cases, and again with every missing score set as badly and as well as can be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.tango_binomial import tango_binomial_interval

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


class MissingBounds(NamedTuple):
    """A paired difference with and without the cases that lack a score.

    Attributes:
        n_cases: All cases.
        n_complete: Cases with a score in both arms.
        n_baseline_missing: Cases without a baseline score, those without any included.
        n_candidate_missing: Cases without a candidate score, those without any included.
        complete_case: Mean difference over complete cases, or why there is none.
        worst: Mean difference over all cases if every missing score spoke against the
            candidate.
        best: The same if every one spoke for it.
    """

    n_cases: int
    n_complete: int
    n_baseline_missing: int
    n_candidate_missing: int
    complete_case: float | NotEstimable
    worst: float
    best: float


class DifferentialMissingness(NamedTuple):
    """Whether one arm lacks scores more often than the other.

    Attributes:
        candidate_only: Cases where only the candidate has no score.
        baseline_only: Cases where only the baseline has none.
        difference: Missing rate of the candidate minus that of the baseline.
        interval: Tango limits of that difference, exact where a cell is empty; for independent cases.
        pvalue: Two-sided exact McNemar.
    """

    candidate_only: int
    baseline_only: int
    difference: float
    interval: Interval
    pvalue: float


def missing_bounds(
    *,
    baseline: ArrayLike,
    candidate: ArrayLike,
    baseline_observed: ArrayLike,
    candidate_observed: ArrayLike,
) -> MissingBounds:
    """Return the difference on complete cases, and the worst and best it could be on all.

    Args:
        baseline: Baseline scores in [0, 1]; ignored where not observed. Shape (n_cases,).
        candidate: Candidate scores in [0, 1], in the same order. Shape (n_cases,).
        baseline_observed: Whether the baseline score exists. Booleans, shape (n_cases,).
        candidate_observed: Whether the candidate score exists. Booleans, shape (n_cases,).

    Raises:
        ValueError: Shapes that differ, no case, masks that are not boolean, or an
            observed score that is NaN or outside [0, 1].

    References:
        Manski (1990), American Economic Review 80(2), 319-323.
    """
    has_b, has_c = _masks(baseline_observed, candidate_observed)
    old = _observed_scores("baseline", baseline, has_b)
    new = _observed_scores("candidate", candidate, has_c)
    complete = has_b & has_c
    n_complete = int(complete.sum())
    difference: float | NotEstimable = NotEstimable("no case has a score in both arms")
    if n_complete:
        difference = float(np.mean(new[complete] - old[complete]))
    return MissingBounds(
        n_cases=has_b.size,
        n_complete=n_complete,
        n_baseline_missing=int(np.sum(~has_b)),
        n_candidate_missing=int(np.sum(~has_c)),
        complete_case=difference,
        worst=float(np.mean(np.where(has_c, new, 0.0) - np.where(has_b, old, 1.0))),
        best=float(np.mean(np.where(has_c, new, 1.0) - np.where(has_b, old, 0.0))),
    )


def differential_missingness(
    *, baseline_observed: ArrayLike, candidate_observed: ArrayLike, confidence_level: float
) -> DifferentialMissingness:
    """Compare how often the two arms lack a score on the same cases.

    Args:
        baseline_observed: Whether the baseline score exists. Booleans, shape (n_cases,).
        candidate_observed: Whether the candidate score exists. Booleans, shape (n_cases,).
        confidence_level: In (0, 1).

    Raises:
        ValueError: Shapes that differ, no case, masks that are not boolean, or the level
            out of range.
    """
    has_b, has_c = _masks(baseline_observed, candidate_observed)
    candidate_only, baseline_only = int(np.sum(has_b & ~has_c)), int(np.sum(has_c & ~has_b))
    limits = tango_binomial_interval(
        gain=candidate_only, loss=baseline_only, n_cases=has_b.size, confidence_level=confidence_level
    )
    return DifferentialMissingness(
        candidate_only=candidate_only,
        baseline_only=baseline_only,
        difference=(candidate_only - baseline_only) / has_b.size,
        interval=limits,
        pvalue=mcnemar_exact(gain=candidate_only, loss=baseline_only).pvalue,
    )


def _masks(baseline_observed: ArrayLike, candidate_observed: ArrayLike) -> tuple[BoolArray, BoolArray]:
    has_b, has_c = np.asarray(baseline_observed), np.asarray(candidate_observed)
    if has_b.dtype.kind != "b" or has_c.dtype.kind != "b":
        raise ValueError(f"masks must hold booleans, found dtypes {has_b.dtype} and {has_c.dtype}")
    if has_b.ndim != 1 or has_b.shape != has_c.shape or has_b.size == 0:
        raise ValueError(f"masks must cover the same cases, found shapes {has_b.shape} and {has_c.shape}")
    return has_b, has_c


def _observed_scores(name: str, scores: ArrayLike, observed: BoolArray) -> FloatArray:
    array = np.asarray(scores, dtype=np.float64)
    if array.shape != observed.shape:
        raise ValueError(f"{name} must have one score a case: shape {observed.shape}, found {array.shape}")
    # NaN fails the comparison too.
    if not np.all((array[observed] >= 0.0) & (array[observed] <= 1.0)):
        raise ValueError(f"{name} must lie in [0, 1] wherever it is observed")
    return np.where(observed, array, 0.0)
