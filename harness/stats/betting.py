"""Bets placed case by case, each from the past only: e-values and confidence sequences of a mean.

Unlike the mixtures of `harness.stats.sequential`, wealth here depends on the order of the
cases, which must have been drawn beforehand. Differences in [-1, 1] are mapped to [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py

from harness.stats.intervals import Interval
from harness.stats.requires import require_count, require_inside
from harness.stats.samples import FloatArray, scores
from harness.stats.sequential import Evidence, evidence_of

_HALVINGS = 45
# A bet never risks more than this share of what could lose everything at once.
_LARGEST_STAKE = 0.5


class FixedBetEvidence(NamedTuple):
    """Evidence of one fixed bet on the next discordant case.

    Attributes:
        one_sided: Against gains being no more likely than losses.
        two_sided: The average of betting on gains and on losses.
    """

    one_sided: Evidence
    two_sided: Evidence


def fixed_bet_evidence(*, gain: int, loss: int, bet: float) -> FixedBetEvidence:
    """Return the evidence of staking the same share of one's wealth on every discordant case.

    Args:
        gain: Cases so far that only the candidate passes.
        loss: Cases so far that only the baseline passes.
        bet: Share staked on a gain, in (0, 1), fixed beforehand.

    Raises:
        ValueError: A count is a bool, fractional or negative, or the bet is out of range.

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1),
        1-27.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    bet = require_inside("bet", bet, 0.0, 1.0)
    on_gains = float(xlog1py(gain, bet) + xlog1py(loss, -bet))
    on_losses = float(xlog1py(gain, -bet) + xlog1py(loss, bet))
    average = float(np.logaddexp(on_gains, on_losses)) - math.log(2.0)
    return FixedBetEvidence(evidence_of(on_gains), evidence_of(average))


def betting_evidence(differences: ArrayLike, *, alpha: float) -> Evidence:
    """Return the evidence against a mean of 0 of bets that adapt to the past.

    Args:
        differences: One a case or cluster, in [-1, 1], in the order drawn. Shape (n,).
        alpha: The level the bets are sized for, in (0, 1), fixed beforehand.

    Returns:
        The average of a gambler on improvement and one on regression.

    Raises:
        ValueError: Differences that are empty, NaN or outside [-1, 1], or alpha out of
            range.

    References:
        Waudby-Smith and Ramdas (2024), section 4.3, predictable plug-in bets.
    """
    shares = _shares(differences)
    upwards, downwards = _log_capitals(shares, 0.5, _bets(shares, alpha))
    return evidence_of(float(np.logaddexp(upwards, downwards)) - math.log(2.0))


def hedged_confidence_sequence(differences: ArrayLike, *, confidence_level: float) -> Interval:
    """Return limits for the mean by hedged capital, valid at any time.

    Args:
        differences: One a case or cluster, in [-1, 1], in the order drawn. Shape (n,).
        confidence_level: In (0, 1).

    Returns:
        The means against which neither gambler has multiplied half of their money to
        1 / alpha at the last case.

    Raises:
        ValueError: Differences that are empty, NaN or outside [-1, 1], or the level out
            of range.

    References:
        Waudby-Smith and Ramdas (2024), theorem 3.
    """
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    shares = _shares(differences)
    bets, threshold = _bets(shares, 1.0 - level), math.log(2.0 / (1.0 - level))

    def refuted(mean: float) -> bool:
        return max(_log_capitals(shares, mean, bets)) > threshold

    estimate = float(shares.mean())
    low, high = (2.0 * _edge(refuted, end, estimate) - 1.0 for end in (0.0, 1.0))
    return Interval(low, high, level, "hedged_confidence_sequence")


def hoeffding_confidence_sequence(differences: ArrayLike, *, confidence_level: float) -> Interval:
    """Return limits for the mean by predictable plug-in Hoeffding bounds, valid at any time.

    Wider than the others: it knows the range of the differences, not their variance.

    Args:
        differences: One a case or cluster, in [-1, 1], in the order drawn. Shape (n,).
        confidence_level: In (0, 1).

    Raises:
        ValueError: Differences that are empty, NaN or outside [-1, 1], or the level out
            of range.

    References:
        Waudby-Smith and Ramdas (2024), proposition 1.
    """
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    shares = _shares(differences)
    time = np.arange(1, shares.size + 1)
    log_odds = math.log(2.0 / (1.0 - level))
    weights = np.minimum(1.0, np.sqrt(8.0 * log_odds / (time * np.log1p(time))))
    centre = float(weights @ shares / weights.sum())
    reach = (log_odds + float(weights @ weights) / 8.0) / float(weights.sum())
    low, high = max(0.0, centre - reach), min(1.0, centre + reach)
    return Interval(2.0 * low - 1.0, 2.0 * high - 1.0, level, "hoeffding_confidence_sequence")


def _log_capitals(shares: FloatArray, mean: float, bets: FloatArray) -> tuple[float, float]:
    """Return the log capital of betting above and below a mean, each from 1."""
    above = np.minimum(bets, _LARGEST_STAKE / mean) if mean > 0.0 else bets
    below = np.minimum(bets, _LARGEST_STAKE / (1.0 - mean)) if mean < 1.0 else bets
    excess = shares - mean
    return float(np.sum(np.log1p(above * excess))), float(np.sum(np.log1p(-below * excess)))


def _bets(shares: FloatArray, alpha: float) -> FloatArray:
    """Return the bets of equation 26: large while the variance seen so far is small.

    Each of the two gamblers aims at twice 1 / alpha, having half of the money.
    """
    alpha = require_inside("alpha", alpha, 0.0, 1.0)
    time = np.arange(1, shares.size + 1)
    # One imaginary case with mean 1/2 and variance 1/4 stands before the first.
    means = (0.5 + np.cumsum(shares)) / (time + 1)
    variances = (0.25 + np.cumsum((shares - means) ** 2)) / (time + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.asarray(np.sqrt(2.0 * math.log(2.0 / alpha) / (time * np.log1p(time) * before)))


def _edge(refuted: Callable[[float], bool], outer: float, estimate: float) -> float:
    """Return the last mean not kept on the way from the end of the scale to the estimate."""
    if outer == estimate or not refuted(outer):
        return outer
    inner = estimate
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2.0
        outer, inner = (middle, inner) if refuted(middle) else (outer, middle)
    return outer


def _shares(differences: ArrayLike) -> FloatArray:
    array = scores(differences, name="differences")
    if np.any(np.abs(array) > 1.0):
        raise ValueError(f"differences must lie in [-1, 1], found {array[np.abs(array) > 1.0][0]}")
    return np.asarray((array + 1.0) / 2.0, dtype=np.float64)
