"""How often repeats of one measurement disagree, with the item as the unit.

The measure is pairwise: the chance that two repeats of one item differ. Unlike the share
of items without any flip it does not depend on how many repeats were made, and it is
unbiased from two repeats on, as long as the number of repeats does not depend on the
votes. Where votes were added because the first ones differed, pass `n_first`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import paired_mean_plus_two
from harness.stats.samples import FloatArray, IntArray, cluster_codes, counts


class Repeatability(NamedTuple):
    """Agreement of repeats with one another.

    Attributes:
        n_items: Items with two votes or more.
        n_too_few: Items left out, having fewer.
        flip_rate: Chance that two votes on one item differ, mean over items.
        flip_rate_interval: Of the flip rate, the item or its cluster being the unit.
        unanimous_share: Share of items on which all votes agree. Falls with more votes.
        unanimous_interval: Of that share.
    """

    n_items: int
    n_too_few: int
    flip_rate: float
    flip_rate_interval: Interval | NotEstimable
    unanimous_share: float
    unanimous_interval: Interval | NotEstimable


def tally_repeatability(
    *,
    passes: ArrayLike,
    n_repeats: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> Repeatability | NotEstimable:
    """Estimate how often two pass-or-fail repeats differ, from tallies.

    Args:
        passes: Passes of each item. Shape (n_items,).
        n_repeats: Votes of each item, or one number for all. Shape (n_items,) or ().
        clusters: Name of each item's cluster. Shape (n_items,). None: all independent.
        confidence_level: In (0, 1).

    Returns:
        The estimate; not estimable when no item has two votes.

    Raises:
        ValueError: No counts, unequal shapes, or more passes than votes.
    """
    x = counts(passes, name="passes")
    k = np.broadcast_to(counts(n_repeats, name="n_repeats"), x.shape)
    if np.any(x > k):
        raise ValueError("passes must not exceed n_repeats")
    return _summary(np.stack((x, k - x), axis=1), clusters, confidence_level)


def vote_repeatability(
    *,
    votes: ArrayLike,
    n_first: int | None,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> Repeatability | NotEstimable:
    """Estimate how often two repeats differ, from votes of any number of labels.

    Args:
        votes: Label of each vote, 0, 1, ...; -1 where there is none. In the order in which
            they were asked for. Shape (n_items, n_votes).
        n_first: Use only as many of the first votes of each item; needed when later votes
            were asked for because of earlier ones, since the pairs they add agree too
            often. None: all.
        clusters: Name of each item's cluster. Shape (n_items,). None: all independent.
        confidence_level: In (0, 1).

    Returns:
        The estimate; not estimable when no item has two votes.

    Raises:
        ValueError: Not a matrix of labels, or n_first below 2.
    """
    labels = np.asarray(votes)
    if labels.ndim != 2 or labels.dtype.kind not in "iu":
        raise ValueError(f"votes must be whole labels of shape (n_items, n_votes), found {labels.shape}")
    if labels.size == 0 or labels.min() < -1:
        raise ValueError("votes must hold labels 0, 1, ... or -1 for none")
    if n_first is not None:
        if n_first < 2:
            raise ValueError(f"n_first must be 2 or more, found {n_first}")
        labels = labels[:, :n_first]
    n_labels = max(int(labels.max()) + 1, 1)
    table = np.stack([np.sum(labels == label, axis=1) for label in range(n_labels)], axis=1)
    return _summary(table, clusters, confidence_level)


def _summary(
    table: IntArray, clusters: Sequence[str] | ArrayLike | None, level: float
) -> Repeatability | NotEstimable:
    """From votes by item and label. Shape (n_items, n_labels)."""
    codes = cluster_codes(clusters, n_cases=table.shape[0])
    totals = table.sum(axis=1)
    used = totals >= 2
    if not np.any(used):
        return NotEstimable(f"none of {table.shape[0]} items has two votes to compare")
    flips = _pairwise_flips(table[used], totals[used])
    unanimous = (table[used].max(axis=1) == totals[used]).astype(np.float64)
    groups = None if codes is None else codes[used]
    return Repeatability(
        n_items=int(used.sum()),
        n_too_few=int(np.sum(~used)),
        flip_rate=float(np.sort(flips).mean()),
        flip_rate_interval=_interval(flips, groups, level),
        unanimous_share=float(unanimous.mean()),
        unanimous_interval=_interval(unanimous, groups, level),
    )


def _pairwise_flips(table: IntArray, totals: IntArray) -> FloatArray:
    """Share of the pairs of one item's votes that differ: for two labels 2x(K-x)/(K(K-1))."""
    same = np.sum(table * (table - 1), axis=1)
    return np.asarray(1 - same / (totals * (totals - 1)), dtype=np.float64)


def _interval(values: FloatArray, groups: IntArray | None, level: float) -> Interval | NotEstimable:
    """Items without a flip are no proof that none can flip: two invented ones leave room."""
    return paired_mean_plus_two(
        differences=values, clusters=groups, confidence_level=level, support=(0.0, 1.0)
    )
