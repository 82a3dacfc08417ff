"""The mean of paired differences, with a standard error that knows clusters."""

import math
import sys
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.cluster_robust import cluster_sums, cr2, t_interval
from harness.stats.estimability import NotEstimable
from harness.stats.grid import TIE_TOLERANCE
from harness.stats.intervals import Interval
from harness.stats.samples import FloatArray, IntArray, cluster_codes, probability, scores, sum_of_squares

FEWEST_INFORMATIVE = 15
SMALLEST_PVALUE = sys.float_info.min


class PairedMean(NamedTuple):
    """A mean difference and what is known about its error.

    Attributes:
        n_cases: Cases.
        n_clusters: Independent groups of cases; n_cases when each stands alone.
        difference: Mean of the differences over cases, in their unit.
        standard_error: Cluster-robust (CR2).
        df: Satterthwaite degrees of freedom of that standard error, 1 or more.
        interval: Two-sided t interval of the difference.
        pvalue: Two-sided t test of no difference, above 0.
        naive_standard_error: What it would be if all cases were independent.
        n_informative: Clusters (cases) whose mean is not the most common one.
    """

    n_cases: int
    n_clusters: int
    difference: float
    standard_error: float
    df: float
    interval: Interval
    pvalue: float
    naive_standard_error: float
    n_informative: int


class _Moments(NamedTuple):
    mean: float
    standard_error: float
    df: float
    naive: float
    n_clusters: int
    n_informative: int


def paired_mean(
    *,
    differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
    support: tuple[float, float] | None = None,
) -> PairedMean | NotEstimable:
    """Estimate the mean paired difference with the CR2 standard error and Satterthwaite df.

    With one case a cluster this is exactly the paired t test.

    Args:
        differences: Candidate minus baseline of each case, in any unit. Shape (n_cases,).
        clusters: Name of each case's cluster. Shape (n_cases,). None: all independent.
        confidence_level: Of the interval, in (0, 1).
        support: Smallest and largest difference there can be; limits are cut there.
            None: not cut.

    Returns:
        The estimate; not estimable with one case, with one cluster, or when nothing varies
        between clusters, since agreement alone is not precision.

    Raises:
        ValueError: Empty, NaN, infinite, or of another shape than the clusters.

    References:
        Bell & McCaffrey (2002), Survey Methodology 28(2), 169-181, in the closed form of a
        model with an intercept alone; Pustejovsky & Tipton (2018), JBES 36(4), 672-683.
    """
    values = scores(differences, name="differences")
    level = probability(confidence_level, name="confidence_level")
    codes = cluster_codes(clusters, n_cases=values.size)
    if values.size < 2:
        return NotEstimable("one case has no spread to estimate an error from")
    if codes is not None and int(codes.max()) == 0:
        return NotEstimable(f"all {values.size} cases are in one cluster: there is no second one")
    scale = _power_of_two(values)
    moments = _moments(values / scale, codes)
    if isinstance(moments, NotEstimable):
        return moments
    difference, error = moments.mean * scale, moments.standard_error * scale
    tail = float(special.stdtr(moments.df, -abs(moments.mean) / moments.standard_error))
    return PairedMean(
        n_cases=values.size,
        n_clusters=moments.n_clusters,
        difference=difference,
        standard_error=error,
        df=moments.df,
        interval=t_interval(
            centre=difference,
            error=error,
            df=moments.df,
            level=level,
            support=support,
            method="paired_t" if codes is None else "cr2_satterthwaite",
        ),
        pvalue=max(2 * tail, SMALLEST_PVALUE),
        naive_standard_error=moments.naive * scale,
        n_informative=moments.n_informative,
    )


