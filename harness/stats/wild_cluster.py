"""The wild cluster bootstrap-t: a second opinion when clusters are few."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.cluster_robust import cluster_sums
from harness.stats.estimability import NotEstimable
from harness.stats.permutation import monte_carlo_pvalue
from harness.stats.samples import FloatArray, cluster_codes, scores

_MOST_ENUMERATED = 16
_ROWS_AT_ONCE = 4096
_TIE_TOLERANCE = 1e-9


class WildCluster(NamedTuple):
    """A wild cluster bootstrap test of no difference.

    Attributes:
        n_clusters: Clusters.
        t: Mean over its CR1 standard error.
        pvalue: Two-sided, above 0.
        smallest_pvalue: The least that as many clusters could have given.
        n_resamples: Sign patterns drawn; None where all were gone through.
    """

    n_clusters: int
    t: float
    pvalue: float
    smallest_pvalue: float
    n_resamples: int | None


def wild_cluster_test(
    *,
    differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike,
    n_resamples: int,
    rng: np.random.Generator,
) -> WildCluster | NotEstimable:
    """Test no mean difference by flipping whole clusters and studentising each time.

    The null hypothesis is imposed, signs are Rademacher. Up to 16 clusters, all patterns
    are gone through and nothing is drawn.

    Args:
        differences: Candidate minus baseline of each case, any unit. Shape (n_cases,).
        clusters: Name of each case's cluster. Shape (n_cases,).
        n_resamples: Patterns drawn where there are more than 16 clusters.
        rng: Their source.

    Returns:
        The test; not estimable from one cluster or when nothing varies between clusters.

    Raises:
        ValueError: Empty, NaN, infinite, unequal shapes, or no resamples.

    References:
        Cameron, Gelbach & Miller (2008), Review of Economics and Statistics 90(3), 414-427.
    """
    values = scores(differences, name="differences")
    codes = cluster_codes(clusters, n_cases=values.size)
    largest = float(np.max(np.abs(values)))
    units = cluster_sums(values / (largest or 1.0), np.arange(values.size) if codes is None else codes)
    n_clusters = units.sizes.size
    if n_clusters < 2:
        return NotEstimable(f"all {values.size} cases are in one cluster: there is no second one")
    t = float(_studentised(units.sums[None, :], units.sizes)[0])
    if np.ptp(units.sums / units.sizes) <= _TIE_TOLERANCE:
        return NotEstimable(f"all {n_clusters} clusters have the same mean: nothing to studentise by")
    threshold = abs(t) * (1 - _TIE_TOLERANCE)
    if n_clusters <= _MOST_ENUMERATED:
        n_patterns = 2**n_clusters
        bits = np.arange(n_patterns)[:, None] >> np.arange(n_clusters) & 1
        n_extreme = _n_extreme(1 - 2 * bits, units.sums, units.sizes, threshold)
        return WildCluster(n_clusters, t, n_extreme / n_patterns, 2 / n_patterns, None)
    n_extreme = sum(
        _n_extreme(
            1 - 2 * rng.integers(0, 2, (min(_ROWS_AT_ONCE, n_resamples - start), n_clusters)),
            units.sums,
            units.sizes,
            threshold,
        )
        for start in range(0, n_resamples, _ROWS_AT_ONCE)
    )
    pvalue = monte_carlo_pvalue(n_as_extreme=n_extreme, n_resamples=n_resamples)
    return WildCluster(n_clusters, t, pvalue, 1 / (1 + n_resamples), n_resamples)


def _n_extreme(
    signs: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    sums: FloatArray,
    sizes: FloatArray,
    threshold: float,
) -> int:
    """Patterns at least as far out; a pattern without spread is as far out as can be."""
    n = 0
    for start in range(0, signs.shape[0], _ROWS_AT_ONCE):
        t = _studentised(signs[start : start + _ROWS_AT_ONCE] * sums, sizes)
        n += int(np.sum(np.abs(t) >= threshold))
    return n


def _studentised(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Mean over its CR1 standard error for each row of cluster sums. Shape (n_rows,)."""
    n, n_clusters = sizes.sum(), sizes.size
    means = sums.sum(axis=1) / n
    residuals = sums - means[:, None] * sizes
    errors = np.sqrt((residuals**2).sum(axis=1) * n_clusters / (n_clusters - 1)) / n
    flat = errors <= 1e-12
    quotients = means / np.where(flat, 1.0, errors)
    return np.asarray(
        np.where(flat, np.where(np.abs(means) <= 1e-12, 0.0, np.inf), quotients), dtype=np.float64
    )
