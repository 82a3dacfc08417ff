"""The interval for a paired difference that agrees with the exact McNemar test.

The difference is T (2B - 1): T the rate of discordant cases, B the share of gains among
them. Clopper-Pearson limits of both are melded as confidence distributions, which are
beta distributions; the interval leaves 0 out exactly when the exact test rejects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, xlog1py, xlogy

from harness.stats.intervals import Interval
from harness.stats.requires import require_count, require_inside, require_part, require_positive_count

FloatArray = NDArray[np.float64]

_HALVINGS = 52
# Probability left out at each end of the discordance rate before integrating over it.
_IGNORED = 1e-14
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)


class _Beta(NamedTuple):
    """Beta(successes, failures); with a 0 the point mass at that end."""

    successes: int
    failures: int


def fay_lumbard_interval(*, gain: int, loss: int, n_cases: int, confidence_level: float) -> Interval:
    """Return Fay and Lumbard's interval for (gain - loss) / n_cases.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, at least 1.
        confidence_level: In (0, 1).

    Returns:
        Limits within [-1, 1]. That they cover at least as often as they say is
        conjectured by the authors, not proven.

    Raises:
        ValueError: A count is a bool, fractional or negative, gain + loss exceeds
            n_cases, or the level is not in (0, 1).

    References:
        Fay and Lumbard (2021), Statistics in Medicine 40(5), 1147-1159.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    n_cases = require_positive_count("n_cases", n_cases)
    require_part("gain + loss", gain + loss, "n_cases", n_cases)
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    tail = (1.0 - level) / 2.0
    low = _lower_limit(gain, loss, n_cases, tail)
    high = -_lower_limit(loss, gain, n_cases, tail)
    return Interval(low, high, level, "fay_lumbard")


def _lower_limit(gain: int, loss: int, n_cases: int, tail: float) -> float:
    """Return the smaller of the two melded quantiles, one for each end of the rate."""
    total, rest = gain + loss, n_cases - gain - loss
    share = _Beta(gain, loss + 1)
    rates = _Beta(total, rest + 1), _Beta(total + 1, rest)
    return min(_quantile(rate, share, tail) for rate in rates)


def _quantile(rate: _Beta, share: _Beta, tail: float) -> float:
    low, high = -1.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if _distribution(middle, rate, share) >= tail else (middle, high)
    return low


def _distribution(difference: float, rate: _Beta, share: _Beta) -> float:
    """Return P(T (2B - 1) <= difference) for T ~ rate, B ~ share."""
    if rate.successes == 0:
        return 1.0 if difference >= 0.0 else 0.0
    if rate.failures == 0:
        return float(_share_below(np.asarray((1.0 + difference) / 2.0), share))
    # Where T < |difference|, T (2B - 1) lies surely above a negative difference and
    # surely below a positive one.
    surely = float(betainc(*rate, difference)) if difference > 0.0 else 0.0
    first = max(abs(difference), float(betaincinv(*rate, _IGNORED)))
    last = 1.0 - float(betaincinv(rate.failures, rate.successes, _IGNORED))
    if first >= last:
        return surely
    rates = first + (last - first) * (_NODES + 1.0) / 2.0
    below = _share_below((1.0 + difference / rates) / 2.0, share)
    integral = float(np.sum(_WEIGHTS * _density(rates, rate) * below)) * (last - first) / 2.0
    return surely + integral


def _share_below(limits: FloatArray, share: _Beta) -> FloatArray:
    if share.successes == 0:
        return np.asarray(np.where(limits >= 0.0, 1.0, 0.0), dtype=np.float64)
    return np.asarray(betainc(*share, np.clip(limits, 0.0, 1.0)), dtype=np.float64)


def _density(rates: FloatArray, rate: _Beta) -> FloatArray:
    log_density = xlogy(rate.successes - 1, rates) + xlog1py(rate.failures - 1, -rates) - betaln(*rate)
    return np.asarray(np.exp(log_density), dtype=np.float64)
