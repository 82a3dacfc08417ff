"""Agreement of any number of raters, any of whom may have skipped any item."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.agreement import Coefficient, Weighting, agreement_weights, coefficient
from harness.stats.estimability import NotEstimable
from harness.stats.samples import FloatArray, IntArray, counts, probability

Level = Literal["nominal", "ordinal", "interval"]


def label_counts(*, ratings: ArrayLike, n_labels: int) -> IntArray:
    """Count the raters who gave each item each label.

    Args:
        ratings: Labels 0..n_labels-1, -1 where missing. Shape (n_items, n_raters).
        n_labels: Labels there are, at least 2.

    Returns:
        Shape (n_items, n_labels).

    Raises:
        ValueError: Not a matrix of whole labels, or a label outside the range.
    """
    labels = np.asarray(ratings)
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(f"ratings must be whole labels of shape (n_items, n_raters), found {labels.shape}")
    if n_labels < 2 or labels.min() < -1 or labels.max() >= n_labels:
        raise ValueError(
            f"ratings must hold labels from 0 to {n_labels - 1}, or -1 for none; two labels or more"
        )
    return np.stack([np.sum(labels == label, axis=1) for label in range(n_labels)], axis=1)


def percent_agreement(table: ArrayLike) -> float | NotEstimable:
    """Return the chance that two raters of one item agree, mean over items with two.

    Args:
        table: Raters by item and label. Shape (n_items, n_labels).

    Raises:
        ValueError: Not a table of counts.
    """
    counted = _table(table)
    pairs = _pairs(counted, np.eye(counted.shape[1]))
    return NotEstimable("no item has two ratings") if pairs.size == 0 else float(pairs.mean())


def fleiss_kappa(*, table: ArrayLike, confidence_level: float) -> Coefficient | NotEstimable:
    """Estimate Fleiss's kappa for a fixed number of raters an item.

    Args:
        table: Raters by item and label; every item rated as often. Shape (n_items, n_labels).
        confidence_level: In (0, 1).

    Returns:
        The coefficient; not estimable for unequal or single ratings, or one label alone.

    Raises:
        ValueError: Not a table of counts.

    References:
        Fleiss (1971), Psychological Bulletin 76(5), 378-382; standard error by
        linearisation over items, Gwet (2021), Psychometrika 86, 1-23.
    """
    counted = _table(table)
    level = probability(confidence_level, name="confidence_level")
    n_ratings = counted.sum(axis=1)
    if np.ptp(n_ratings) != 0:
        return NotEstimable(
            f"items have from {n_ratings.min()} to {n_ratings.max()} ratings; Krippendorff's alpha allows it"
        )
    if n_ratings[0] < 2:
        return NotEstimable("no item has two ratings")
    shares = counted.sum(axis=0) / counted.sum()
    expected = float(shares @ shares)
    if np.count_nonzero(shares) == 1:
        return NotEstimable(
            f"all {int(counted.sum())} ratings are one label: chance agreement is 1, kappa is 0/0"
        )
    pairs = _pairs(counted, np.eye(counted.shape[1]))
    estimate = (float(pairs.mean()) - expected) / (1 - expected)
    chance = (counted / n_ratings[:, None]) @ shares
    values = (pairs - expected) / (1 - expected) - 2 * (1 - estimate) * (chance - expected) / (1 - expected)
    return coefficient(estimate, _error(values, estimate), level=level, method="fleiss_kappa")


def gwet_ac(*, table: ArrayLike, weighting: Weighting, confidence_level: float) -> Coefficient | NotEstimable:
    """Estimate Gwet's AC1, or AC2 for ordered labels, for two raters or more.

    Args:
        table: Raters by item and label. Shape (n_items, n_labels), n_labels counting
            labels that nobody used. Items may differ in their number of ratings.
        weighting: `nominal` is AC1; `linear` and `quadratic` are AC2.
        confidence_level: In (0, 1).

    Returns:
        The coefficient; not estimable when no item has two ratings.

    Raises:
        ValueError: Not a table of counts.

    References:
        Gwet (2008), British J. Math. Stat. Psychology 61(1), 29-48, equations 6 and 7;
        weighted form and standard error: Gwet (2014), Handbook of Inter-Rater Reliability.
    """
    counted = _table(table)
    level = probability(confidence_level, name="confidence_level")
    rated = counted[counted.sum(axis=1) > 0]
    n_labels = counted.shape[1]
    weights = agreement_weights(n_labels, weighting)
    n_ratings = rated.sum(axis=1)
    if not np.any(n_ratings >= 2):
        return NotEstimable("no item has two ratings")
    shares = np.mean(rated / n_ratings[:, None], axis=0)
    # Each label's chance of being given at random by one rater and not by the other.
    factor = float(weights.sum()) / (n_labels * (n_labels - 1))
    expected = factor * float(np.sum(shares * (1 - shares)))
    paired = n_ratings >= 2
    agree = np.zeros(rated.shape[0])
    agree[paired] = _pairs(rated, weights)
    observed = float(agree[paired].mean())
    estimate = (observed - expected) / (1 - expected)
    scale = rated.shape[0] / int(paired.sum())
    chance = factor * ((rated / n_ratings[:, None]) @ (1 - shares))
    by_item = scale * np.where(paired, agree - expected, 0.0) / (1 - expected)
    values = by_item - 2 * (1 - estimate) * (chance - expected) / (1 - expected)
    name = "gwet_ac1" if weighting == "nominal" else f"gwet_ac2_{weighting}"
    return coefficient(estimate, _error(values, estimate), level=level, method=name)


def krippendorff_alpha(*, ratings: ArrayLike, present: ArrayLike, level: Level) -> float | NotEstimable:
    """Return Krippendorff's alpha for any number of raters and missing ratings.

    Args:
        ratings: Values: labels, ranks or numbers. Shape (n_items, n_raters).
        present: Whether there is a rating. Same shape; values elsewhere are not read.
        level: How far apart two values are: same or not (`nominal`), by the ratings between
            them (`ordinal`), or by their difference (`interval`).

    Returns:
        1 for full agreement, 0 for chance; not estimable when no item has two ratings, or
        when all paired ratings are one value.

    Raises:
        ValueError: Unequal shapes, or NaN or infinity where present.

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    values, mask = np.asarray(ratings, dtype=np.float64), np.asarray(present)
    if values.ndim != 2 or mask.shape != values.shape or mask.dtype != np.bool_:
        raise ValueError(f"ratings and present must be matrices alike, found {values.shape} and {mask.shape}")
    if not np.all(np.isfinite(values[mask])):
        raise ValueError("ratings hold NaN or infinities where present")
    mask = mask & (mask.sum(axis=1) >= 2)[:, None]
    if not np.any(mask):
        return NotEstimable("no item has two ratings")
    distinct, codes = np.unique(values[mask], return_inverse=True)
    if distinct.size == 1:
        return NotEstimable(f"all {codes.size} paired ratings are one value: disagreement is 0/0")
    items = np.nonzero(mask)[0]
    table = np.bincount(items * distinct.size + codes, minlength=mask.shape[0] * distinct.size)
    table = table.reshape(mask.shape[0], distinct.size)[mask.any(axis=1)]
    distances = _distances(distinct, table.sum(axis=0), level)
    within = np.einsum("ij,jk,ik->i", table, distances, table) / (table.sum(axis=1) - 1)
    totals = table.sum(axis=0)
    return 1 - (codes.size - 1) * float(within.sum()) / float(totals @ distances @ totals)


