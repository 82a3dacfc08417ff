"""Three or more arms where cases share clusters: whole clusters are permuted, never single cases.

Under the null hypothesis that the arms of a cluster could change their names, every permutation of
the arms within every whole cluster is as likely as the one found. With one case a cluster the
statistic is Cochran's Q, and with two arms the test is the sign flip of whole clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.many_arms import ArmPair, BoolArray, pass_table
from harness.stats.multiplicity import holm
from harness.stats.permutation import monte_carlo_pvalue, sign_flip
from harness.stats.samples import IntArray, cluster_codes

# Patterns gone through one by one; beyond, random ones.
_MOST_ENUMERATED = 200_000
_CELLS_AT_ONCE = 1 << 20  # bounds the memory of random permutations


class ClusteredQ(NamedTuple):
    """Cochran's Q with whole clusters in the place of cases.

    Attributes:
        statistic: Q of the clusters' sums, 0 or more.
        df: Arms minus 1.
        pvalue: Share of permutations with a Q at least as large, above 0.
        n_informative: Clusters in which the arms do not all pass equally many cases.
        n_clusters: Clusters.
        method: How the permutations were gone through.
        n_resamples: Random permutations drawn; None where all were gone through.
    """

    statistic: float
    df: int
    pvalue: float
    n_informative: int
    n_clusters: int
    method: Literal["enumeration", "monte_carlo"]
    n_resamples: int | None


def clustered_q(
    passes: ArrayLike,
    *,
    clusters: Sequence[str] | ArrayLike,
    n_resamples: int,
    rng: np.random.Generator,
) -> ClusteredQ | NotEstimable:
    """Test whether several arms pass equally often, by permuting the arms of whole clusters.

    Args:
        passes: Whether each arm (column) passes each case (row). Shape (n_cases, n_arms).
        clusters: Name of each case's cluster. Shape (n_cases,).
        n_resamples: Random permutations, used where there are too many to go through.
        rng: Their source.

    Returns:
        The test; not estimable when the arms pass equally many cases in every cluster.

    Raises:
        ValueError: Another shape, no case, values other than 0 and 1, or no resamples.

    References:
        Cochran (1950), Biometrika 37(3/4), 256-266. Phipson & Smyth (2010), Statistical
        Applications in Genetics and Molecular Biology 9(1), article 39.
    """
    table = pass_table(passes)
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be 1 or more, found {n_resamples}")
    sums, n_clusters = _informative_sums(table, clusters)
    if not len(sums):
        return NotEstimable("all arms pass equally many cases in every cluster: nothing tells them apart")
    # In whole numbers, so that equal statistics are equal: k times a sum minus the sum over the arms.
    n_arms = table.shape[1]
    centred = n_arms * sums - sums.sum(axis=1, keepdims=True)
    found = int(np.sum(centred.sum(axis=0) ** 2))
    statistic = (n_arms - 1) * found / int(np.sum(centred**2))
    exact = (len(sums) - 1) * math.lgamma(n_arms + 1) <= math.log(_MOST_ENUMERATED)
    pvalue = _enumerated(centred, found) if exact else _random(centred, found, n_resamples, rng)
    return ClusteredQ(
        statistic=statistic,
        df=n_arms - 1,
        pvalue=pvalue,
        n_informative=len(sums),
        n_clusters=n_clusters,
        method="enumeration" if exact else "monte_carlo",
        n_resamples=None if exact else n_resamples,
    )


def pairwise_sign_flips(
    passes: ArrayLike,
    *,
    clusters: Sequence[str] | ArrayLike,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[ArmPair, ...]:
    """Compare every pair of arms by sign flips of whole clusters, adjusted by Holm.

    Args:
        passes: As for `clustered_q`.
        clusters: Name of each case's cluster. Shape (n_cases,).
        n_resamples: Random patterns, used only where no exact way is at hand.
        rng: Their source.

    Returns:
        Every pair once, in the order of the columns; with one cluster the p-values are 1.

    Raises:
        ValueError: As for `clustered_q`.
    """
    table = pass_table(passes)
    pairs = list(combinations(range(table.shape[1]), 2))
    differences = [table[:, second].astype(float) - table[:, first] for first, second in pairs]
    flips = [
        sign_flip(differences=each, clusters=clusters, n_resamples=n_resamples, rng=rng)
        for each in differences
    ]
    pvalues = [1.0 if isinstance(flip, NotEstimable) else flip.pvalue for flip in flips]
    return tuple(
        ArmPair(first, second, int(np.sum(each > 0)), int(np.sum(each < 0)), pvalue, float(after))
        for (first, second), each, pvalue, after in zip(
            pairs, differences, pvalues, holm(pvalues), strict=True
        )
    )


def _informative_sums(table: BoolArray, clusters: Sequence[str] | ArrayLike) -> tuple[IntArray, int]:
    """Return how many cases each arm passes in each cluster that tells arms apart, in an order of its own."""
    codes = cluster_codes(clusters, n_cases=len(table))
    of_case = np.arange(len(table)) if codes is None else codes
    n_clusters = int(of_case.max()) + 1
    sums = np.stack([np.bincount(of_case, arm, n_clusters) for arm in table.T], axis=1).astype(np.int64)
    told = sums[sums.min(axis=1) < sums.max(axis=1)]
    return told[np.lexsort(told.T)], n_clusters


def _enumerated(centred: IntArray, found: int) -> float:
    """Go through all permutations; those of the first cluster only rename the arms."""
    orders = [list(order) for order in permutations(range(centred.shape[1]))]
    totals = centred[:1]
    for row in centred[1:]:
        totals = (totals[:, None, :] + row[orders][None, :, :]).reshape(-1, row.size)
    return float(np.mean(np.sum(totals**2, axis=1) >= found))


def _random(centred: IntArray, found: int, n_resamples: int, rng: np.random.Generator) -> float:
    rows, repeats = np.unique(np.sort(centred, axis=1), axis=0, return_counts=True)
    n_orders = math.factorial(centred.shape[1])
    if len(rows) * n_orders < len(centred):
        totals = _alike(rows, repeats, n_resamples, rng)
        return monte_carlo_pvalue(
            n_as_extreme=int(np.sum(np.sum(totals**2, axis=1) >= found)), n_resamples=n_resamples
        )
    n_extreme = 0
    at_once = max(1, _CELLS_AT_ONCE // centred.size)
    for start in range(0, n_resamples, at_once):
        n = min(at_once, n_resamples - start)
        drawn = rng.permuted(np.broadcast_to(centred, (n, *centred.shape)), axis=2)
        n_extreme += int(np.sum(np.sum(drawn.sum(axis=1) ** 2, axis=1) >= found))
    return monte_carlo_pvalue(n_as_extreme=n_extreme, n_resamples=n_resamples)


def _alike(rows: IntArray, repeats: IntArray, n_resamples: int, rng: np.random.Generator) -> IntArray:
    """Return the arms' totals of random permutations: alike clusters share one multinomial draw."""
    orders = [list(order) for order in permutations(range(rows.shape[1]))]
    totals = np.zeros((n_resamples, rows.shape[1]), dtype=np.int64)
    for row, n in zip(rows, repeats, strict=True):
        totals += rng.multinomial(n, [1 / len(orders)] * len(orders), size=n_resamples) @ row[orders]
    return totals
