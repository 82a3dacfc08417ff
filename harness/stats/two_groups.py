"""The error of two means added up, when a cluster may lie in both of their groups."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.cluster_robust import cr2
from harness.stats.estimability import NotEstimable
from harness.stats.means import SMALLEST_PVALUE
from harness.stats.samples import FloatArray, IntArray, cluster_codes


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
