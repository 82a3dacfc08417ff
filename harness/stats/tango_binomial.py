"""Tango's score, held to the exact binomial limits where one of the three cells is empty.

Of gains, losses and cases that agree, one may be impossible: a change that only ever helps, or
that touches every case. What is left is a binomial count, and there the score is too narrow: by
enumeration a 95% interval holds 92.6% at 132 cases of which 5.5 in the mean are gained and none
can be lost, and a loss as large as a margin is called ruled out in 7.2% where 50 cases can only
be lost. An empty cell is what such a world always shows, so there the limits reach at least as
far as Clopper and Pearson's. All other limits are Tango's; none is ever nearer than his.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.stats.binomial import lower_tail, upper_tail
from harness.stats.intervals import Interval
from harness.stats.paired_difference import TangoTest, tango_interval, tango_noninferiority
from harness.stats.proportions import clopper_pearson_interval


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
    low = min(found.low, *_exact_lows(gain, loss, n_cases, found.confidence_level), 1.0)
    # The mirror image of the swapped arms' limit, so that swapping mirrors to the last bit.
    high = -min(-found.high, *_exact_lows(loss, gain, n_cases, found.confidence_level), 1.0)
    widened = (low, high) != (found.low, found.high)
    return Interval(low, high, found.confidence_level, "tango_binomial" if widened else found.method)


def tango_binomial_noninferiority(*, gain: int, loss: int, n_cases: int, margin: float) -> TangoTest:
    """Test whether the candidate loses less than a margin, at the level said whatever cell is empty.

    The p-value is at most alpha where the interval at 1 - 2 alpha lies above minus the margin.

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
    pvalue = max(found.pvalue, *_exact_pvalues(gain, loss, n_cases, margin), 0.0)
    return found._replace(pvalue=pvalue)


def _exact_lows(gain: int, loss: int, n_cases: int, level: float) -> Iterator[float]:
    """Yield a lower limit for each empty cell: of gains alone, of losses alone, of one or the other."""
    if loss == 0:
        yield clopper_pearson_interval(count=gain, n_cases=n_cases, confidence_level=level).low
    if gain == 0:
        yield -clopper_pearson_interval(count=loss, n_cases=n_cases, confidence_level=level).high
    if gain + loss == n_cases:
        yield 2 * clopper_pearson_interval(count=gain, n_cases=n_cases, confidence_level=level).low - 1


def _exact_pvalues(gain: int, loss: int, n_cases: int, margin: float) -> Iterator[float]:
    # Where only gains can be, no loss as large as the margin can: nothing to add.
    if gain == 0:
        yield float(lower_tail(loss, n_cases, margin))
    if gain + loss == n_cases:
        yield float(upper_tail(gain, n_cases, (1 - margin) / 2))
