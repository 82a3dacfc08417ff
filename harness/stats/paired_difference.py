"""Intervals for the difference of two pass rates measured on the same cases.

The difference is (gain - loss) / n_cases: above 0 the candidate passes more. Every
interval here keeps a width when the arms agree on every case, and stays within [-1, 1].
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import ndtr, ndtri

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.proportions import wilson_limits
from harness.stats.requires import require_count, require_inside, require_part, require_positive_count

# Halvings of [-1, 1] after which a limit is known to the last bit of a float near 0.001.
_HALVINGS = 64


class TangoTest(NamedTuple):
    """A test that the difference lies above minus a margin.

    Attributes:
        margin: The largest loss that would be accepted, in (0, 1).
        zscore: Tango's score against a difference of -margin.
        pvalue: One-sided, in (0, 1]: small when the difference lies above -margin.
    """

    margin: float
    zscore: float
    pvalue: float


class PairingEfficiency(NamedTuple):
    """What comparing case by case saves against comparing two rates.

    Attributes:
        correlation: Of the two arms' outcomes over cases, in [-1, 1].
        standard_error_paired: Of the difference, n - 1 in the divisor.
        standard_error_unpaired: Of the difference, as if the arms had different cases.
        variance_ratio: Paired over unpaired variance.
        share_discarded: Share of the cases that an unpaired analysis wastes.
    """

    correlation: float
    standard_error_paired: float
    standard_error_unpaired: float
    variance_ratio: float
    share_discarded: float


def tango_interval(*, gain: int, loss: int, n_cases: int, confidence_level: float) -> Interval:
    """Return Tango's score interval: the differences that a score test does not reject.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1).

    Raises:
        ValueError: A count is a bool, fractional or negative, gain + loss exceeds
            n_cases, or the level is not in (0, 1).

    References:
        Tango (1998), Statistics in Medicine 17, 891-908.
    """
    gain, loss, n_cases = _counts(gain, loss, n_cases)
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    z = _two_sided_z(level)
    low = tango_lower_limit(gain, loss, n_cases, z)
    # The mirror image of the swapped arms' limit, so that swapping mirrors to the last bit.
    high = -tango_lower_limit(loss, gain, n_cases, z)
    return Interval(low, high, level, "tango")


def tango_noninferiority(*, gain: int, loss: int, n_cases: int, margin: float) -> TangoTest:
    """Test whether the candidate loses less than a margin.

    The null hypothesis is a difference of -margin or worse; a small p-value rejects it.
    By enumeration (20 to 120 cases, up to 40% discordant, margins of 2 to 10 points) its
    size at a nominal .05 is at most .058.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1.
        margin: Largest acceptable loss in pass rate, in (0, 1), chosen beforehand.

    Raises:
        ValueError: A count is a bool, fractional or negative, gain + loss exceeds
            n_cases, or the margin is not in (0, 1).

    References:
        Tango (1998), Statistics in Medicine 17, 891-908, section 4.
    """
    gain, loss, n_cases = _counts(gain, loss, n_cases)
    margin = require_inside("margin", margin, 0.0, 1.0)
    zscore = tango_zscore(gain=gain, loss=loss, n_cases=n_cases, difference=-margin)
    return TangoTest(margin, zscore, max(math.ulp(0.0), float(ndtr(-zscore))))


def tango_zscore(*, gain: float, loss: float, n_cases: float, difference: float) -> float:
    """Return the score of the data against one true difference.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1; gain + loss at most.
        difference: The true difference supposed, in [-1, 1].

    Returns:
        About standard normal if the supposition holds. Falls as `difference` rises; 0
        where the data show exactly that difference.
    """
    excess = gain - loss - n_cases * difference
    if excess == 0.0:
        return 0.0
    # The score of the swapped arms is the score with its sign changed, to the last bit.
    if difference < 0.0:
        return -tango_zscore(gain=loss, loss=gain, n_cases=n_cases, difference=-difference)
    loss_rate = _loss_rate_given_difference(gain, loss, n_cases, difference)
    variance = n_cases * (2.0 * loss_rate + difference * (1.0 - difference))
    return excess / math.sqrt(variance) if variance > 0.0 else math.copysign(math.inf, excess)


def tango_lower_limit(gain: float, loss: float, n_cases: float, z: float) -> float:
    """Return where the score, which falls as the difference rises, comes down to z.

    Args:
        gain: Cases that only the candidate passes; counts need not be whole.
        loss: Cases that only the baseline passes.
        n_cases: All cases, above 0 and at least gain + loss.
        z: A normal quantile, above 0.
    """
    if loss == n_cases:
        return -1.0
    rejected, kept = -1.0, (gain - loss) / n_cases
    for _ in range(_HALVINGS):
        middle = (rejected + kept) / 2.0
        if tango_zscore(gain=gain, loss=loss, n_cases=n_cases, difference=middle) > z:
            rejected = middle
        else:
            kept = middle
    return rejected


def newcombe_interval(*, both: int, gain: int, loss: int, neither: int, confidence_level: float) -> Interval:
    """Return Newcombe's square-and-add interval, which needs all four cells.

    Args:
        both: Cases that both arms pass.
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        neither: Cases that no arm passes.
        confidence_level: In (0, 1).

    Raises:
        ValueError: A count is a bool, fractional or negative, all are 0, or the level is
            not in (0, 1).

    References:
        Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10.
    """
    both, gain, loss, neither = _cells(both, gain, loss, neither)
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    n_cases, z = both + gain + loss + neither, _two_sided_z(level)
    candidate, baseline = (both + gain) / n_cases, (both + loss) / n_cases
    low_c, high_c = wilson_limits(both + gain, n_cases, z)
    low_b, high_b = wilson_limits(both + loss, n_cases, z)
    phi = _corrected_correlation(both, gain, loss, neither)
    low = -_length(candidate - low_c, high_b - baseline, phi)
    high = _length(high_c - candidate, baseline - low_b, phi)
    difference = (gain - loss) / n_cases
    return Interval(max(-1.0, difference + low), min(1.0, difference + high), level, "newcombe")


def bonett_price_interval(*, gain: int, loss: int, n_cases: int, confidence_level: float) -> Interval:
    """Return Bonett and Price's interval: Wald's after one more case of each discordance.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1).

    Raises:
        ValueError: As for `tango_interval`.

    References:
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37(4),
        479-488.
    """
    gain, loss, n_cases = _counts(gain, loss, n_cases)
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    gained, lost = (gain + 1) / (n_cases + 2), (loss + 1) / (n_cases + 2)
    centre = gained - lost
    reach = _two_sided_z(level) * math.sqrt((gained + lost - centre * centre) / (n_cases + 2))
    return Interval(max(-1.0, centre - reach), min(1.0, centre + reach), level, "bonett_price")


def pairing_efficiency(*, both: int, gain: int, loss: int, neither: int) -> PairingEfficiency | NotEstimable:
    """Return what pairing saves: correlation, both standard errors and their ratio.

    Args:
        both: Cases that both arms pass.
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        neither: Cases that no arm passes.

    Returns:
        The comparison, or not estimable when an arm has the same outcome on every case.

    Raises:
        ValueError: A count is a bool, fractional or negative, or all are 0.
    """
    both, gain, loss, neither = _cells(both, gain, loss, neither)
    n_cases = both + gain + loss + neither
    spread_c = (both + gain) * (loss + neither)
    spread_b = (both + loss) * (gain + neither)
    if spread_c == 0 or spread_b == 0:
        return NotEstimable("an arm has the same outcome on every case: outcomes cannot correlate")
    correlation = (both * neither - gain * loss) / (math.sqrt(spread_c) * math.sqrt(spread_b))
    paired = math.sqrt(((gain + loss) * n_cases - (gain - loss) ** 2) / (n_cases - 1)) / n_cases
    unpaired = math.sqrt((spread_c + spread_b) / n_cases) / n_cases
    ratio = (paired / unpaired) ** 2
    return PairingEfficiency(correlation, paired, unpaired, ratio, 1.0 - ratio)


def _loss_rate_given_difference(gain: float, loss: float, n_cases: float, difference: float) -> float:
    """Return the likeliest loss rate if the true difference is `difference`, at least 0.

    The root of A q^2 + B q + C in Tango (1998), appendix, with C at most 0.
    """
    a = 2.0 * n_cases
    b = (2.0 * n_cases - gain + loss) * difference - gain - loss
    c = -loss * difference * (1.0 - difference)
    return (math.sqrt(b * b - 4.0 * a * c) - b) / (2.0 * a)


def _corrected_correlation(both: int, gain: int, loss: int, neither: int) -> float:
    """Return Newcombe's phi: the correlation, shrunk by half a case when it is positive."""
    n_cases = both + gain + loss + neither
    margins = (both + gain) * (loss + neither), (both + loss) * (gain + neither)
    if 0 in margins:
        return 0.0
    excess = float(both * neither - gain * loss)
    if excess > 0.0:
        excess = max(0.0, excess - n_cases / 2.0)
    return excess / (math.sqrt(margins[0]) * math.sqrt(margins[1]))


def _length(first: float, second: float, phi: float) -> float:
    return math.sqrt(max(0.0, first * first - 2.0 * phi * first * second + second * second))


def _two_sided_z(confidence_level: float) -> float:
    return -float(ndtri((1.0 - confidence_level) / 2.0))


def _counts(gain: int, loss: int, n_cases: int) -> tuple[int, int, int]:
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    n_cases = require_positive_count("n_cases", n_cases)
    require_part("gain + loss", gain + loss, "n_cases", n_cases)
    return gain, loss, n_cases


def _cells(both: int, gain: int, loss: int, neither: int) -> tuple[int, int, int, int]:
    both, neither = require_count("both", both), require_count("neither", neither)
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    require_positive_count("both + gain + loss + neither", both + gain + loss + neither)
    return both, gain, loss, neither
