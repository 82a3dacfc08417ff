"""An interval for Krippendorff's alpha: whole items, or clusters of them, drawn anew."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.multirater import Level, krippendorff_alpha
from harness.stats.samples import BoolArray, FloatArray, IntArray, cluster_codes, probability

FEWEST_CLUSTERS = 10
_CELLS_AT_A_TIME = 4_000_000


def alpha_interval(
    *,
    ratings: ArrayLike,
    present: ArrayLike,
    level: Level,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> Interval | NotEstimable:
    """Return the percentile bootstrap interval of Krippendorff's alpha.

    Clusters of items are resampled with all their ratings. Raters are not: the
    interval holds for these raters.

    Args:
        ratings: As in `krippendorff_alpha`. Shape (n_items, n_raters).
        present: Whether there is a rating. Same shape.
        level: As in `krippendorff_alpha`.
        clusters: Name of each item's cluster. Shape (n_items,). None: all independent.
        confidence_level: In (0, 1).
        n_resamples: Resamples, at least 100.
        rng: Source of the resamples.

    Returns:
        The interval; not estimable where alpha is not, where all ratings of every item
        agree, or below ten clusters with two ratings of an item.

    Raises:
        ValueError: As `krippendorff_alpha`, or too few resamples.

    References:
        Zapf et al. (2016), BMC Medical Research Methodology 16:93: the bootstrap holds
        where the normal interval does not.
    """
    confidence = probability(confidence_level, name="confidence_level")
    if n_resamples < 100:
        raise ValueError(f"n_resamples must be 100 or more, found {n_resamples}")
    whole = krippendorff_alpha(ratings=ratings, present=present, level=level)
    if isinstance(whole, NotEstimable):
        return whole
    values, mask = np.asarray(ratings, dtype=np.float64), np.asarray(present)
    used = mask.sum(axis=1) >= 2
    codes = cluster_codes(clusters, n_cases=used.size)
    groups = np.arange(used.size) if codes is None else codes
    _, own = np.unique(groups[used], return_inverse=True)
    n_clusters = int(own.max()) + 1
    if n_clusters < FEWEST_CLUSTERS:
        return NotEstimable(
            f"{n_clusters} clusters with two ratings of an item; {FEWEST_CLUSTERS} are needed"
        )
    table, distinct = _value_counts(values[used], mask[used])
    if bool(np.all((table > 0).sum(axis=1) == 1)):
        return NotEstimable("all ratings of every item agree: resamples of them cannot differ")
    shares = np.full(n_clusters, 1 / n_clusters)
    alphas = np.concatenate(
        [
            _weighted_alphas(table, distinct, own, rng.multinomial(n_clusters, shares, size=size), level)
            for size in _blocks(n_resamples, n_clusters)
        ]
    )
    low, high = np.quantile(alphas, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), confidence, "percentile_bootstrap")


def _blocks(n_resamples: int, n_clusters: int) -> list[int]:
    """Return how many resamples to hold at a time, so that memory does not grow with the clusters."""
    most = max(1, _CELLS_AT_A_TIME // n_clusters)
    return [min(most, n_resamples - start) for start in range(0, n_resamples, most)]


def _value_counts(values: FloatArray, mask: BoolArray) -> tuple[IntArray, FloatArray]:
    """Ratings by item and value, and the values. Shape (n_items, n_values)."""
    distinct, codes = np.unique(values[mask], return_inverse=True)
    cells = np.nonzero(mask)[0] * distinct.size + codes
    table = np.bincount(cells, minlength=mask.shape[0] * distinct.size)
    return table.reshape(mask.shape[0], distinct.size), distinct


def _weighted_alphas(
    table: IntArray, distinct: FloatArray, own: IntArray, drawn: IntArray, level: Level
) -> FloatArray:
    """Alpha of each resample: 1 - (n - 1) within / between, as in `krippendorff_alpha`.

    Args:
        table: Ratings by item and value, two an item or more. Shape (n_items, n_values).
        distinct: The values. Shape (n_values,).
        own: Cluster of each item. Shape (n_items,).
        drawn: How often each cluster was drawn. Shape (n_resamples, n_clusters).
        level: How far apart two values are.
    """
    n_values = distinct.size
    n_clusters = drawn.shape[1]
    by_cluster = np.zeros((n_clusters, n_values))
    np.add.at(by_cluster, own, table)
    # Products of an item's counts, by which distances inside items are added up.
    products = np.zeros((n_clusters, n_values, n_values))
    np.add.at(products, own, table[:, :, None] * table[:, None, :] / (table.sum(axis=1) - 1)[:, None, None])
    totals = drawn @ by_cluster
    distances = _all_distances(distinct, totals, level)
    inside = (drawn @ products.reshape(n_clusters, -1)).reshape(-1, n_values, n_values)
    within = np.einsum("bij,bij->b", inside, distances)
    between = np.einsum("bi,bij,bj->b", totals, distances, totals)
    # A resample of one value alone has no alpha; it can only be as good as full agreement.
    one_value = between == 0
    ratio = within / np.where(one_value, 1.0, between)
    return np.asarray(np.where(one_value, 1.0, 1 - (totals.sum(axis=1) - 1) * ratio), dtype=np.float64)


def _all_distances(distinct: FloatArray, totals: FloatArray, level: Level) -> FloatArray:
    """Squared distances of the values in each resample. Shape (n_resamples, n_values, n_values)."""
    if level == "ordinal":
        middles = np.cumsum(totals, axis=1) - totals / 2
        return np.asarray((middles[:, :, None] - middles[:, None, :]) ** 2, dtype=np.float64)
    fixed = 1.0 - np.eye(distinct.size)
    if level == "interval":
        fixed = np.subtract.outer(distinct, distinct) ** 2
    return np.broadcast_to(fixed, (totals.shape[0], *fixed.shape))
