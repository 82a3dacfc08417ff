"""Planning by formulas: sample sizes, detectable differences, and what significance would mean.

Normal approximations for first guesses, for means of scores, and for reading a finished
run. For pass or fail, `harness.stats.power` gives the exact numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from harness.stats.estimability import NotEstimable
from harness.stats.requires import (
    require_inside,
    require_number,
    require_positive_count,
    require_within,
)
from harness.stats.samples import counts


class Retrodesign(NamedTuple):
    """What a significant result would be worth if the true effect were as supposed.

    Attributes:
        power: Probability of a significant result, in (0, 1).
        type_s: Probability that a significant result has the wrong sign, in [0, 0.5).
        exaggeration: Average size of a significant estimate over the true size, above 1.
    """

    power: float
    type_s: float
    exaggeration: float


class Resolution(NamedTuple):
    """What a finished run could have seen, against the smallest gain that matters.

    Attributes:
        minimum_detectable_effect: In the unit of the difference, above 0.
        margin: The smallest gain that matters, in the same unit.
        share_of_cases_needed: Cases of the run over cases needed to see the margin.
        n_cases_needed: Cases needed to see the margin, rounded up.
    """

    minimum_detectable_effect: float
    margin: float
    share_of_cases_needed: float
    n_cases_needed: int


def connor_sample_size(*, gain_rate: float, loss_rate: float, alpha: float, power: float) -> float:
    """Return Connor's number of cases for McNemar's test, not rounded.

    Args:
        gain_rate: Share of cases that only the candidate passes, in [0, 1].
        loss_rate: Share of cases that only the baseline passes, in [0, 1]; not equal to
            `gain_rate`.
        alpha: Level of the two-sided test, in (0, 1).
        power: In (0, 1).

    Raises:
        ValueError: A value out of range, equal rates, or rates that sum to more than 1.

    References:
        Connor (1987), Biometrics 43(1), 207-211.
    """
    gain_rate = require_within("gain_rate", gain_rate, 0.0, 1.0)
    loss_rate = require_within("loss_rate", loss_rate, 0.0, 1.0)
    discordance, difference = gain_rate + loss_rate, gain_rate - loss_rate
    if discordance > 1.0 + 1e-12:
        raise ValueError(f"gain_rate + loss_rate must not exceed 1, got {gain_rate:g} + {loss_rate:g}")
    if difference == 0.0:
        raise ValueError(f"gain_rate and loss_rate must differ, both are {gain_rate:g}")
    z_alpha, z_power = _quantiles(alpha, power)
    under_null = z_alpha * math.sqrt(discordance)
    under_effect = z_power * math.sqrt(max(0.0, discordance - difference**2))
    return ((under_null + under_effect) / difference) ** 2


def miller_sample_size(
    *,
    difference: float,
    variance_between: float,
    variance_baseline: float,
    variance_candidate: float,
    n_repeats: int,
    alpha: float,
    power: float,
) -> float:
    """Return Miller's number of cases for a paired mean, not rounded.

    Args:
        difference: Mean difference to find, not 0.
        variance_between: Variance over cases of the difference of *expected* scores. The
            variance of observed differences already holds the repeat noise: give it here
            with both others 0.
        variance_baseline: Variance of one baseline score within a case.
        variance_candidate: Variance of one candidate score within a case.
        n_repeats: Answers a case and arm, at least 1.
        alpha: Level of the two-sided test, in (0, 1).
        power: In (0, 1).

    Raises:
        ValueError: A value out of range.

    References:
        Miller (2024), arXiv 2411.00640, equation 9.
    """
    difference = require_number("difference", difference)
    if difference == 0.0:
        raise ValueError("difference must not be 0: no number of cases finds it")
    n_repeats = require_positive_count("n_repeats", n_repeats)
    within = _variance("variance_baseline", variance_baseline)
    within += _variance("variance_candidate", variance_candidate)
    variance = _variance("variance_between", variance_between) + within / n_repeats
    return sum(_quantiles(alpha, power)) ** 2 * variance / difference**2


def normal_detectable_effect(*, n_cases: int, variance: float, alpha: float, power: float) -> float:
    """Return the mean difference found with a given power, by the normal approximation.

    Args:
        n_cases: Cases (or effective cases) of the run, at least 1.
        variance: Variance over cases of the observed difference, 0 or more.
        alpha: Level of the two-sided test, in (0, 1).
        power: In (0, 1).

    Raises:
        ValueError: A value out of range.

    References:
        Miller (2024), arXiv 2411.00640, equation 10.
    """
    n_cases = require_positive_count("n_cases", n_cases)
    return sum(_quantiles(alpha, power)) * math.sqrt(_variance("variance", variance) / n_cases)


def noninferiority_sample_size(*, discordance: float, margin: float, alpha: float, power: float) -> float:
    """Return the number of cases that shows a loss below a margin when there is none, not rounded.

    Args:
        discordance: Share of cases where exactly one arm passes, in (0, 1].
        margin: Largest acceptable loss in pass rate, in (0, 1).
        alpha: Level of the one-sided test, in (0, 0.5).
        power: In (0, 1).

    Raises:
        ValueError: A value out of range.
    """
    discordance = require_within("discordance", discordance, math.ulp(0.0), 1.0)
    margin = require_inside("margin", margin, 0.0, 1.0)
    one_sided = require_inside("alpha", alpha, 0.0, 0.5)
    return sum(_quantiles(2.0 * one_sided, power)) ** 2 * discordance / margin**2


def design_effect(*, cluster_sizes: ArrayLike, intracluster_correlation: float) -> float:
    """Return how many times clusters multiply the variance of a mean over cases.

    Args:
        cluster_sizes: Cases of each cluster, at least 1 each. Shape (n_clusters,).
        intracluster_correlation: Of the differences within a cluster, in [-1, 1].

    Returns:
        1 + (m - 1) r with m the size-weighted mean size, never below 0. The number of
        cases over this is the effective number.

    Raises:
        ValueError: An empty cluster, fractional sizes, or a correlation out of range.

    References:
        Kish (1965), Survey Sampling, section 8.2.
    """
    sizes = counts(cluster_sizes, name="cluster_sizes")
    if sizes.ndim != 1 or sizes.min() < 1:
        raise ValueError(f"cluster_sizes must be one size of at least 1 for each cluster, got {sizes}")
    correlation = require_within("intracluster_correlation", intracluster_correlation, -1.0, 1.0)
    whole = sizes.astype(np.float64)
    typical = float(np.sum(whole * whole) / np.sum(whole))
    return max(0.0, 1.0 + (typical - 1.0) * correlation)


def retrodesign(*, true_effect: float, standard_error: float, alpha: float) -> Retrodesign:
    """Return power, wrong-sign rate and exaggeration of significant results.

    Args:
        true_effect: The effect supposed from outside the run, not 0; never the estimate.
        standard_error: Of the estimate, above 0, in the same unit.
        alpha: Level of the two-sided test, in (0, 1).

    Raises:
        ValueError: A value out of range.

    References:
        Gelman and Carlin (2014), Perspectives on Psychological Science 9(6), 641-651.
    """
    effect = abs(require_number("true_effect", true_effect))
    if effect == 0.0:
        raise ValueError("true_effect must not be 0: nothing can exaggerate it")
    error = require_inside("standard_error", standard_error, 0.0, math.inf)
    z, shift = _quantiles(alpha, 0.5)[0], effect / error
    right, wrong = float(ndtr(shift - z)), float(ndtr(-shift - z))
    # E[|X|; |X| > z] for X ~ N(shift, 1): the two tails of a truncated normal.
    size = shift * (right - wrong) + _density(z - shift) + _density(z + shift)
    return Retrodesign(right + wrong, wrong / (right + wrong), size / (right + wrong) / shift)


def resolution(
    *, n_cases: int, standard_error: float, margin: float, alpha: float, power: float
) -> Resolution | NotEstimable:
    """Return whether a finished run was large enough to see the smallest gain that matters.

    The observed difference plays no part: power computed from it says nothing new.

    Args:
        n_cases: Cases of the run, at least 1.
        standard_error: Of the difference, 0 or more, clusters and repeats included.
        margin: The smallest gain that matters, above 0, in the unit of the difference.
        alpha: Level of the two-sided test, in (0, 1).
        power: In (0, 1).

    Returns:
        The smallest difference the run would have found, against the margin. Not
        estimable with a standard error of 0, which no run can plan on.

    Raises:
        ValueError: A value out of range.
    """
    n_cases = require_positive_count("n_cases", n_cases)
    margin = require_inside("margin", margin, 0.0, math.inf)
    error = _variance("standard_error", standard_error)
    smallest = sum(_quantiles(alpha, power)) * error
    if smallest == 0.0:
        return NotEstimable("the arms agree on every case: the run shows no spread to plan with")
    share = (margin / smallest) ** 2
    return Resolution(smallest, margin, share, math.ceil(n_cases / share))


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    alpha = require_inside("alpha", alpha, 0.0, 1.0)
    power = require_inside("power", power, 0.0, 1.0)
    return -float(ndtri(alpha / 2.0)), float(ndtri(power))


def _variance(name: str, value: float) -> float:
    number = require_number(name, value)
    if number < 0.0:
        raise ValueError(f"{name} must not be negative, got {number:g}")
    return number


def _density(z: float) -> float:
    return math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
