"""A design that may end after any batch: evidence and limits that hold whenever it does."""

from typing import NamedTuple

from harness.analysis.table import FloatArray, IntArray
from harness.stats.cluster_sequences import (
    Clusters,
    Sides,
    cluster_confidence_sequence,
    cluster_evidence,
    clusters_seen,
    noninferiority_evidence,
)
from harness.stats.intervals import Interval
from harness.stats.sequential import Evidence

# Of the Beta distribution of the stakes: docs/sequential.md holds it against others.
CONCENTRATION = 2.0
FIXED_SIZE = "sequential: the run may end after any batch, and this holds at a size fixed beforehand alone"


class Anytime(NamedTuple):
    """What must be known beforehand: how many cases the largest cluster has that may be asked."""

    largest_cluster: int


class AnytimeDifference(NamedTuple):
    """Limits of a mean difference and the evidence against none, both valid at any stop."""

    interval: Interval
    evidence: Evidence


def anytime_difference(
    differences: FloatArray,
    clusters: IntArray | None,
    design: Anytime,
    *,
    confidence_level: float,
    sides: Sides = "two-sided",
) -> AnytimeDifference:
    """Return limits and evidence; one cluster is one observation, and the mean is that of the cases.

    Args:
        differences: Candidate minus baseline, in [-1, 1], shape (n_cases,), n_cases >= 1.
        clusters: Cluster numbers, shape (n_cases,); None where each case stands alone.
        design: What was fixed beforehand.
        confidence_level: Of the limits.
        sides: Whether the level is that of both limits, or each fails in half of what is left.
    """
    seen = _seen(differences, clusters, design)
    interval = cluster_confidence_sequence(seen, confidence_level=confidence_level, sides=sides)
    return AnytimeDifference(interval, cluster_evidence(seen))


def anytime_evidence(differences: FloatArray, clusters: IntArray | None, design: Anytime) -> Evidence:
    """Return the evidence against no difference."""
    return cluster_evidence(_seen(differences, clusters, design))


def anytime_noninferiority(
    differences: FloatArray, clusters: IntArray | None, design: Anytime, *, margin: float
) -> float:
    """Return the one-sided p-value of a loss as large as the margin, valid at any stop."""
    return noninferiority_evidence(_seen(differences, clusters, design), margin=margin).pvalue


def _seen(differences: FloatArray, clusters: IntArray | None, design: Anytime) -> Clusters:
    return clusters_seen(differences, clusters, largest=design.largest_cluster, concentration=CONCENTRATION)