def _table(table: ArrayLike) -> IntArray:
    counted = counts(table, name="table")
    if counted.ndim != 2 or counted.shape[1] < 2:
        raise ValueError(
            f"table must have shape (n_items, n_labels), two labels or more; found {counted.shape}"
        )
    return counted


def _pairs(counted: IntArray, weights: FloatArray) -> FloatArray:
    """Weighted share of agreeing pairs of raters, for items with two ratings. Shape (n_paired,)."""
    rated = counted[counted.sum(axis=1) >= 2]
    n_ratings = rated.sum(axis=1)
    agreeing = np.sum(rated * (rated @ weights - 1), axis=1)
    return np.asarray(agreeing / (n_ratings * (n_ratings - 1)), dtype=np.float64)


def _error(values: FloatArray, estimate: float) -> float:
    """Standard error of a coefficient from its items' linearised values; 0 from one item."""
    n = values.size
    return float(np.sqrt(np.sum((values - estimate) ** 2) / (n * (n - 1)))) if n > 1 else 0.0


def _distances(values: FloatArray, totals: IntArray, level: Level) -> FloatArray:
    """Squared distances of the values, Krippendorff's delta. Shape (n_values, n_values)."""
    if level == "nominal":
        return 1 - np.eye(values.size)
    if level == "interval":
        return np.asarray(np.subtract.outer(values, values) ** 2, dtype=np.float64)
    # Ordinal: all ratings from one value to the other, each end counted by half.
    middles = np.cumsum(totals) - totals / 2
    return np.asarray(np.subtract.outer(middles, middles) ** 2, dtype=np.float64)
