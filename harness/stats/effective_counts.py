"""The score interval for sums that are not 0 and 1: of repeats, of clusters, of weighted cases.

A t interval forgets that a loss which seldom happens is seldom seen: with the losses its mean and its
spread fall together, and a loss as large as a margin is called ruled out in up to 9.9% where 100
cases can only be lost (docs/validity.md). Tango's score takes its spread from the loss supposed. It
needs counts: here every sum is a number of steps of one size, the size at which steps have the spread
that the sums have, and gains, losses and cases are counted in steps. Where every case moves alone
and by 1 that is the number of cases; where clusters move as one, the number of clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from harness.stats.samples import FloatArray
from harness.stats.tango_binomial import lower_limit, upper_pvalue

# A sum this much smaller than the largest there can be is 0, but for rounding.
_ROUNDING = 1e-9


class EffectiveCounts(NamedTuple):
    """Gains, losses and all there could be, in steps; none needs to be whole."""

    gain: float
    loss: float
    n: float

    def lower(self, *, tail: float) -> float:
        """Return the lower limit of the difference that holds in all but ``tail``."""
        return lower_limit(self.gain, self.loss, self.n, tail=tail)

    def upper(self, *, tail: float) -> float:
        """Return the upper limit of the difference that holds in all but ``tail``."""
        return -lower_limit(self.loss, self.gain, self.n, tail=tail)

    def pvalue(self, *, threshold: float) -> float:
        """Return the one-sided p-value of a difference above a threshold in (-1, 0]."""
        return upper_pvalue(self.gain, self.loss, self.n, threshold=threshold)

    def two_sided_pvalue(self) -> float:
        """Return the two-sided p-value of no difference."""
        mirrored = EffectiveCounts(self.loss, self.gain, self.n)
        return min(1.0, 2 * min(self.pvalue(threshold=0.0), mirrored.pvalue(threshold=0.0)))


def effective_counts(*, sums: FloatArray, weights: FloatArray) -> EffectiveCounts:
    """Count the steps of independent units.

    Args:
        sums: Of each unit, weight times its mean difference, which lies in [-1, 1]. Shape (n_units,).
        weights: What each unit counts, above 0: 1 a case, the cases of a cluster. Shape (n_units,).

    Returns:
        Sums over the size of a step, sum(s^2) / sum(|s|), one step of the largest weight among
        them: few steps seen must not make all that were not seen small.

    References:
        Rao & Scott (1992), Biometrics 48(2), 577-585: counts over their design effect. Bohm & Zech
        (2014), Nuclear Instruments and Methods A 748, 1-6: weighted counts as scaled Poisson ones.
    """
    largest = float(weights.max())
    # Added up in an order of their own: that of the units must not matter.
    ordered = np.sort(np.where(np.abs(sums) <= _ROUNDING * largest, 0.0, sums))
    gains, losses = float(ordered[ordered > 0].sum()), -float(ordered[ordered < 0].sum())
    step = (float(np.sum(ordered**2)) + largest**2) / (gains + losses + largest)
    return EffectiveCounts(gains / step, losses / step, float(np.sort(weights).sum()) / step)
