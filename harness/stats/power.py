"""Exact power of the exact and the mid-p McNemar test, by summing over every outcome.

The number of discordant cases is binomial in the cases, and the gains among them binomial
in that number, so a run's power is a sum over the first of tails of the second.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from harness.stats.binomial import FloatArray, likely_counts, lower_tail, point_probability, upper_tail
from harness.stats.estimability import NotEstimable
from harness.stats.planning import connor_sample_size
from harness.stats.requires import require_inside, require_positive_count, require_within

McNemarTest = Literal["exact", "midp"]
IntArray = NDArray[np.int64]

_BISECTIONS = 40
_MOST_CASES = 10**8


class DetectableEffect(NamedTuple):
    """The smallest difference that a test would find with the power asked for.

    Attributes:
        difference: Gain rate minus loss rate, in (0, discordance].
        power: The exact power at that difference.
    """

    difference: float
    power: float


class SampleSize(NamedTuple):
    """The number of cases that gives the power asked for.

    Attributes:
        n_cases: The smallest number from which on the power stays at or above the target.
        power: The exact power at that number.
    """

    n_cases: int
    power: float


def mcnemar_power(
    *, n_cases: int, gain_rate: float, loss_rate: float, alpha: float, test: McNemarTest
) -> float:
    """Return the probability that the two-sided test rejects, in either direction.

    With equal rates this is the test's true size.

    Args:
        n_cases: Cases of the run, at least 1.
        gain_rate: Share of cases that only the candidate passes, in [0, 1].
        loss_rate: Share of cases that only the baseline passes, in [0, 1].
        alpha: Level of the test, in (0, 1).
        test: "exact" or "midp".

    Raises:
        ValueError: A value out of range, the rates sum to more than 1, or another test.

    References:
        Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91.
    """
    n_cases = require_positive_count("n_cases", n_cases)
    discordance = _discordance(gain_rate, loss_rate)
    alpha = require_inside("alpha", alpha, 0.0, 1.0)
    _require_test(test)
    if discordance == 0.0:
        return 0.0
    return _power(_region(n_cases, discordance, alpha, test), gain_rate / discordance)


def critical_count(n_discordant: IntArray, *, alpha: float, test: McNemarTest) -> IntArray:
    """Return the largest smaller count with which the two-sided test still rejects.

    Args:
        n_discordant: Numbers of discordant cases, 0 or more. Shape (n_counts,).
        alpha: Level of the test, in (0, 1).
        test: "exact" or "midp".

    Returns:
        For each number the largest min(gain, loss) whose p-value is at most alpha; -1
        where no table rejects. Shape (n_counts,).
    """
    deviation = np.sqrt(n_discordant) / 2.0
    guess = np.floor(n_discordant / 2.0 + float(ndtri(alpha / 2.0)) * deviation)
    count = np.maximum(guess, -1.0).astype(np.int64)
    while True:
        larger = (2 * (count + 1) < n_discordant) & (_pvalue(count + 1, n_discordant, test) <= alpha)
        if not larger.any():
            break
        count += larger
    while True:
        smaller = (count >= 0) & (_pvalue(count, n_discordant, test) > alpha)
        if not smaller.any():
            return count
        count -= smaller


def minimum_detectable_effect(
    *, n_cases: int, discordance: float, alpha: float, power: float, test: McNemarTest
) -> DetectableEffect | NotEstimable:
    """Return the smallest difference of pass rates that the test finds with a given power.

    Args:
        n_cases: Cases of the run, at least 1.
        discordance: Share of cases where exactly one arm passes, in (0, 1], held fixed.
        alpha: Level of the two-sided test, in (0, 1).
        power: Probability of rejecting that is wanted, in (alpha, 1).
        test: "exact" or "midp".

    Returns:
        The difference, or not estimable when the power stays below the target even if
        every discordant case is a gain.

    Raises:
        ValueError: A value out of range, or another test.
    """
    n_cases = require_positive_count("n_cases", n_cases)
    discordance = require_within("discordance", discordance, math.ulp(0.0), 1.0)
    alpha = require_inside("alpha", alpha, 0.0, 1.0)
    power = require_inside("power", power, alpha, 1.0)
    _require_test(test)
    region = _region(n_cases, discordance, alpha, test)
    highest = _power(region, 1.0)
    if highest < power:
        return NotEstimable(
            f"with {n_cases} cases of which {discordance:.1%} are discordant, even gains alone "
            f"would be found with probability {highest:.2f}, below {power:.2f}"
        )
    low, high = 0.0, discordance
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        found = _power(region, _gain_share(middle, discordance))
        low, high = (low, middle) if found >= power else (middle, high)
    return DetectableEffect(high, _power(region, _gain_share(high, discordance)))


def sample_size(
    *, gain_rate: float, loss_rate: float, alpha: float, power: float, test: McNemarTest
) -> SampleSize | NotEstimable:
    """Return the number of cases with which the test finds a difference with a given power.

    Connor's formula is the first guess; the power itself decides.

    Args:
        gain_rate: Share of cases that only the candidate passes, in [0, 1].
        loss_rate: Share of cases that only the baseline passes, in [0, 1].
        alpha: Level of the two-sided test, in (0, 1).
        power: Probability of rejecting that is wanted, in (alpha, 1).
        test: "exact" or "midp".

    Returns:
        The number and its power, or not estimable for equal rates and for differences
        that would need more than 100 million cases.

    Raises:
        ValueError: A value out of range, the rates sum to more than 1, or another test.
    """
    discordance = _discordance(gain_rate, loss_rate)
    alpha = require_inside("alpha", alpha, 0.0, 1.0)
    power = require_inside("power", power, alpha, 1.0)
    _require_test(test)
    if gain_rate == loss_rate:
        return NotEstimable("equal rates of gain and loss leave no difference to find")
    guess = connor_sample_size(gain_rate=gain_rate, loss_rate=loss_rate, alpha=alpha, power=power)
    if guess > _MOST_CASES:
        return NotEstimable(f"more than {_MOST_CASES} cases would be needed")

    def power_at(n_cases: int) -> float:
        return _power(_region(n_cases, discordance, alpha, test), gain_rate / discordance)

    near = _first_reaching(power_at, power, max(1, round(guess)))
    reach = _neighbourhood(near, discordance)
    around = range(max(1, near - reach), near + reach)
    failing = [n_cases for n_cases in around if power_at(n_cases) < power]
    n_cases = failing[-1] + 1 if failing else around[0]
    return SampleSize(n_cases, power_at(n_cases))


class _Region(NamedTuple):
    """Where a test rejects, and how likely each number of discordant cases is."""

    n_discordant: IntArray
    weights: FloatArray
    critical: IntArray


def _region(n_cases: int, discordance: float, alpha: float, test: McNemarTest) -> _Region:
    n_discordant = likely_counts(n_cases, discordance, discordance)
    weights = point_probability(n_discordant, n_cases, discordance)
    return _Region(n_discordant, weights, critical_count(n_discordant, alpha=alpha, test=test))


def _power(region: _Region, gain_share: float) -> float:
    n_discordant, weights, critical = region
    rejecting = lower_tail(critical, n_discordant, gain_share)
    # Where no table rejects, -1 stands: no count lies at or below it, none beyond its mirror.
    rejecting += upper_tail(n_discordant - critical, n_discordant, gain_share)
    return min(1.0, float(weights @ rejecting))


def _pvalue(smaller: IntArray, total: IntArray, test: McNemarTest) -> FloatArray:
    """Return two-sided p-values for smaller < total / 2."""
    at_most = lower_tail(smaller, total, 0.5)
    return at_most + (at_most if test == "exact" else lower_tail(smaller - 1, total, 0.5))


def _first_reaching(power_at: Callable[[int], float], power: float, guess: int) -> int:
    low, high = 0, guess
    while power_at(high) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high


def _neighbourhood(n_cases: int, discordance: float) -> int:
    """Return how far to look one by one: power rises with the cases in steps, not smoothly.

    The steps are those of the test. A varying number of discordant cases smooths them
    away, unless nearly every case is discordant; then they are about sqrt(n) long.
    """
    if n_cases < 2000:
        return 64
    return 4 if discordance < 0.5 else 200


def _gain_share(difference: float, discordance: float) -> float:
    return min(1.0, (1.0 + difference / discordance) / 2.0)


def _discordance(gain_rate: float, loss_rate: float) -> float:
    total = require_within("gain_rate", gain_rate, 0.0, 1.0) + require_within(
        "loss_rate", loss_rate, 0.0, 1.0
    )
    if total > 1.0 + 1e-12:
        raise ValueError(f"gain_rate + loss_rate must not exceed 1, got {gain_rate:g} + {loss_rate:g}")
    return min(1.0, total)


def _require_test(test: str) -> None:
    if test not in ("exact", "midp"):
        raise ValueError(f"test must be 'exact' or 'midp', got {test!r}")
