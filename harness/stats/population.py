"""A difference carried over to another mix of cases, and what the mix decides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.requires import require_inside, require_number
from harness.stats.samples import FloatArray, IntArray, counts, same_length, scores


class PostStratified(NamedTuple):
    """A mean difference at target weights.

    Attributes:
        difference: Sum of weight times stratum mean.
        standard_error: Square root of the sum of squared weight times squared error.
        df: Satterthwaite degrees of freedom of that error.
        interval: t limits.
        effective_n: 1 / sum of weight^2 / n: the number of equally weighted cases that
            carry as much.
        unweighted: The mean over the cases as they come.
    """

    difference: float
    standard_error: float
    df: float
    interval: Interval
    effective_n: float
    unweighted: float


class MixSensitivity(NamedTuple):
    """Whether the mix of slices decides the sign of a difference.

    Attributes:
        difference: Weighted mean of the slices' differences.
        opposed: Numbers of the slices whose sign is the opposite one, in order.
        flips: Whether some mix of the opposed slices and the rest turns the sign.
        break_even_share: Share of the opposed slices, each part mixed within as it is
            now, at which the difference is 0; None when none is opposed.
        opposed_share: Their share now.
    """

    difference: float
    opposed: tuple[int, ...]
    flips: bool
    break_even_share: float | None
    opposed_share: float


class UnpairedReversal(NamedTuple):
    """Pooled rates against rates by stratum, for arms with different cases.

    Attributes:
        pooled: Candidate rate minus baseline rate over all cases.
        by_stratum: The same in each stratum.
        reversed: Whether every stratum has the sign opposite to the pooled one.
    """

    pooled: float
    by_stratum: tuple[float, ...]
    reversed: bool


class Averages(NamedTuple):
    """Two averages of slice means that answer different questions.

    Attributes:
        macro: Every slice counts the same.
        micro: Every case counts the same.
    """

    macro: float
    micro: float


def poststratify(
    *,
    means: ArrayLike,
    standard_errors: ArrayLike,
    dfs: ArrayLike,
    n_cases: ArrayLike,
    target_weights: ArrayLike,
    confidence_level: float,
) -> PostStratified | NotEstimable:
    """Return the mean difference of a population with known shares of strata.

    Strata must be independent: a cluster that straddles two of them makes the error too
    small. Strata with target weight 0 are left out, whatever they hold.

    Args:
        means: Mean difference of each stratum. Shape (n_strata,).
        standard_errors: Of those means, 0 or more, cluster-robust where there are
            clusters. Shape (n_strata,).
        dfs: Degrees of freedom of the errors, above 0: cases or clusters minus 1, or
            Satterthwaite's. Shape (n_strata,).
        n_cases: Cases of each stratum. Shape (n_strata,).
        target_weights: Share of each stratum in the population, 0 or more; scaled to sum
            to 1. Shape (n_strata,).
        confidence_level: In (0, 1).

    Returns:
        The estimate; not estimable when a stratum with weight has fewer than two cases,
        or when no stratum shows any spread: agreement alone is not precision.

    Raises:
        ValueError: Shapes that differ, NaN, negative weights or errors, or weights that
            sum to 0.

    References:
        Holt and Smith (1979), Journal of the Royal Statistical Society A 142(1), 33-46.
        Kish (1965), Survey Sampling, section 11.7 (effective n). Satterthwaite (1946),
        Biometrics Bulletin 2(6), 110-114.
    """
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    centre, errors = scores(means, name="means"), _nonnegative(standard_errors, "standard_errors")
    freedom, sizes = scores(dfs, name="dfs"), counts(n_cases, name="n_cases")
    weights = _shares(target_weights)
    same_length(means=centre, standard_errors=errors, dfs=freedom, n_cases=sizes, target_weights=weights)
    used = weights > 0.0
    thin = np.flatnonzero(used & ((sizes < 2) | (freedom <= 0.0)))
    if thin.size:
        found = f"stratum {int(thin[0])} has target weight {weights[thin[0]]:.3g} but n = {sizes[thin[0]]}"
        return NotEstimable(f"{found}: too few for an error")
    parts = (weights[used] * errors[used]) ** 2
    variance = float(parts.sum())
    if variance == 0.0:
        return NotEstimable("no stratum shows any spread: agreement alone is not precision")
    difference = float(weights[used] @ centre[used])
    df = variance**2 / float(np.sum(parts**2 / freedom[used]))
    reach = float(stdtrit(df, (1.0 + level) / 2.0)) * variance**0.5
    return PostStratified(
        difference=difference,
        standard_error=variance**0.5,
        df=df,
        interval=Interval(difference - reach, difference + reach, level, "poststratified_t"),
        effective_n=1.0 / float(np.sum(weights[used] ** 2 / sizes[used])),
        unweighted=_micro(centre, sizes),
    )


def break_even_share(*, first: float, second: float) -> float | NotEstimable:
    """Return the share of the first of two groups at which their mixed difference is 0.

    Args:
        first: Difference in the first group.
        second: Difference in the second.

    Returns:
        A share in [0, 1], or not estimable when both groups point the same way.

    Raises:
        ValueError: A difference is NaN or infinite.
    """
    first, second = require_number("first", first), require_number("second", second)
    if first * second > 0.0 or first == second:
        return NotEstimable("both groups point the same way: no mix turns the sign")
    return second / (second - first)


def mix_sensitivity(*, differences: ArrayLike, weights: ArrayLike) -> MixSensitivity:
    """Return which slices oppose the overall sign, and the mix at which it would turn.

    Args:
        differences: Mean difference of each slice of a partition. Shape (n_slices,).
        weights: Cases or target weight of each, 0 or more; scaled to sum to 1. Shape
            (n_slices,).

    Raises:
        ValueError: Shapes that differ, NaN, negative weights, or weights that sum to 0.
    """
    values, shares = scores(differences, name="differences"), _shares(weights)
    same_length(differences=values, weights=shares)
    overall = float(values @ shares)
    against = values * overall < 0.0
    share = float(shares[against].sum())
    if not against.any():
        return MixSensitivity(overall, (), flips=False, break_even_share=None, opposed_share=share)
    theirs = float(values[against].mean() if share == 0.0 else values[against] @ shares[against] / share)
    ours = (overall - share * theirs) / (1.0 - share)
    opposed = tuple(int(i) for i in np.flatnonzero(against))
    return MixSensitivity(overall, opposed, True, ours / (ours - theirs), share)


def unpaired_reversal(
    *,
    baseline_passes: ArrayLike,
    baseline_cases: ArrayLike,
    candidate_passes: ArrayLike,
    candidate_cases: ArrayLike,
) -> UnpairedReversal:
    """Return whether pooling strata turns the sign that every stratum has (Simpson).

    On the same cases both arms have the same mix and this cannot happen.

    Args:
        baseline_passes: Passes of the baseline in each stratum. Shape (n_strata,).
        baseline_cases: Its cases, at least 1 each. Shape (n_strata,).
        candidate_passes: Passes of the candidate. Shape (n_strata,).
        candidate_cases: Its cases, at least 1 each. Shape (n_strata,).

    Raises:
        ValueError: Shapes that differ, counts that are fractional or negative, an empty
            stratum, or passes above cases.

    References:
        Bickel, Hammel and O'Connell (1975), Science 187(4175), 398-404.
    """
    passes_b, cases_b = _passes_and_cases("baseline", baseline_passes, baseline_cases)
    passes_c, cases_c = _passes_and_cases("candidate", candidate_passes, candidate_cases)
    same_length(baseline=passes_b, candidate=passes_c)
    pooled = float(passes_c.sum() / cases_c.sum() - passes_b.sum() / cases_b.sum())
    by_stratum = passes_c / cases_c - passes_b / cases_b
    return UnpairedReversal(pooled, tuple(by_stratum.tolist()), bool(np.all(by_stratum * pooled < 0.0)))


def averages(*, means: ArrayLike, n_cases: ArrayLike) -> Averages:
    """Return the macro and the micro average of slice means.

    Args:
        means: Mean of each slice. Shape (n_slices,).
        n_cases: Cases of each slice, at least 1. Shape (n_slices,).

    Raises:
        ValueError: Shapes that differ, NaN, fractional or negative counts, or a slice
            without a case: it has no mean.
    """
    values, sizes = scores(means, name="means"), counts(n_cases, name="n_cases")
    same_length(means=values, n_cases=sizes)
    if sizes.min() < 1:
        raise ValueError(f"slice {int(np.argmin(sizes))} has no case, so it has no mean")
    return Averages(float(values.mean()), _micro(values, sizes))


def _micro(values: FloatArray, sizes: IntArray) -> float:
    return float(values @ sizes / sizes.sum())


def _passes_and_cases(arm: str, passes: ArrayLike, cases: ArrayLike) -> tuple[IntArray, IntArray]:
    passed, total = counts(passes, name=f"{arm}_passes"), counts(cases, name=f"{arm}_cases")
    if passed.shape != total.shape or passed.ndim != 1:
        raise ValueError(f"{arm} passes and cases differ in shape: {passed.shape} and {total.shape}")
    if np.any(total < 1) or np.any(passed > total):
        raise ValueError(f"{arm} must have at least one case a stratum and no more passes than cases")
    return passed, total


def _shares(weights: ArrayLike) -> FloatArray:
    array = _nonnegative(weights, "weights")
    total = float(array.sum())
    if total <= 0.0:
        raise ValueError("weights must not all be 0")
    return np.asarray(array / total, dtype=np.float64)


def _nonnegative(values: ArrayLike, name: str) -> FloatArray:
    array = scores(values, name=name)
    if array.min() < 0.0:
        raise ValueError(f"{name} must not be negative, found {array.min():g}")
    return array
