"""Evidence and intervals that may be read after every case, in any number of looks.

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
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, xlogy

from harness.stats.intervals import Interval
from harness.stats.requires import (
    require_count,
    require_inside,
    require_part,
    require_positive_count,
    require_within,
)
from harness.stats.samples import FloatArray, scores

_HALVINGS = 50
_PANEL_NODES, _PANEL_WEIGHTS = np.polynomial.legendre.leggauss(16)
# Above this the prior is a point at equality, and below it no density worth integrating.
_CONCENTRATIONS = (0.5, 1e4)


class Evidence(NamedTuple):
    """Evidence against equality that may be read at any time.

    Attributes:
        log_evalue: Natural logarithm of the e-value; stop when it reaches -log(alpha).
        pvalue: min(1, 1 / e-value), in (0, 1]: valid at any stopping time.
    """

    log_evalue: float
    pvalue: float


class _Tally(NamedTuple):
    """Distinct values and how often each was seen."""

    values: FloatArray
    weights: FloatArray


class _Bets(NamedTuple):
    """Stakes in (0, 1), as a share of the largest that cannot lose everything, with weights.

    The logarithms of the weights sum to a half: the other half bets the other way.
    """

    stakes: FloatArray
    log_weights: FloatArray


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
    a = require_within("concentration", concentration, *_CONCENTRATIONS)
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
    bets = _bets(float(tally.weights.sum()), concentration)
    return evidence_of(_log_evalue(0.0, tally, bets))


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
    a = require_within("concentration", concentration, *_CONCENTRATIONS)
    mixture = float(betaln(a + gain, a + loss) - betaln(a, a))

    def refuted(share: float) -> bool:
        likelihood = float(xlogy(gain, share) + xlogy(loss, 1.0 - share))
        return mixture - likelihood >= -math.log(1.0 - level)

    estimate = gain / (gain + loss) if gain + loss else 0.5
    low, high = _edge(refuted, 0.0, estimate), _edge(refuted, 1.0, estimate)
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
    tally = _Tally(np.array([1.0, -1.0, 0.0]), np.array([gain, loss, agreeing], dtype=np.float64))
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


def _confidence_sequence(tally: _Tally, confidence_level: float, concentration: float) -> Interval:
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    n = float(tally.weights.sum())
    bets, threshold = _bets(n, concentration), -math.log(1.0 - level)

    def refuted(mean: float) -> bool:
        return _log_evalue(mean, tally, bets) >= threshold

    estimate = float(tally.values @ tally.weights) / n
    low, high = _edge(refuted, -1.0, estimate), _edge(refuted, 1.0, estimate)
    return Interval(low, high, level, "beta_mixture_confidence_sequence")


def _edge(refuted: Callable[[float], bool], outer: float, estimate: float) -> float:
    """Return the last value not kept on the way from the outermost one to the estimate.

    Wealth is convex in the value bet against and at most 1 at the estimate, so that each
    side has one such edge at most.
    """
    if outer == estimate or not refuted(_next_to(outer, estimate)):
        return outer
    inner = estimate
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2.0
        outer, inner = (middle, inner) if refuted(middle) else (outer, middle)
    return outer


def _next_to(outer: float, estimate: float) -> float:
    """Step off the end of the scale, where the largest stake is infinite."""
    return outer + (estimate - outer) * 1e-12


def _log_evalue(mean: float, tally: _Tally, bets: _Bets) -> float:
    """Return the log wealth of the mixture of bets against a mean, in both directions.

    A bet of s in (0, 1) multiplies wealth by 1 + s (value - mean) / (1 + mean) upwards
    and by 1 - s (value - mean) / (1 - mean) downwards: never below 0, and 1 on average.
    """
    seen = tally.weights > 0.0
    values, weights = tally.values[seen], tally.weights[seen]
    upwards = np.log1p(np.outer(bets.stakes, (values - mean) / (1.0 + mean))) @ weights
    downwards = np.log1p(np.outer(bets.stakes, (mean - values) / (1.0 - mean))) @ weights
    both = np.concatenate([bets.log_weights + upwards, bets.log_weights + downwards])
    largest = float(both.max())
    return largest + math.log(float(np.exp(both - largest).sum()))


def _bets(n: float, concentration: float) -> _Bets:
    """Return stakes 2 t - 1 for t over the upper half of Beta(a, a), on Gauss-Legendre panels.

    With t = sin^2(angle) the mixture's peak is about 1 / (2 sqrt(n)) wide at any t; a
    panel spans four such widths.
    """
    a = require_within("concentration", concentration, *_CONCENTRATIONS)
    n_panels = 2 + math.ceil(math.pi / 8.0 * math.sqrt(n + 2.0 * a))
    edges = np.linspace(math.pi / 4.0, math.pi / 2.0, n_panels + 1)
    half_width = (edges[1] - edges[0]) / 2.0
    angles = ((edges[:-1] + half_width)[:, None] + half_width * _PANEL_NODES[None, :]).ravel()
    log_density = math.log(2.0) + (2.0 * a - 1.0) * np.log(np.sin(angles) * np.cos(angles)) - betaln(a, a)
    log_weights = log_density + np.log(np.tile(_PANEL_WEIGHTS, n_panels) * half_width)
    return _Bets(-np.cos(2.0 * angles), log_weights)


def _tally(differences: ArrayLike) -> _Tally:
    array = scores(differences, name="differences")
    if np.any(np.abs(array) > 1.0):
        raise ValueError(f"differences must lie in [-1, 1], found {array[np.abs(array) > 1.0][0]}")
    values, counts = np.unique(array, return_counts=True)
    return _Tally(values, counts.astype(np.float64))
