"""Intervals for one pass rate, and for two pass rates measured on different cases."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import betaincinv, ndtr, ndtri

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.requires import require_count, require_inside, require_part, require_positive_count


class UnpairedDifference(NamedTuple):
    """Two pass rates from different cases, compared without pairs.

    Attributes:
        difference: Candidate rate minus baseline rate, in [-1, 1].
        zscore: Difference over its standard error under equal rates.
        pvalue: Two-sided, normal approximation, in (0, 1].
    """

    difference: float
    zscore: float
    pvalue: float


def wilson_interval(*, count: int, n_cases: int, confidence_level: float) -> Interval:
    """Return Wilson's score interval for a share, without continuity correction.

    Args:
        count: Cases that have the property.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1).

    Raises:
        ValueError: A count is a bool, fractional or negative, count exceeds n_cases, or
            the level is not in (0, 1).

    References:
        Wilson (1927), JASA 22(158), 209-212. Newcombe (1998), Statistics in Medicine 17,
        857-872, method 3.
    """
    count, n_cases, level = _share(count, n_cases, confidence_level)
    low, high = wilson_limits(count, n_cases, _two_sided_z(level))
    return Interval(low, high, level, "wilson")


def clopper_pearson_interval(*, count: int, n_cases: int, confidence_level: float) -> Interval:
    """Return the exact interval for a share, which never covers less than it says.

    Args:
        count: Cases that have the property.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1). For a one-sided limit at level c ask for 2c - 1.

    Raises:
        ValueError: As for `wilson_interval`.

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413.
    """
    count, n_cases, level = _share(count, n_cases, confidence_level)
    tail, others = (1.0 - level) / 2.0, n_cases - count
    low = float(betaincinv(count, others + 1, tail)) if count else 0.0
    high = 1.0 - float(betaincinv(others, count + 1, tail)) if others else 1.0
    return Interval(low, high, level, "clopper_pearson")


def jeffreys_interval(*, count: int, n_cases: int, confidence_level: float) -> Interval:
    """Return the equal-tailed Jeffreys interval for a share.

    Args:
        count: Cases that have the property.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1).

    Returns:
        Quantiles of Beta(count + 1/2, rest + 1/2), but 0 below when no case has the
        property and 1 above when all have it, so that the estimate is never left out.

    Raises:
        ValueError: As for `wilson_interval`.

    References:
        Brown, Cai and DasGupta (2001), Statistical Science 16(2), 101-133.
    """
    count, n_cases, level = _share(count, n_cases, confidence_level)
    tail, others = (1.0 - level) / 2.0, n_cases - count
    low = float(betaincinv(count + 0.5, others + 0.5, tail)) if count else 0.0
    high = 1.0 - float(betaincinv(others + 0.5, count + 0.5, tail)) if others else 1.0
    return Interval(low, high, level, "jeffreys")


def newcombe_independent_interval(
    *,
    baseline_passes: int,
    baseline_cases: int,
    candidate_passes: int,
    candidate_cases: int,
    confidence_level: float,
) -> Interval:
    """Return the interval for candidate rate minus baseline rate on different cases.

    Only for numbers that cannot be paired, such as two published pass rates: on the same
    cases it throws the pairing away.

    Args:
        baseline_passes: Cases that the baseline passes.
        baseline_cases: Cases the baseline was run on, at least 1.
        candidate_passes: Cases that the candidate passes.
        candidate_cases: Cases the candidate was run on, at least 1.
        confidence_level: In (0, 1).

    Raises:
        ValueError: As for `wilson_interval`.

    References:
        Newcombe (1998), Statistics in Medicine 17, 873-890, method 10.
    """
    passes_b, cases_b, level = _share(baseline_passes, baseline_cases, confidence_level, "baseline_passes")
    passes_c, cases_c, _ = _share(candidate_passes, candidate_cases, confidence_level, "candidate_passes")
    z = _two_sided_z(level)
    rate_b, rate_c = passes_b / cases_b, passes_c / cases_c
    low_b, high_b = wilson_limits(passes_b, cases_b, z)
    low_c, high_c = wilson_limits(passes_c, cases_c, z)
    difference = rate_c - rate_b
    low = difference - math.hypot(rate_c - low_c, high_b - rate_b)
    high = difference + math.hypot(high_c - rate_c, rate_b - low_b)
    return Interval(max(-1.0, low), min(1.0, high), level, "newcombe_independent")


def unpaired_difference(
    *, baseline_passes: int, baseline_cases: int, candidate_passes: int, candidate_cases: int
) -> UnpairedDifference | NotEstimable:
    """Test whether two pass rates from different cases are equal, by the score test.

    Args:
        baseline_passes: Cases that the baseline passes.
        baseline_cases: Cases the baseline was run on, at least 1.
        candidate_passes: Cases that the candidate passes.
        candidate_cases: Cases the candidate was run on, at least 1.

    Returns:
        The difference, its z with the pooled rate, and the two-sided p-value. Not
        estimable when every case passes or every case fails in both.

    Raises:
        ValueError: A count is a bool, fractional or negative, or passes exceed cases.
    """
    passes_b, cases_b, _ = _share(baseline_passes, baseline_cases, 0.5, "baseline_passes")
    passes_c, cases_c, _ = _share(candidate_passes, candidate_cases, 0.5, "candidate_passes")
    pooled = (passes_b + passes_c) / (cases_b + cases_c)
    if pooled in (0.0, 1.0):
        return NotEstimable("every case has the same outcome in both arms: the error of the rates is unknown")
    error = math.sqrt(pooled * (1.0 - pooled) * (1.0 / cases_b + 1.0 / cases_c))
    difference = passes_c / cases_c - passes_b / cases_b
    zscore = difference / error
    return UnpairedDifference(difference, zscore, max(math.ulp(0.0), 2.0 * float(ndtr(-abs(zscore)))))


def wilson_limits(count: int, n_cases: int, z: float) -> tuple[float, float]:
    """Return the two roots of (p - count / n_cases)^2 = z^2 p (1 - p) / n_cases.

    Args:
        count: Cases that have the property, in [0, n_cases].
        n_cases: All cases, at least 1.
        z: Normal quantile, above 0.
    """
    share, weight = count / n_cases, z * z / n_cases
    centre = share + weight / 2.0
    reach = math.sqrt(weight * share * (1.0 - share) + weight * weight / 4.0)
    # At the ends the roots are exactly 0 and 1, which the division below misses by rounding.
    low = 0.0 if count == 0 else (centre - reach) / (1.0 + weight)
    high = 1.0 if count == n_cases else (centre + reach) / (1.0 + weight)
    return max(0.0, low), min(1.0, high)


def _two_sided_z(confidence_level: float) -> float:
    return -float(ndtri((1.0 - confidence_level) / 2.0))


def _share(count: int, n_cases: int, confidence_level: float, name: str = "count") -> tuple[int, int, float]:
    cases_name = "n_cases" if name == "count" else name.replace("passes", "cases")
    count, n_cases = require_count(name, count), require_positive_count(cases_name, n_cases)
    require_part(name, count, cases_name, n_cases)
    return count, n_cases, require_inside("confidence_level", confidence_level, 0.0, 1.0)
