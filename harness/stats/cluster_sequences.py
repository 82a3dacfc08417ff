"""Evidence and limits for the mean of cases that come in clusters, at any time.

One cluster is one observation, however many cases it has; the mean is that of the cases.
With one case a cluster this is `harness.stats.sequential`.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.beta_bets import Bets, Tally, beta_bets, edge, log_wealth
from harness.stats.intervals import Interval
from harness.stats.requires import require_inside, require_positive_count
from harness.stats.samples import IntArray, scores
from harness.stats.sequential import Evidence, evidence_of

Sides = Literal["two-sided", "each"]


class Clusters(NamedTuple):
    """Differences by cluster, ready to be bet on."""

    tally: Tally
    bets: Bets


def clusters_seen(
    differences: ArrayLike, clusters: IntArray | None, *, largest: int, concentration: float
) -> Clusters:
    """Return the clusters seen so far.

    Args:
        differences: One a case, in [-1, 1], any order. Shape (n_cases,).
        clusters: Number of each case's cluster, shape (n_cases,); None where each stands alone.
        largest: Cases of the largest cluster that may ever be drawn, fixed beforehand.
        concentration: a of the Beta(a, a) of the stakes, in [0.5, 10000], fixed beforehand.

    Raises:
        ValueError: Differences that are empty, NaN or outside [-1, 1], a cluster larger
            than the largest, or a value out of range.
    """
    array = scores(differences, name="differences")
    if np.any(np.abs(array) > 1.0):
        raise ValueError(f"differences must lie in [-1, 1], found {array[np.abs(array) > 1.0][0]}")
    reach = float(require_positive_count("largest", largest))
    groups = np.arange(array.size) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(groups).astype(np.float64)
    if sizes.max() > reach:
        raise ValueError(f"a cluster has {sizes.max():g} cases, and the largest was to have {reach:g}")
    # Rounded to a grid far below what a case can move, so that equal clusters count as equal.
    sums = np.round(np.bincount(groups, weights=array), 12)
    pairs, counts = np.unique(np.column_stack([sums, sizes]), axis=0, return_counts=True)
    tally = Tally(pairs[:, 0] / reach, pairs[:, 1] / reach, counts.astype(np.float64))
    return Clusters(tally, beta_bets(tally, concentration))


def cluster_evidence(seen: Clusters) -> Evidence:
    """Return the evidence against a mean difference of 0."""
    return evidence_of(log_wealth(0.0, seen.tally, seen.bets).mixed)


def noninferiority_evidence(seen: Clusters, *, margin: float) -> Evidence:
    """Return the one-sided evidence against a loss of ``margin`` or more, ``margin`` in (0, 1)."""
    margin = require_inside("margin", margin, 0.0, 1.0)
    return evidence_of(log_wealth(-margin, seen.tally, seen.bets).upwards)


def cluster_confidence_sequence(seen: Clusters, *, confidence_level: float, sides: Sides) -> Interval:
    """Return limits for the mean difference that hold at any time.

    Args:
        seen: The clusters so far.
        confidence_level: In (0, 1).
        sides: ``two-sided``: both limits together hold at the level, and leave 0 out
            exactly when the evidence has reached 1 / (1 - level). ``each``: either limit
            alone fails with probability at most (1 - level) / 2, for two one-sided tests.

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1),
        1-27.
    """
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    estimate = seen.tally.estimate
    threshold = -math.log((1.0 - level) / (1.0 if sides == "two-sided" else 2.0))

    def refuted(mean: float) -> bool:
        wealth = log_wealth(mean, seen.tally, seen.bets)
        return (wealth.mixed if sides == "two-sided" else max(wealth)) >= threshold

    low, high = edge(refuted, -1.0, estimate), edge(refuted, 1.0, estimate)
    method = "beta_mixture_confidence_sequence"
    return Interval(low, high, level, method if sides == "two-sided" else f"one_sided_{method}")
