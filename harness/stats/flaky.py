"""How much of a difference comes from cases that do not repeat themselves.

A case is flaky when an arm's own repeats disagree on it. Picked and measured on the same
repeats, such cases flatter themselves: the ones that happened to swing are the ones that
are picked. So the split is also cross-fitted: flag on one half of the repeats, measure on
the other, swap, average.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import PairedMean, paired_mean
from harness.stats.samples import BoolArray, FloatArray, IntArray, cluster_codes, counts, same_length

SUPPORT = (-1.0, 1.0)
FEWEST_REPEATS = 4


class Stratum(NamedTuple):
    """A part of the cases and its part of the difference.

    Attributes:
        n_cases: Cases in it; cross-fitted, the mean over the two directions.
        difference: Mean pass-rate difference of its cases, in [-1, 1].
        interval: Of that difference, at the level asked for.
        contribution: Its part of the headline: the contributions add up to it.
    """

    n_cases: float
    difference: float | NotEstimable
    interval: Interval | NotEstimable
    contribution: float


class ThreeNumbers(NamedTuple):
    """Headline, flaky and stable difference.

    Attributes:
        headline: Over all cases.
        flaky: Over flagged cases.
        stable: Over the others.
        variance_share: Share of the sum of squared deviations that flagged cases carry.
        reflagged_share: Of the cases that either half flags, those that both do (Jaccard).
            Not estimable where nothing was flagged twice independently.
        n_left_out: Cases without a repeat in one of the halves.
    """

    headline: PairedMean | NotEstimable
    flaky: Stratum
    stable: Stratum
    variance_share: float | NotEstimable
    reflagged_share: float | NotEstimable
    n_left_out: int


class HardFlips(NamedTuple):
    """Cases on which one arm always passes and the other always fails.

    Attributes:
        lost: Positions of the cases that only the baseline passes, always. Ascending.
        gained: Positions of those that only the candidate passes, always.
    """

    lost: IntArray
    gained: IntArray


def is_flaky(*, passes: IntArray, n_repeats: IntArray) -> BoolArray:
    """Flag tallies whose repeats disagree: min(x, K - x) >= 2, or >= 1 below four repeats.

    Args:
        passes: Passes of each case, x. Shape (n_cases,).
        n_repeats: Repeats of each case, K. Shape (n_cases,).
    """
    needed = np.where(n_repeats >= FEWEST_REPEATS, 2, 1)
    return np.asarray(np.minimum(passes, n_repeats - passes) >= needed, dtype=np.bool_)


def three_numbers(
    *,
    baseline_passes: ArrayLike,
    candidate_passes: ArrayLike,
    n_repeats: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> ThreeNumbers:
    """Split the difference by the flag, picked and measured on the same repeats.

    The strata are biased by that choice; quote them beside the cross-fitted ones.

    Args:
        baseline_passes: Passes of the baseline on each case. Shape (n_cases,).
        candidate_passes: Passes of the candidate. Shape (n_cases,).
        n_repeats: Repeats of each arm on a case, at least 1. Shape (n_cases,) or ().
        clusters: Name of each case's cluster. Shape (n_cases,). None: all independent.
        confidence_level: In (0, 1).

    Raises:
        ValueError: No counts, unequal shapes, no repeats, or more passes than repeats.
    """
    x, y, k = _tallies(baseline_passes, candidate_passes, n_repeats)
    codes = cluster_codes(clusters, n_cases=x.size)
    flagged = is_flaky(passes=x, n_repeats=k) | is_flaky(passes=y, n_repeats=k)
    differences = (y - x) / k
    headline = paired_mean(
        differences=differences, clusters=codes, confidence_level=confidence_level, support=SUPPORT
    )
    return ThreeNumbers(
        headline=headline,
        flaky=_stratum(differences, flagged, codes, confidence_level),
        stable=_stratum(differences, ~flagged, codes, confidence_level),
        variance_share=_variance_share(differences, flagged),
        reflagged_share=NotEstimable("all repeats were used once to flag"),
        n_left_out=0,
    )


def three_numbers_cross_fitted(
    *,
    baseline: ArrayLike,
    candidate: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> ThreeNumbers | NotEstimable:
    """Split the difference by the flag of one half of the repeats, measured on the other.

    Even and odd repeats are the halves, so what drifts in time reaches both. Each half flags
    when its own repeats disagree. The two directions are averaged by the number of repeats
    that measured, so with complete repeats the contributions add up to the headline.

    Args:
        baseline: 1 pass, 0 fail, -1 no verdict. Shape (n_cases, n_repeats).
        candidate: The same for the candidate. Shape (n_cases, n_repeats).
        clusters: Name of each case's cluster. Shape (n_cases,). None: all independent.
        confidence_level: In (0, 1).

    Returns:
        The numbers; not estimable below four repeats, or when no case has repeats in both
        halves of both arms.

    Raises:
        ValueError: Unequal shapes, or other values.

    References:
        Sample splitting against selection: Cox (1975), Biometrika 62(2), 441-444.
    """
    arms = [_votes(baseline, "baseline"), _votes(candidate, "candidate")]
    if arms[0].shape != arms[1].shape:
        raise ValueError(f"arms must be paired: shapes {arms[0].shape} and {arms[1].shape}")
    n_cases, n_repeats = arms[0].shape
    if n_repeats < FEWEST_REPEATS:
        return NotEstimable(f"{n_repeats} repeats: a half needs two of its own to flag, four in all")
    codes = cluster_codes(clusters, n_cases=n_cases)
    halves = [[_half(votes[:, start::2]) for votes in arms] for start in (0, 1)]
    used = np.all([n > 0 for half in halves for _, n in half], axis=0)
    if not np.any(used):
        return NotEstimable("no case has repeats in both halves of both arms")
    shares = [(n_repeats + 1) // 2 / n_repeats, n_repeats // 2 / n_repeats]
    flags = [_flag([(x[used], n[used]) for x, n in half]) for half in halves]
    measured = [_difference([(x[used], n[used]) for x, n in half]) for half in halves]
    groups = None if codes is None else np.unique(codes[used], return_inverse=True)[1]
    both = shares[0] * measured[0] + shares[1] * measured[1]
    weights = shares[0] * flags[1] + shares[1] * flags[0]
    products = shares[0] * measured[0] * flags[1] + shares[1] * measured[1] * flags[0]
    return ThreeNumbers(
        headline=paired_mean(
            differences=both, clusters=groups, confidence_level=confidence_level, support=SUPPORT
        ),
        flaky=_ratio_stratum(products, weights, groups, confidence_level),
        stable=_ratio_stratum(both - products, 1 - weights, groups, confidence_level),
        variance_share=_variance_share(both, weights),
        reflagged_share=_jaccard(flags[0], flags[1]),
        n_left_out=n_cases - int(used.sum()),
    )


def hard_flips(*, baseline_passes: ArrayLike, candidate_passes: ArrayLike, n_repeats: ArrayLike) -> HardFlips:
    """Find the cases that went from always passing to always failing, or back.

    Args:
        baseline_passes: Passes of the baseline on each case. Shape (n_cases,).
        candidate_passes: Passes of the candidate. Shape (n_cases,).
        n_repeats: Repeats of each arm on a case, at least 1. Shape (n_cases,) or ().

    Raises:
        ValueError: No counts, unequal shapes, no repeats, or more passes than repeats.
    """
    x, y, k = _tallies(baseline_passes, candidate_passes, n_repeats)
    return HardFlips(
        lost=np.flatnonzero((x == k) & (y == 0)).astype(np.int64),
        gained=np.flatnonzero((x == 0) & (y == k)).astype(np.int64),
    )


def _tallies(
    baseline: ArrayLike, candidate: ArrayLike, n_repeats: ArrayLike
) -> tuple[IntArray, IntArray, IntArray]:
    x, y = counts(baseline, name="baseline_passes"), counts(candidate, name="candidate_passes")
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"tallies must have one dimension, found shapes {x.shape} and {y.shape}")
    same_length(baseline_passes=x, candidate_passes=y)
    k = np.broadcast_to(counts(n_repeats, name="n_repeats"), x.shape)
    if k.min() < 1:
        raise ValueError("n_repeats must be 1 or more: a case without repeats has no tally")
    if np.any(x > k) or np.any(y > k):
        raise ValueError("passes must not exceed n_repeats")
    return x, y, k


def _votes(values: ArrayLike, name: str) -> NDArray[np.int8]:
    votes = np.asarray(values)
    if votes.ndim != 2 or votes.size == 0 or votes.dtype.kind not in "iub":
        raise ValueError(f"{name} must hold whole numbers of shape (n_cases, n_repeats), found {votes.shape}")
    if votes.min() < -1 or votes.max() > 1:
        raise ValueError(f"{name} must hold 1 for pass, 0 for fail and -1 for no verdict")
    return votes.astype(np.int8)


def _half(votes: NDArray[np.int8]) -> tuple[IntArray, IntArray]:
    """Passes and verdicts of each case in one half."""
    return np.sum(votes == 1, axis=1), np.sum(votes >= 0, axis=1)


def _flag(half: list[tuple[IntArray, IntArray]]) -> BoolArray:
    flags = [is_flaky(passes=x, n_repeats=n) for x, n in half]
    return np.asarray(np.any(flags, axis=0), dtype=np.bool_)


def _difference(half: list[tuple[IntArray, IntArray]]) -> FloatArray:
    (x, n_baseline), (y, n_candidate) = half
    return np.asarray(y / n_candidate - x / n_baseline, dtype=np.float64)


def _stratum(differences: FloatArray, members: BoolArray, codes: IntArray | None, level: float) -> Stratum:
    """Mean of the cases that are in, as if there were no others."""
    chosen = differences[members]
    if chosen.size == 0:
        empty = NotEstimable("no case is in this stratum")
        return Stratum(0.0, empty, empty, 0.0)
    total = math.fsum(chosen)
    mean = paired_mean(
        differences=chosen,
        clusters=None if codes is None else codes[members],
        confidence_level=level,
        support=SUPPORT,
    )
    interval = mean if isinstance(mean, NotEstimable) else mean.interval
    return Stratum(float(chosen.size), total / chosen.size, interval, total / differences.size)


def _ratio_stratum(
    products: FloatArray, weights: FloatArray, codes: IntArray | None, level: float
) -> Stratum:
    """Mean of a stratum as a ratio of means over all cases, its error by linearisation."""
    contribution = math.fsum(products) / products.size
    share = math.fsum(weights) / weights.size
    if share == 0:
        empty = NotEstimable("no case is in this stratum")
        return Stratum(0.0, empty, empty, contribution)
    ratio = contribution / share
    inside = weights > 0
    mean_weight = math.fsum(weights[inside]) / int(inside.sum())
    linear = ratio + (products[inside] - ratio * weights[inside]) / mean_weight
    groups = None if codes is None else codes[inside]
    mean = paired_mean(differences=linear, clusters=groups, confidence_level=level, support=SUPPORT)
    interval = mean if isinstance(mean, NotEstimable) else mean.interval
    return Stratum(math.fsum(weights), ratio, interval, contribution)


def _variance_share(differences: FloatArray, weights: NDArray[np.generic]) -> float | NotEstimable:
    squares = (differences - differences.mean()) ** 2
    total = float(squares.sum())
    if total == 0:
        return NotEstimable("all differences are equal")
    return float((squares * weights.astype(np.float64)).sum()) / total


def _jaccard(first: BoolArray, second: BoolArray) -> float | NotEstimable:
    either = int(np.sum(first | second))
    if either == 0:
        return NotEstimable("no case was flagged")
    return int(np.sum(first & second)) / either
