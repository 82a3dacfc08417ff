"""How many independent answers a share out of clusters is worth."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.samples import cluster_codes, scores


def design_effect(*, outcomes: ArrayLike, clusters: Sequence[str] | ArrayLike | None) -> float:
    """Return how many times larger the variance of a share is than if all answers were independent.

    The clustered variance is that of a ratio, with G/(G-1). Where all outcomes are alike it
    says nothing, and one cluster has no spread: then a cluster counts as one answer.

    Args:
        outcomes: 0 or 1 of each answer. Shape (n_answers,), n_answers >= 1.
        clusters: Name of each answer's cluster. Shape (n_answers,). None: all independent.

    Returns:
        At least 1, so that clusters never narrow an interval; at most the mean size of the
        cluster that an answer is in.

    Raises:
        ValueError: Empty, NaN, infinite or unequal shapes.

    References:
        Kish (1965), Survey Sampling, sections 5.4 and 8.2; effective counts in intervals for
        a rate: Korn & Graubard (1998), Survey Methodology 24(2), 193-201.
    """
    values = scores(outcomes, name="outcomes")
    codes = cluster_codes(clusters, n_cases=values.size)
    if codes is None:
        return 1.0
    sizes = np.bincount(codes).astype(np.float64)
    most = float(np.sum(sizes**2) / values.size)
    rate, n_clusters = float(values.mean()), int(np.count_nonzero(sizes))
    if n_clusters < 2 or not 0 < rate < 1:
        return most
    residuals = np.bincount(codes, weights=values - rate)
    clustered = float(np.sum(residuals**2)) * n_clusters / (n_clusters - 1) / values.size
    return min(max(clustered / (rate * (1 - rate)), 1.0), most)
