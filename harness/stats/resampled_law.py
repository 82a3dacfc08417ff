"""The law of a resampled mean, found without resampling."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.cluster_robust import ClusterSums
from harness.stats.fourier import drawn_sum_law, sum_reach
from harness.stats.grid import on_grid, tabulate
from harness.stats.samples import FloatArray, scores

_WINDOW_STEPS = 1 << 17  # of the window that holds all resampled means
_RATIO_STEPS = 1 << 14
_SECANT_STEPS = 30
_SECANT_TOLERANCE = 1e-6  # in standard errors
_SMALLEST_SHARE = 1e-12


class MeanLaw(NamedTuple):
    """The exact law of the mean of a resample.

    Attributes:
        means: Its possible values, ascending. Shape (n_means,).
        probabilities: Of each. Shape (n_means,).
    """

    means: FloatArray
    probabilities: FloatArray


def resampled_mean_law(differences: ArrayLike) -> MeanLaw:
    """Return the law of the mean of n draws with replacement from n differences.

    On a common grid it is exact. Other scores are put on a grid of 1/130,000 of the
    window that holds the resampled means, and the law is moved to the true mean.

    Args:
        differences: Finite numbers, any unit. Shape (n_cases,).

    Raises:
        ValueError: Empty, NaN or infinite.
    """
    values = scores(differences, name="differences")
    grid = on_grid(values)
    if grid is not None:
        law = drawn_sum_law(*tabulate(grid))
        if law is not None:
            sums = law.lowest + np.arange(law.probabilities.size)
            return MeanLaw(means=sums * grid.step / values.size, probabilities=law.probabilities)
    return _law_on_a_fine_grid(np.sort(values), n_steps=_WINDOW_STEPS)


def _law_on_a_fine_grid(values: FloatArray, *, n_steps: int) -> MeanLaw:
    """Round to steps far below the standard error of the mean, and undo the rounding's shift."""
    reach = sum_reach(values, np.ones(values.size, dtype=np.int64))
    step = 2 * reach / n_steps
    distinct, repeats = np.unique(np.rint((values - values[0]) / step).astype(np.int64), return_counts=True)
    law = drawn_sum_law(distinct, repeats)
    if law is None:
        raise AssertionError("a window of 2^17 steps fits the longest transform")
    sums = law.lowest + np.arange(law.probabilities.size) - int(distinct @ repeats)
    return MeanLaw(means=float(values.mean()) + sums * step / values.size, probabilities=law.probabilities)


def ratio_quantile(units: ClusterSums, share: float, *, mean: float, error: float) -> float:
    """Return the quantile of the mean over whole clusters drawn with replacement.

    It solves P(drawn sums / drawn sizes <= r) = share for r.

    The ratio is at most r where the drawn sum of `sum - r * size` is at most 0, which is a
    resampled mean again. On the normal scale its law is nearly a straight line in r, so
    secant steps from the normal limit arrive within a few.

    Args:
        units: Sum and size of each cluster.
        share: Probability below the quantile, in (0, 1).
        mean: Of the differences over cases.
        error: Standard error of that mean, above 0: the unit of the steps.
    """
    wanted = float(special.ndtri(share))

    def miss(ratio: float) -> float:
        return float(special.ndtri(_ratio_share(units, ratio))) - wanted

    before, here = mean + (wanted - 0.1) * error, mean + wanted * error
    miss_before, miss_here = miss(before), miss(here)
    for _ in range(_SECANT_STEPS):
        if abs(miss_here) < _SECANT_TOLERANCE or miss_here == miss_before:
            break
        step = -miss_here * (here - before) / (miss_here - miss_before)
        # Half a standard error at most: far out the line bends.
        step = min(max(step, -0.5 * error), 0.5 * error)
        before, miss_before = here, miss_here
        here += step
        miss_here = miss(here)
    return here


def _ratio_share(units: ClusterSums, ratio: float) -> float:
    """P(drawn sums / drawn sizes <= ratio)."""
    law = _law_on_a_fine_grid(np.sort(units.sums - ratio * units.sizes), n_steps=_RATIO_STEPS)
    # Rounding spreads each point over a step: the share below 0 lies between two points.
    half_step = float(law.means[1] - law.means[0]) / 2
    below = float(np.interp(0.0, law.means + half_step, np.cumsum(law.probabilities)))
    return min(max(below, _SMALLEST_SHARE), 1 - _SMALLEST_SHARE)
