"""Tango's score, held to the exact binomial limits where one of the three cells is empty.

Of gains, losses and cases that agree, one may be impossible: a change that only ever helps, or
that touches every case. What is left is a binomial count, and there the score is too narrow: by
enumeration a 95% interval holds 92.6% at 132 cases of which 5.5 in the mean are gained and none
can be lost, and a loss as large as a margin of .0514 is called ruled out in 7.1% where 50 cases
can only be lost. An empty cell is what such a world always shows, so there the limits reach at
least as far as Clopper and Pearson's. All other limits are Tango's; none is ever nearer than his.
"""

from __future__ import annotations

from collections.abc import Iterator

from scipy.special import betaincinv, ndtr, ndtri

from harness.stats.binomial import lower_tail, upper_tail
from harness.stats.intervals import Interval
from harness.stats.paired_difference import (
    TangoTest,
    tango_interval,
    tango_lower_limit,
    tango_noninferiority,
    tango_zscore,
)

# Counts that are not whole are sums of rounded numbers.
_NOTHING = 1e-9


def tango_binomial_interval(*, gain: int, loss: int, n_cases: int, confidence_level: float) -> Interval:
    """Return Tango's interval, as wide as the exact binomial one where a cell is empty.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1).

    Returns:
        Limits within [-1, 1]; the method is ``tango`` where Tango's limits stand as they are.

    Raises:
        ValueError: As for `tango_interval`.

    References:
        Tango (1998), Statistics in Medicine 17, 891-908. Clopper and Pearson (1934),
        Biometrika 26(4), 404-413.
    """
    found = tango_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=confidence_level)
    tail = (1 - found.confidence_level) / 2
    low = lower_limit(gain, loss, n_cases, tail=tail)
    # The mirror image of the swapped arms' limit, so that swapping mirrors to the last bit.
    high = -lower_limit(loss, gain, n_cases, tail=tail)
    widened = (low, high) != (found.low, found.high)
    return Interval(low, high, found.confidence_level, "tango_binomial" if widened else found.method)


def tango_binomial_noninferiority(*, gain: int, loss: int, n_cases: int, margin: float) -> TangoTest:
    """Test whether the candidate loses less than a margin, at the level said whatever cell is empty.

    The p-value is below alpha where the interval at 1 - 2 alpha lies above minus the margin.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1.
        margin: Largest acceptable loss in pass rate, in (0, 1), chosen beforehand.

    Returns:
        Tango's score, and the larger one of its p-value and the exact binomial one.

    Raises:
        ValueError: As for `tango_noninferiority`.
    """
    found = tango_noninferiority(gain=gain, loss=loss, n_cases=n_cases, margin=margin)
    return found._replace(pvalue=max(found.pvalue, upper_pvalue(gain, loss, n_cases, threshold=-margin)))


def lower_limit(gain: float, loss: float, n_cases: float, *, tail: float) -> float:
    """Return the lower limit of the difference; the upper one is that of the swapped arms, mirrored.

    Args:
        gain: Cases that only the candidate passes; counts need not be whole.
        loss: Cases that only the baseline passes.
        n_cases: All cases, above 0 and at least gain + loss.
        tail: How often the limit may lie above the truth, in (0, 0.5).
    """
    score = tango_lower_limit(gain, loss, n_cases, -float(ndtri(tail)))
    return min(score, *_exact_lows(gain, loss, n_cases, tail), 1.0)


def upper_pvalue(gain: float, loss: float, n_cases: float, *, threshold: float) -> float:
    """Return the one-sided p-value of a difference above a threshold, the companion of `lower_limit`.

    Args:
        gain: Cases that only the candidate passes; counts need not be whole.
        loss: Cases that only the baseline passes.
        n_cases: All cases, above 0 and at least gain + loss.
        threshold: The difference supposed, in (-1, 0].
    """
    zscore = tango_zscore(gain=gain, loss=loss, n_cases=n_cases, difference=threshold)
    return max(float(ndtr(-zscore)), *_exact_pvalues(gain, loss, n_cases, threshold), 0.0)


def _exact_lows(gain: float, loss: float, n_cases: float, tail: float) -> Iterator[float]:
    """Yield a lower limit for each empty cell: of gains alone, of losses alone, of one or the other."""
    if loss <= _NOTHING:
        yield _least_share(gain, n_cases, tail)
    if gain <= _NOTHING:
        yield _least_share(n_cases - loss, n_cases, tail) - 1
    if n_cases - gain - loss <= _NOTHING * n_cases:
        yield 2 * _least_share(gain, n_cases, tail) - 1


def _least_share(count: float, n_cases: float, tail: float) -> float:
    """Return Clopper and Pearson's lower limit, at counts that need not be whole."""
    return float(betaincinv(count, max(n_cases - count, 0.0) + 1, tail)) if count > 0 else 0.0


def _exact_pvalues(gain: float, loss: float, n_cases: float, threshold: float) -> Iterator[float]:
    # Where only gains can be, no loss as large as the threshold can: nothing to add.
    if gain <= _NOTHING and threshold < 0:
        yield float(lower_tail(loss, n_cases, -threshold))
    if n_cases - gain - loss <= _NOTHING * n_cases:
        yield float(upper_tail(gain, n_cases, (1 + threshold) / 2))
