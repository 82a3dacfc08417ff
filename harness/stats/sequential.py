"""Evidence and intervals that may be read after every case, however often.

An e-value is the wealth of a gambler who bets against equality at fair odds: under
equality it exceeds 1/alpha at any time with probability at most alpha. The bets here are
mixed over a Beta distribution, so wealth depends on counts, not on their order, and the
confidence sequence leaves 0 out exactly when the e-value has reached 1/alpha.

Validity asks that cases come in an order drawn beforehand: each next case, given the
past, must gain as likely as it loses under the null. Cases of one cluster are one
observation: give their mean, or their sum over the largest cluster size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, xlogy

from harness.stats.beta_bets import CONCENTRATIONS, Tally, beta_bets, edge, log_wealth
from harness.stats.intervals import Interval
from harness.stats.requires import (
    require_count,
    require_inside,
    require_part,
    require_positive_count,
    require_within,
)
from harness.stats.samples import scores


class Evidence(NamedTuple):
    """Evidence against equality that may be read at any time.

    Attributes:
        log_evalue: Natural logarithm of the e-value; stop when it reaches -log(alpha).
        pvalue: min(1, 1 / e-value), in (0, 1]: valid at any stopping time.
    """

    log_evalue: float
    pvalue: float


def discordant_evidence(*, gain: int, loss: int, concentration: float) -> Evidence:
    """Return the evidence of discordant cases against as many gains as losses.

    Args:
        gain: Cases so far that only the candidate passes.
        loss: Cases so far that only the baseline passes.
        concentration: a of the Beta(a, a) over the share of gains, in [0.5, 10000],
            fixed beforehand: 1 for large effects, 5 for small ones.

    Returns:
        B(a + gain, a + loss) / B(a, a) * 2^(gain + loss), as evidence.

    Raises:
        ValueError: A count is a bool, fractional or negative, or a is out of range.

    References:
        Ramdas, Gruenwald, Vovk and Shafer (2023), Statistical Science 38(4), 576-601.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    a = require_within("concentration", concentration, *CONCENTRATIONS)
    log_evalue = float(betaln(a + gain, a + loss) - betaln(a, a)) + (gain + loss) * math.log(2.0)
    return evidence_of(log_evalue)


def mean_evidence(differences: ArrayLike, *, concentration: float) -> Evidence:
    """Return the evidence of bounded differences against a mean of 0.

    For differences of -1, 0 and 1 it is that of `discordant_evidence`.

    Args:
        differences: One a case or cluster, in [-1, 1], any order. Shape (n,).
        concentration: As for `discordant_evidence`.

    Raises:
        ValueError: Differences that are empty, NaN or outside [-1, 1], or a out of range.

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1),
        1-27.
    """
    tally = _tally(differences)
    return evidence_of(log_wealth(0.0, tally, beta_bets(tally, concentration)).mixed)


def gain_share_confidence_sequence(
    *, gain: int, loss: int, confidence_level: float, concentration: float
) -> Interval:
    """Return limits for the share of gains among discordant cases that hold at any time.

    Args:
        gain: Cases so far that only the candidate passes.
        loss: Cases so far that only the baseline passes.
        confidence_level: In (0, 1).
        concentration: As for `discordant_evidence`.

    Returns:
        The shares that the mixture does not refute; all of [0, 1] at first.

    Raises:
        ValueError: A count is a bool, fractional or negative, or a value out of range.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    a = require_within("concentration", concentration, *CONCENTRATIONS)
    mixture = float(betaln(a + gain, a + loss) - betaln(a, a))

    def refuted(share: float) -> bool:
        likelihood = float(xlogy(gain, share) + xlogy(loss, 1.0 - share))
        return mixture - likelihood >= -math.log(1.0 - level)

    estimate = gain / (gain + loss) if gain + loss else 0.5
    low, high = edge(refuted, 0.0, estimate), edge(refuted, 1.0, estimate)
    return Interval(low, high, level, "beta_mixture_confidence_sequence")


def difference_confidence_sequence(
    *, gain: int, loss: int, n_cases: int, confidence_level: float, concentration: float
) -> Interval:
    """Return limits for (gain - loss) / n_cases that hold at any time.

    They leave 0 out exactly when `discordant_evidence` has reached 1 / alpha.

    Args:
        gain: Cases so far that only the candidate passes.
        loss: Cases so far that only the baseline passes.
        n_cases: Cases so far, at least 1.
        confidence_level: In (0, 1).
        concentration: As for `discordant_evidence`.

    Raises:
        ValueError: A count is a bool, fractional or negative, gain + loss exceeds
            n_cases, or a value is out of range.
    """
    gain, loss = require_count("gain", gain), require_count("loss", loss)
    n_cases = require_positive_count("n_cases", n_cases)
    require_part("gain + loss", gain + loss, "n_cases", n_cases)
    agreeing = n_cases - gain - loss
    counts = np.array([gain, loss, agreeing], dtype=np.float64)
    tally = Tally(np.array([1.0, -1.0, 0.0]), np.ones(3), counts)
    return _confidence_sequence(tally, confidence_level, concentration)


def mean_confidence_sequence(
    differences: ArrayLike, *, confidence_level: float, concentration: float
) -> Interval:
    """Return limits for the mean of bounded differences that hold at any time.

    The time it takes grows with the number of distinct values, not with the cases.

    Args:
        differences: One a case or cluster, in [-1, 1], any order. Shape (n,).
        confidence_level: In (0, 1).
        concentration: As for `discordant_evidence`.

    Raises:
        ValueError: Differences that are empty, NaN or outside [-1, 1], or a value out of
            range.
    """
    return _confidence_sequence(_tally(differences), confidence_level, concentration)


def evidence_of(log_evalue: float) -> Evidence:
    """Return an e-value, given by its logarithm, with the p-value it stands for."""
    return Evidence(log_evalue, max(math.ulp(0.0), min(1.0, math.exp(-max(0.0, log_evalue)))))


def _confidence_sequence(tally: Tally, confidence_level: float, concentration: float) -> Interval:
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    bets, threshold = beta_bets(tally, concentration), -math.log(1.0 - level)

    def refuted(mean: float) -> bool:
        return log_wealth(mean, tally, bets).mixed >= threshold

    low, high = edge(refuted, -1.0, tally.estimate), edge(refuted, 1.0, tally.estimate)
    return Interval(low, high, level, "beta_mixture_confidence_sequence")


def _tally(differences: ArrayLike) -> Tally:
    array = scores(differences, name="differences")
    if np.any(np.abs(array) > 1.0):
        raise ValueError(f"differences must lie in [-1, 1], found {array[np.abs(array) > 1.0][0]}")
    values, counts = np.unique(array, return_counts=True)
    return Tally(values, np.ones(values.size), counts.astype(np.float64))