def paired_mean_plus_two(
    *,
    differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
    support: tuple[float, float],
) -> Interval | NotEstimable:
    """Give an interval that agreement alone cannot close, by adding one case at each end.

    A t interval is too narrow when few cases differ, and has no width when none does.
    Two invented cases, one at each end of what is possible and each its own cluster,
    leave room for what was not seen. On pass and fail it is Bonett and Price's interval
    with t for z; for partial credit it is the same step by analogy.

    Args:
        differences: Candidate minus baseline of each case. Shape (n_cases,).
        clusters: Name of each case's cluster. Shape (n_cases,). None: all independent.
        confidence_level: Of the interval, in (0, 1).
        support: Smallest and largest difference there can be.

    Returns:
        The interval, cut at the support; not estimable from one case or one cluster.

    Raises:
        ValueError: As `paired_mean`; or a difference outside the support.

    References:
        Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37(4), 479-488.
    """
    values = scores(differences, name="differences")
    low, high = support
    if not low < high:
        raise ValueError(f"support must run from low to high, found {support}")
    slack = TIE_TOLERANCE * max(abs(low), abs(high))
    if values.min() < low - slack or values.max() > high + slack:
        raise ValueError(f"differences from {values.min()} to {values.max()} leave the support {support}")
    level = probability(confidence_level, name="confidence_level")
    codes = cluster_codes(clusters, n_cases=values.size)
    if values.size < 2 or (codes is not None and int(codes.max()) == 0):
        return NotEstimable(f"all {values.size} cases are in one cluster: there is no second one")
    n = values.size + 2
    if codes is None:
        widened = np.append(np.sort(values), [low, high])
        mean = float(widened.mean())
        widened -= mean
        error, df = math.sqrt(sum_of_squares(widened) / (n - 1) / n), n - 1.0
    else:
        units = cluster_sums(values, codes)
        sums, sizes = np.append(units.sums, [low, high]), np.append(units.sizes, [1.0, 1.0])
        mean = float(sums.sum()) / n
        error, df = cr2(sums - sizes * mean, sizes)
    return t_interval(centre=mean, error=error, df=df, level=level, support=support, method="plus_two_cr2")


def covers_too_little(mean: PairedMean) -> bool:
    """Say whether a t interval rests on too few differing units to keep its level.

    It is 90% for a nominal 95% at 100 cases of which 5% differ, and 64% at 20, by
    enumeration. `paired_mean_plus_two` covers 95% and more there. The rule: fewer than 15
    informative clusters, and fewer than half of all.
    """
    return mean.n_informative < min(FEWEST_INFORMATIVE, mean.n_clusters / 2)


def one_sided_pvalue(mean: PairedMean, *, threshold: float, alternative: Literal["greater", "less"]) -> float:
    """Test whether the difference lies above (or below) a threshold.

    Non-inferiority with margin m is `threshold=-m, alternative="greater"`; equivalence is
    both sides at once, and its p-value the larger of the two.

    Args:
        mean: What `paired_mean` found.
        threshold: Value under the null hypothesis, in the unit of the differences.
        alternative: Side on which the difference is claimed to lie.

    References:
        Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15, 657-680.
    """
    t = (mean.difference - threshold) / mean.standard_error
    tail = special.stdtr(mean.df, -t if alternative == "greater" else t)
    return max(float(tail), SMALLEST_PVALUE)


def _power_of_two(values: FloatArray) -> float:
    """A scale that brings the largest score near 1 without changing a single digit."""
    largest = float(max(values.max(), -values.min()))
    return 1.0 if largest == 0 else math.ldexp(1.0, min(max(math.frexp(largest)[1], -1020), 1020))


def _moments(values: FloatArray, codes: IntArray | None) -> _Moments | NotEstimable:
    ordered = np.sort(values)
    n = values.size
    if ordered[-1] - ordered[0] <= TIE_TOLERANCE:
        return NotEstimable(f"all {n} differences are equal: agreement alone says nothing about their spread")
    mean = float(ordered.mean())
    n_informative = n - _most_common(ordered)
    ordered -= mean
    naive = math.sqrt(sum_of_squares(ordered) / (n - 1) / n)
    if codes is None:
        return _Moments(mean, naive, float(n - 1), naive, n, n_informative)
    sums, sizes = cluster_sums(values, codes)
    error, df = cr2(sums - sizes * mean, sizes)
    if error <= TIE_TOLERANCE:
        return NotEstimable(
            f"all {sizes.size} clusters have the same mean: agreement alone says nothing about their spread"
        )
    return _Moments(mean, error, df, naive, sizes.size, sizes.size - _most_common(np.sort(sums / sizes)))


def _most_common(ordered: FloatArray) -> int:
    """How often the most common value occurs, up to rounding."""
    ends = np.flatnonzero(np.diff(ordered) > TIE_TOLERANCE)
    return int(np.max(np.diff(ends, prepend=-1, append=ordered.size - 1)))
