"""Tests of two arms on the same cases, pass or fail: McNemar's, exact and mid-p.

Only the cases where exactly one arm passes say anything about a difference. `gain` counts
those where only the candidate passes, `loss` those where only the baseline does. The
chi-square approximations are not offered: the exact tails cost no more.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from scipy.special import betaincinv

from harness.stats.binomial import lower_tail, upper_tail
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.requires import require_count, require_inside

# A p-value is never 0: one that underflows is reported as the smallest positive float.
SMALLEST_PVALUE = math.ulp(0.0)


class McNemarResult(NamedTuple):
    """The discordant cases and the p-value they give.

    Attributes:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        pvalue: In (0, 1].
    """

    gain: int
    loss: int
    pvalue: float


class DiscordantOddsRatio(NamedTuple):
    """How many cases are gained for one that is lost.

    Attributes:
        estimate: gain / loss; infinite when nothing is lost.
        interval: Limits in [0, inf]. With nothing lost the upper limit is infinite:
            only the lower one says something.
    """

    estimate: float
    interval: Interval


def mcnemar_exact(*, gain: int, loss: int) -> McNemarResult:
    """Test whether two arms pass equally often, by the exact conditional test.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.

    Returns:
        The counts and the two-sided p-value: twice the smaller binomial tail, at most 1.
        With no discordant case it is 1. Below the smallest positive float it is that
        float, which is then an upper bound.

    Raises:
        ValueError: A count is a bool, fractional or negative.

    References:
        McNemar (1947), Psychometrika 12(2), 153-157.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    doubled = 2.0 * float(lower_tail(min(gain, loss), gain + loss, 0.5))
    return McNemarResult(gain, loss, _reportable(doubled))


def mcnemar_midp(*, gain: int, loss: int) -> McNemarResult:
    """Test whether two arms pass equally often, counting the observed table by half.

    The level is not guaranteed. By enumeration it stays at or below .050 with up to 60%
    of the cases discordant, .051 up to 80% and .054 up to 90%; only where next to every
    case is discordant it reaches .077, at sixteen cases. The power is above the exact
    test's.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.

    Returns:
        The counts and the two-sided mid-p-value. With no discordant case it is 1.

    Raises:
        ValueError: A count is a bool, fractional or negative.

    References:
        Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    smaller, total = min(gain, loss), gain + loss
    if total == 0:
        return McNemarResult(gain, loss, 1.0)
    at_most = float(lower_tail(smaller, total, 0.5))
    below = float(lower_tail(smaller - 1, total, 0.5))
    # Two tails minus one point is a sum of tails: nothing cancels. At gain = loss the
    # doubled tail exceeds 1, and the paper takes half a point off 1 instead.
    pvalue = 1.0 - (at_most - below) / 2.0 if gain == loss else at_most + below
    return McNemarResult(gain, loss, _reportable(pvalue))


def mcnemar_exact_one_sided(
    *, gain: int, loss: int, alternative: Literal["greater", "less"]
) -> McNemarResult:
    """Test the exact one-sided hypothesis that the candidate gains more, or less, than it loses.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        alternative: "greater": the candidate is better; "less": it is worse.

    Returns:
        The counts and the binomial tail from the observed count on.

    Raises:
        ValueError: A count is a bool, fractional or negative, or the alternative unknown.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    if alternative not in ("greater", "less"):
        raise ValueError(f"alternative must be 'greater' or 'less', got {alternative!r}")
    tail = upper_tail if alternative == "greater" else lower_tail
    return McNemarResult(gain, loss, _reportable(float(tail(gain, gain + loss, 0.5))))


def discordant_odds_ratio(
    *, gain: int, loss: int, confidence_level: float
) -> DiscordantOddsRatio | NotEstimable:
    """Estimate gain over loss with the limits that agree with the exact test.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        confidence_level: In (0, 1).

    Returns:
        The conditional odds ratio and its central exact limits, Clopper-Pearson limits p
        of gain / (gain + loss) taken to p / (1 - p). Not estimable without a discordant case.

    Raises:
        ValueError: A count is a bool, fractional or negative, or the level not in (0, 1).

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    if gain + loss == 0:
        return NotEstimable("no discordant case: the two arms pass and fail together")
    tail = (1.0 - level) / 2.0
    # The upper limit is the inverse odds of the loss share's lower limit: no 1 - (1 - x).
    low = _odds(_share_limit(gain, loss, tail)) if gain else 0.0
    high = 1.0 / _odds(_share_limit(loss, gain, tail)) if loss else math.inf
    estimate = gain / loss if loss else math.inf
    return DiscordantOddsRatio(estimate, Interval(low, high, level, "clopper_pearson_odds"))


def smallest_attainable_pvalue(n_discordant: int) -> float:
    """Return the p-value of the exact test when all discordant cases point one way.

    Args:
        n_discordant: Cases where exactly one arm passes.

    Returns:
        2 ** (1 - n_discordant), and 1 with none: no table with so few discordant cases
        can have a smaller p-value. Below the smallest positive float it is that float.

    Raises:
        ValueError: The count is a bool, fractional or negative.
    """
    count = require_count("n_discordant", n_discordant)
    return _reportable(math.ldexp(1.0, 1 - count))


def _reportable(pvalue: float) -> float:
    return min(1.0, max(SMALLEST_PVALUE, pvalue))


def _share_limit(count: int, others: int, tail: float) -> float:
    """Return the lower Clopper-Pearson limit of count / (count + others), count >= 1."""
    return float(betaincinv(count, others + 1, tail))


def _odds(share: float) -> float:
    return share / (1.0 - share)
