"""The exact unconditional test of two arms on the same cases, pass or fail.

The conditional test keeps the number of discordant cases fixed and pays for it with
power. This one lets it vary: the p-value is the largest probability, over the rates of
discordance, of a table at least as extreme by McNemar's score.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from harness.stats.binomial import FloatArray, likely_counts, lower_tail, point_probability
from harness.stats.mcnemar import SMALLEST_PVALUE, McNemarResult
from harness.stats.requires import require_count, require_part, require_positive_count, require_within

# Grid points for one standard deviation of the discordant share, first pass and refinements.
_POINTS_A_DEVIATION = 8
_REFINEMENTS = 4
_POINTS_A_REFINEMENT = 33
# Rates evaluated together; at a million cases a block is then about 64 x 20,000 floats.
_RATES_A_BLOCK = 64


def mcnemar_unconditional(*, gain: int, loss: int, n_cases: int, gamma: float = 1e-4) -> McNemarResult:
    """Test whether two arms pass equally often, exactly, with the discordance rate unknown.

    Args:
        gain: Cases that only the candidate passes.
        loss: Cases that only the baseline passes.
        n_cases: All cases, concordant ones included. At least 1.
        gamma: The rates searched are those of a 1 - gamma confidence interval for the
            discordance rate, and gamma is added to the p-value (Berger and Boos). 0
            searches all rates.

    Returns:
        The counts and the two-sided p-value. With no discordant case it is 1.

    Raises:
        ValueError: A count is a bool, fractional or negative, gain + loss exceeds
            n_cases, or gamma is not in [0, 0.1].

    References:
        Berger and Sidik (2003), Statistical Methods in Medical Research 12(2), 91-108.
        Berger and Boos (1994), JASA 89(427), 1012-1016.
        Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    n_cases = require_positive_count("n_cases", n_cases)
    require_part("gain + loss", gain + loss, "n_cases", n_cases)
    gamma = require_within("gamma", gamma, 0.0, 0.1)
    if gain == loss:
        # The least extreme score there is: every table is at least as extreme.
        return McNemarResult(gain, loss, 1.0)
    low, high = _rates_searched(gain + loss, n_cases, gamma)
    largest = _largest_probability(gain=gain, loss=loss, n_cases=n_cases, low=low, high=high)
    return McNemarResult(gain, loss, min(1.0, max(SMALLEST_PVALUE, largest + gamma)))


def _rates_searched(n_discordant: int, n_cases: int, gamma: float) -> tuple[float, float]:
    if gamma == 0.0:
        return 0.0, 1.0
    rest = n_cases - n_discordant
    low = float(betaincinv(n_discordant, rest + 1, gamma / 2.0))
    high = 1.0 - float(betaincinv(rest, n_discordant + 1, gamma / 2.0)) if rest else 1.0
    return low, high


def _largest_probability(*, gain: int, loss: int, n_cases: int, low: float, high: float) -> float:
    """Maximise over the rate on a grid that is even in arcsin(sqrt(rate)), then zoom in."""
    # On that scale a binomial share has standard deviation 1 / (2 sqrt(n)) at every rate.
    first, last = float(np.arcsin(np.sqrt(low))), float(np.arcsin(np.sqrt(high)))
    step = 1.0 / (2.0 * np.sqrt(n_cases) * _POINTS_A_DEVIATION)
    angles = np.linspace(first, last, max(_POINTS_A_REFINEMENT, int((last - first) / step) + 2))
    counts = likely_counts(n_cases, low, high)
    extreme = _extreme_given_discordance(counts, gain=gain, loss=loss)
    largest = 0.0
    for _ in range(1 + _REFINEMENTS):
        probabilities = _extreme_probability(np.sin(angles) ** 2, counts, extreme, n_cases=n_cases)
        best = int(np.argmax(probabilities))
        largest = max(largest, float(probabilities[best]))
        left, right = angles[max(0, best - 1)], angles[min(len(angles) - 1, best + 1)]
        angles = np.linspace(left, right, _POINTS_A_REFINEMENT)
    return largest


def _extreme_probability(
    rates: FloatArray, counts: NDArray[np.int64], extreme: FloatArray, *, n_cases: int
) -> FloatArray:
    """Return, for each rate, the chance of a table as extreme as the observed one.

    Args:
        rates: Ascending discordance rates. Shape (n_rates,).
        counts: Consecutive numbers of discordant cases. Shape (n_counts,).
        extreme: The chance given each of those numbers. Shape (n_counts,).
        n_cases: All cases.
    """
    totals = np.empty(len(rates))
    for start in range(0, len(rates), _RATES_A_BLOCK):
        # Neighbouring rates share most of their likely counts: a block takes one window.
        block = rates[start : start + _RATES_A_BLOCK]
        window = likely_counts(n_cases, float(block[0]), float(block[-1]))
        inside = slice(max(0, int(window[0] - counts[0])), int(window[-1] - counts[0]) + 1)
        weights = point_probability(counts[None, inside], n_cases, block[:, None])
        totals[start : start + _RATES_A_BLOCK] = weights @ extreme[inside]
    return totals


def _extreme_given_discordance(counts: NDArray[np.int64], *, gain: int, loss: int) -> FloatArray:
    """Return the chance, given each number of discordant cases, of a score as extreme.

    The score is |gain - loss| / sqrt(gain + loss); it is compared in whole numbers, so
    that equal scores are equal.
    """
    squared, total = (gain - loss) ** 2, gain + loss
    # Smallest whole |difference| with difference^2 * total >= squared * count.
    needed = np.sqrt(squared * counts.astype(np.float64) / total)
    difference = np.ceil(needed - 0.5).astype(np.int64)
    for _ in range(2):
        short = difference.astype(object) ** 2 * total < squared * counts.astype(object)
        difference = np.where(short.astype(bool), difference + 1, difference)
    smaller = (counts - difference) // 2
    tails = np.minimum(1.0, 2.0 * lower_tail(smaller, counts, 0.5))
    return np.asarray(np.where(counts == 0, 0.0, tails), dtype=np.float64)
