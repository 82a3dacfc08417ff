"""Agreement of raters who give numbers: how much of the variance lies between items."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable


class IntraclassCorrelations(NamedTuple):
    """Shares of the variance of ratings that lie between items.

    Attributes:
        single: One rater, each item rated by other raters: ICC(1,1).
        single_agreement: One rater of those who rated all items: ICC(2,1).
        single_consistency: The same, raters' levels set aside: ICC(3,1).
        average: Of the mean of the raters, the first way: ICC(1,k).
        average_agreement: ICC(2,k).
        average_consistency: ICC(3,k).
    """

    single: float
    single_agreement: float
    single_consistency: float
    average: float
    average_agreement: float
    average_consistency: float


def intraclass_correlations(ratings: ArrayLike) -> IntraclassCorrelations | NotEstimable:
    """Return the six intraclass correlations of complete numeric ratings.

    Args:
        ratings: Shape (n_items, n_raters), two of each at least.

    Returns:
        The correlations; not estimable when no two ratings differ.

    Raises:
        ValueError: Too small, NaN or infinite.

    References:
        Shrout & Fleiss (1979), Psychological Bulletin 86(2), 420-428.
    """
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) < 2 or not np.all(np.isfinite(values)):
        raise ValueError(f"ratings must be finite, two items by two raters or more, found {values.shape}")
    if np.ptp(values) == 0:
        return NotEstimable("all ratings are equal")
    n, k = values.shape
    mean = values.mean()
    items = k * float(np.sum((values.mean(axis=1) - mean) ** 2)) / (n - 1)
    raters = n * float(np.sum((values.mean(axis=0) - mean) ** 2)) / (k - 1)
    total = float(np.sum((values - mean) ** 2))
    within = (total - items * (n - 1)) / (n * (k - 1))
    rest = (total - items * (n - 1) - raters * (k - 1)) / ((n - 1) * (k - 1))
    if items == 0:
        return NotEstimable("all items have one mean rating")
    return IntraclassCorrelations(
        single=(items - within) / (items + (k - 1) * within),
        single_agreement=(items - rest) / (items + (k - 1) * rest + k * (raters - rest) / n),
        single_consistency=(items - rest) / (items + (k - 1) * rest),
        average=(items - within) / items,
        average_agreement=(items - rest) / (items + (raters - rest) / n),
        average_consistency=(items - rest) / items,
    )
