"""Is an effect the same in every segment? Cochran's Q, its law found by permutation."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.permutation import monte_carlo_pvalue
from harness.stats.samples import FloatArray, IntArray, same_length, scores

# Five clusters against five have 252 arrangements; three against three, 20, can never reach .05.
FEWEST_CLUSTERS = 5
_TIE_TOLERANCE = 1e-9


class Homogeneity(NamedTuple):
    """A test that the mean is the same in every segment.

    Attributes:
        statistic: Cochran's Q with cluster-robust variances, two invented clusters a segment.
        n_segments: Segments compared.
        n_left_out: Segments of fewer than 5 clusters, which are in no comparison.
        pvalue: Above 0: the share of arrangements with a Q at least as large.
        n_resamples: Arrangements drawn.
    """

    statistic: float
    n_segments: int
    n_left_out: int
    pvalue: float
    n_resamples: int


class _Exchange(NamedTuple):
    """Clusters of one size. Rows are clusters, cells are positions of their pairs."""

    places: IntArray
    labels: IntArray


def segment_homogeneity(
    *,
    differences: ArrayLike,
    segments: Sequence[str] | ArrayLike,
    clusters: Sequence[str] | ArrayLike,
    n_resamples: int,
    rng: np.random.Generator,
) -> Homogeneity | NotEstimable:
    """Test whether who answered has anything to do with the differences.

    Clusters of one size exchange the segments of their pairs, and the pairs of one cluster
    exchange theirs: a cluster that lies in several segments takes part, and dependence
    within clusters stays as it is. The level is exact at any size where who answered is
    unrelated to the outcome, and close to it where only the means are alike.

    Args:
        differences: Candidate minus baseline of each pair of answers. Shape (n_pairs,).
        segments: Name of each pair's segment. Shape (n_pairs,).
        clusters: Name of each pair's cluster. Shape (n_pairs,).
        n_resamples: Random arrangements, at least 1.
        rng: Their source.

    Returns:
        The test; not estimable with fewer than two segments of 5 clusters, where nothing
        varies, or where no two pairs can exchange.

    Raises:
        ValueError: Empty, NaN, infinite or unequal shapes.

    References:
        Cochran (1954), Biometrics 10(1), 101-129, for Q; Chung & Romano (2013), Annals of
        Statistics 41(2), 484-507, for permuting a studentised statistic.
    """
    values = scores(differences, name="differences")
    names = np.unique(np.asarray(segments), return_inverse=True)[1]
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    same_length(differences=values, segments=names, clusters=codes)
    large = [s for s in range(int(names.max()) + 1) if np.unique(codes[names == s]).size >= FEWEST_CLUSTERS]
    if len(large) < 2:
        return NotEstimable(
            f"{len(large)} of {int(names.max()) + 1} segments have {FEWEST_CLUSTERS} clusters or more; "
            "two are needed to compare"
        )
    keep = np.isin(names, large)
    values, codes = values[keep], np.unique(codes[keep], return_inverse=True)[1]
    labels = np.searchsorted(np.array(large), names[keep])
    spread = float(np.mean((values - values.mean()) ** 2))
    if spread <= 1e-15:
        return NotEstimable("no difference varies: agreement alone says nothing about the segments")
    exchanges = _exchanges(codes, labels)
    if not exchanges:
        return NotEstimable("no two clusters are of one size and in different segments: nothing can exchange")
    found = _cochran_q(values, labels, codes, len(large), spread)
    return Homogeneity(
        statistic=found,
        n_segments=len(large),
        n_left_out=int(names.max()) + 1 - len(large),
        pvalue=monte_carlo_pvalue(
            n_as_extreme=sum(
                _cochran_q(values, _exchanged(labels, exchanges, rng), codes, len(large), spread)
                >= found * (1 - _TIE_TOLERANCE)
                for _ in range(n_resamples)
            ),
            n_resamples=n_resamples,
        ),
        n_resamples=n_resamples,
    )


def _cochran_q(
    values: FloatArray, labels: IntArray, codes: IntArray, n_segments: int, spread: float
) -> float:
    sizes = np.bincount(labels, minlength=n_segments)
    means = np.bincount(labels, weights=values, minlength=n_segments) / sizes
    n_clusters = int(codes.max()) + 1
    cells = labels * n_clusters + codes
    sums = np.bincount(cells, weights=values - means[labels], minlength=n_segments * n_clusters)
    there = np.bincount(cells, minlength=n_segments * n_clusters).reshape(n_segments, -1) > 0
    invented = 2 * spread * (sizes / there.sum(axis=1)) ** 2
    variances = ((sums.reshape(n_segments, -1) ** 2).sum(axis=1) + invented) / sizes**2
    weights = 1 / variances
    centre = float(weights @ means / weights.sum())
    return float(weights @ (means - centre) ** 2)


def _exchanges(codes: IntArray, labels: IntArray) -> list[_Exchange]:
    """Return the clusters that can exchange segments, by size."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    found = []
    for size in np.unique(sizes):
        firsts = starts[sizes == size]
        places = order[firsts[:, None] + np.arange(size)[None, :]]
        if np.unique(labels[places]).size > 1:
            found.append(_Exchange(places, labels[places]))
    return found


def _exchanged(labels: IntArray, exchanges: Sequence[_Exchange], rng: np.random.Generator) -> IntArray:
    moved = labels.copy()
    for places, of_clusters in exchanges:
        dealt = of_clusters[rng.permutation(len(of_clusters))]
        moved[places] = rng.permuted(dealt, axis=1) if dealt.shape[1] > 1 else dealt
    return moved
