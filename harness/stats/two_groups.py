"""The difference of the means of two groups of cases, where a cluster may lie in both."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.cluster_robust import cr2, t_interval
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import SMALLEST_PVALUE
from harness.stats.samples import FloatArray, IntArray, cluster_codes, probability, scores


class GroupDifference(NamedTuple):
    """Mean of the first group less mean of the second.

    Attributes:
        n_first: Cases of the first group.
        n_second: Cases of the second group.
        first: Mean of the first group.
        second: Mean of the second group.
        difference: First less second.
        standard_error: Cluster-robust.
        df: Welch-Satterthwaite degrees of freedom.
        interval: Two-sided t interval of the difference.
        pvalue: Two-sided t test of no difference, above 0.
    """

    n_first: int
    n_second: int
    first: float
    second: float
    difference: float
    standard_error: float
    df: float
    interval: Interval
    pvalue: float


class JointError(NamedTuple):
    """The error of a sum of two means.

    Attributes:
        standard_error: Of the sum.
        df: Welch-Satterthwaite.
        first_variance: Variance of the first mean alone.
        second_variance: Variance of the second mean alone.
    """

    standard_error: float
    df: float
    first_variance: float
    second_variance: float


def group_difference(
    *,
    first: ArrayLike,
    second: ArrayLike,
    first_clusters: Sequence[str] | ArrayLike | None = None,
    second_clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
    support: tuple[float, float],
) -> GroupDifference | NotEstimable:
    """Compare the means of two groups that are not paired.

    Without clusters this is Welch's t test.

    Args:
        first: Values of the first group. Shape (n_first,).
        second: Values of the second group. Shape (n_second,).
        first_clusters: Name of each case's cluster. Shape (n_first,). None in both: independent.
        second_clusters: The same for the second group; a name may occur in both.
        confidence_level: In (0, 1).
        support: Smallest and largest difference there can be; limits are cut there.

    Returns:
        The difference; not estimable with fewer than two clusters in a group or without spread.

    Raises:
        ValueError: Empty, NaN, infinite, unequal shapes, or clusters for one group alone.

    References:
        Welch (1947), Biometrika 34(1-2), 28-35; Bell & McCaffrey (2002) for clusters.
    """
    a, b = scores(first, name="first"), scores(second, name="second")
    level = probability(confidence_level, name="confidence_level")
    groups = joint_groups(first_clusters, second_clusters, n_first=a.size, n_second=b.size)
    smallest = min(np.unique(group).size for group in groups)
    if smallest < 2:
        return NotEstimable(f"a group of {min(a.size, b.size)} cases in {smallest} cluster has no spread")
    means = float(np.sort(a).mean()), float(np.sort(b).mean())
    error = joint_error(first=a - means[0], second=means[1] - b, groups=groups)
    if isinstance(error, NotEstimable):
        return error
    difference = means[0] - means[1]
    return GroupDifference(
        n_first=a.size,
        n_second=b.size,
        first=means[0],
        second=means[1],
        difference=difference,
        standard_error=error.standard_error,
        df=error.df,
        interval=t_interval(
            centre=difference,
            error=error.standard_error,
            df=error.df,
            level=level,
            support=support,
            method="welch_cr2",
        ),
        pvalue=two_sided(difference, error),
    )


def joint_groups(
    first: Sequence[str] | ArrayLike | None,
    second: Sequence[str] | ArrayLike | None,
    *,
    n_first: int,
    n_second: int,
) -> tuple[IntArray, IntArray]:
    """Number the clusters of two groups together; without clusters every case is its own.

    Raises:
        ValueError: Clusters for one group alone, or of another length.
    """
    n = n_first + n_second
    if (first is None) != (second is None):
        raise ValueError("clusters must be given for both groups, or for neither")
    codes = None
    if first is not None and second is not None:
        names = [np.asarray(names) for names in (first, second)]
        if (names[0].size, names[1].size) != (n_first, n_second):
            raise ValueError(f"clusters must name one cluster a case: {n_first} and {n_second} cases")
        codes = cluster_codes(np.concatenate([part for part in names if part.size]), n_cases=n)
    every = np.arange(n) if codes is None else codes
    return every[:n_first], every[n_first:]


def joint_error(
    *, first: FloatArray, second: FloatArray, groups: tuple[IntArray, IntArray]
) -> JointError | NotEstimable:
    """Return the error of the sum of two means, from residuals that add up to 0 in each group.

    Args:
        first: Residuals of the first mean. Shape (n_first,).
        second: Residuals of the second mean, with the sign it has in the sum. Shape (n_second,).
        groups: Cluster numbers of both, numbered together.

    Returns:
        The error; not estimable when no residual differs from 0.
    """
    parts = [_moves(residuals, codes) for residuals, codes in zip((first, second), groups, strict=True)]
    # A cluster with cases in both groups moves both means at once: add before squaring.
    moves = np.zeros(int(max(codes.max() for codes in groups)) + 1)
    for codes, (part, _) in zip(groups, parts, strict=True):
        moves[np.unique(codes)] += part
    variance = float(moves @ moves)
    if variance <= 1e-24:
        return NotEstimable("nothing varies within the groups: agreement alone says nothing about the spread")
    variances = [float(part @ part) for part, _ in parts]
    spread = sum(own**2 / df for own, (_, df) in zip(variances, parts, strict=True))
    return JointError(variance**0.5, sum(variances) ** 2 / spread, variances[0], variances[1])


def two_sided(estimate: float, error: JointError) -> float:
    """Return the two-sided t test's p-value of no effect, above 0."""
    tail = float(special.stdtr(error.df, -abs(estimate) / error.standard_error))
    return max(2 * tail, SMALLEST_PVALUE)


def _moves(residuals: FloatArray, groups: IntArray) -> tuple[FloatArray, float]:
    """How far each cluster moves its group's mean, CR2-scaled, by cluster number; and the df."""
    _, codes = np.unique(groups, return_inverse=True)
    sums = np.bincount(codes, weights=residuals).astype(np.float64)
    sizes = np.bincount(codes).astype(np.float64)
    if sizes.size < 2:
        return sums / residuals.size, 1.0
    _, df = cr2(sums, sizes)
    return sums / np.sqrt(1 - sizes / residuals.size) / residuals.size, df
