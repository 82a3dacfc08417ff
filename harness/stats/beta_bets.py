"""Bets on and against a mean, mixed over a Beta distribution of their stakes.

One observation is a case, or a cluster with the sum and the number of its cases. Against a
mean m a cluster counts as sum - m * size, in units of the largest cluster there may be, so
that the mean is that of the cases, and no observation can cost a gambler more than all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from harness.stats.requires import require_within
from harness.stats.samples import FloatArray

_HALVINGS = 50
_PANEL_NODES, _PANEL_WEIGHTS = np.polynomial.legendre.leggauss(16)
# Above this the prior is a point at equality, and below it no density worth integrating.
CONCENTRATIONS = (0.5, 1e4)


class Tally(NamedTuple):
    """Distinct observations and how often each was seen. Every array has shape (n_distinct,).

    Attributes:
        sums: Sum of the differences of an observation's cases, in [-size, size].
        sizes: How many cases an observation has, in units of the largest there may be: in (0, 1].
        weights: How often it was seen.
    """

    sums: FloatArray
    sizes: FloatArray
    weights: FloatArray

    @property
    def estimate(self) -> float:
        """The mean over all cases."""
        return float(self.sums @ self.weights) / float(self.sizes @ self.weights)


class Bets(NamedTuple):
    """Stakes in (0, 1), as a share of the largest that cannot lose everything, with weights.

    The logarithms of the weights sum to a half: the other half bets the other way.
    """

    stakes: FloatArray
    log_weights: FloatArray


class LogWealth(NamedTuple):
    """Logarithms of what two gamblers hold, each from 1.

    Attributes:
        upwards: Of the one who bets that the mean is larger.
        downwards: Of the one who bets that it is smaller.
    """

    upwards: float
    downwards: float

    @property
    def mixed(self) -> float:
        """The log e-value of both with half of the money each."""
        return float(np.logaddexp(self.upwards, self.downwards)) - math.log(2.0)


def beta_bets(tally: Tally, concentration: float) -> Bets:
    """Return stakes 2 t - 1 for t over the upper half of Beta(a, a), on Gauss-Legendre panels.

    With t = sin^2(angle) the mixture's peak is about 1 / (2 sqrt(n)) wide at any t; a
    panel spans four such widths.
    """
    a = require_within("concentration", concentration, *CONCENTRATIONS)
    n = float(tally.weights.sum())
    n_panels = 2 + math.ceil(math.pi / 8.0 * math.sqrt(n + 2.0 * a))
    edges = np.linspace(math.pi / 4.0, math.pi / 2.0, n_panels + 1)
    half_width = (edges[1] - edges[0]) / 2.0
    angles = ((edges[:-1] + half_width)[:, None] + half_width * _PANEL_NODES[None, :]).ravel()
    log_density = math.log(2.0) + (2.0 * a - 1.0) * np.log(np.sin(angles) * np.cos(angles)) - betaln(a, a)
    log_weights = log_density + np.log(np.tile(_PANEL_WEIGHTS, n_panels) * half_width)
    return Bets(-np.cos(2.0 * angles), log_weights)


def log_wealth(mean: float, tally: Tally, bets: Bets) -> LogWealth:
    """Return the log wealth of the mixture of bets against a mean in (-1, 1), either way.

    A bet of s in (0, 1) multiplies wealth by 1 + s (sum - mean size) / (1 + mean) upwards
    and by 1 - s (sum - mean size) / (1 - mean) downwards: never below 0, and 1 on average.
    """
    seen = tally.weights > 0.0
    excess, weights = tally.sums[seen] - mean * tally.sizes[seen], tally.weights[seen]
    upwards = np.log1p(np.outer(bets.stakes, excess / (1.0 + mean))) @ weights
    downwards = np.log1p(np.outer(bets.stakes, -excess / (1.0 - mean))) @ weights
    return LogWealth(
        *(math.log(2.0) + _log_sum(bets.log_weights + gambler) for gambler in (upwards, downwards))
    )


def edge(refuted: Callable[[float], bool], outer: float, estimate: float) -> float:
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


def _log_sum(logs: FloatArray) -> float:
    largest = float(logs.max())
    return largest + math.log(float(np.exp(logs - largest).sum()))
