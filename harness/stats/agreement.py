"""Agreement of two raters who labelled the same items.

Missing ratings are -1 and leave the item out of the table; they are never a category.
Raw agreement, kappa and AC1 stand side by side: where one label is rare, kappa can be
near 0 although the raters hardly ever differ, and AC1 does not share that fault.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.samples import FloatArray, IntArray, counts, probability

Weighting = Literal["nominal", "linear", "quadratic"]


class Confusion(NamedTuple):
    """Two raters' labels counted against each other.

    Attributes:
        table: Items by label of the first rater (rows) and the second (columns).
            Shape (n_labels, n_labels).
        n_missing: Items left out because either rating is missing.
    """

    table: IntArray
    n_missing: int


class Coefficient(NamedTuple):
    """A coefficient of agreement.

    Attributes:
        estimate: At most 1; 0 is what chance alone would give, as the coefficient sees it.
        standard_error: Large-sample, items being independent.
        interval: Normal, cut at -1 and 1. Not estimable where the standard error is 0.
    """

    estimate: float
    standard_error: float
    interval: Interval | NotEstimable


class BinaryCounts(NamedTuple):
    """A judge's verdicts against the truth, both pass or fail.

    Attributes:
        true_pass: Truth pass, verdict pass; out of `n_pass` this is the sensitivity.
        n_pass: Items whose truth is pass.
        true_fail: Truth fail, verdict fail; out of `n_fail` this is the specificity.
        n_fail: Items whose truth is fail.
    """

    true_pass: int
    n_pass: int
    true_fail: int
    n_fail: int


def confusion(*, first: ArrayLike, second: ArrayLike, n_labels: int) -> Confusion:
    """Count two raters' labels against each other.

    Args:
        first: Labels 0..n_labels-1, -1 where missing. Shape (n_items,).
        second: The other rater's, in the same order. Shape (n_items,).
        n_labels: Labels there are, whether used or not; at least 2.

    Raises:
        ValueError: Unequal shapes, no whole numbers, or a label outside the range.
    """
    a, b = _labels(first, n_labels, name="first"), _labels(second, n_labels, name="second")
    if a.shape != b.shape:
        raise ValueError(f"ratings must be paired: {a.size} and {b.size} items")
    both = (a >= 0) & (b >= 0)
    cells = np.bincount(a[both] * n_labels + b[both], minlength=n_labels**2)
    return Confusion(cells.reshape(n_labels, n_labels), int(np.sum(~both)))


def binary_counts(*, truth: ArrayLike, verdict: ArrayLike) -> BinaryCounts:
    """Count a judge's verdicts against the truth.

    Args:
        truth: 1 pass, 0 fail, -1 unknown. Shape (n_items,).
        verdict: The same for the judge. Shape (n_items,).

    Raises:
        ValueError: As `confusion`.
    """
    table = confusion(first=truth, second=verdict, n_labels=2).table
    return BinaryCounts(
        true_pass=int(table[1, 1]),
        n_pass=int(table[1].sum()),
        true_fail=int(table[0, 0]),
        n_fail=int(table[0].sum()),
    )


def raw_agreement(table: ArrayLike) -> float | NotEstimable:
    """Return the share of items on which both raters say the same.

    Args:
        table: Counts, first rater in rows. Shape (n_labels, n_labels).

    Raises:
        ValueError: Not a square table of counts.
    """
    counted = _square(table)
    n = int(counted.sum())
    return int(np.trace(counted)) / n if n else NotEstimable("no item was rated by both")


def cohen_kappa(
    *, table: ArrayLike, weighting: Weighting, confidence_level: float
) -> Coefficient | NotEstimable:
    """Estimate Cohen's kappa, plain or weighted by the distance of ordered labels.

    Args:
        table: Counts, first rater in rows, labels in order. Shape (n_labels, n_labels).
        weighting: `nominal` counts every disagreement alike; `linear` and `quadratic` by
            the distance of the labels, which must then be ordered.
        confidence_level: In (0, 1).

    Returns:
        The coefficient; not estimable without items, or when chance agreement is 1: both
        raters used one label, and the same.

    Raises:
        ValueError: Not a square table of counts.

    References:
        Cohen (1960, 1968); standard error of Fleiss, Cohen & Everitt (1969), Psychological
        Bulletin 72(5), 323-327, equation 14.
    """
    counted = _square(table)
    level = probability(confidence_level, name="confidence_level")
    n = int(counted.sum())
    if n == 0:
        return NotEstimable("no item was rated by both")
    cells = counted / n
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    if np.max(rows) == 1 and np.argmax(rows) == np.argmax(columns) and np.max(columns) == 1:
        return NotEstimable(
            f"all {n} ratings of both raters are one label: chance agreement is 1, kappa is 0/0"
        )
    weights = agreement_weights(counted.shape[0], weighting)
    observed = float(np.sum(weights * cells))
    expected = float(rows @ weights @ columns)
    # Mean weight of the cell's row and column, equation 14.
    off = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    spread = float(np.sum(cells * (weights * (1 - expected) - off * (1 - observed)) ** 2))
    variance = spread - (observed * expected - 2 * expected + observed) ** 2
    error = float(np.sqrt(max(variance, 0.0) / n)) / (1 - expected) ** 2
    estimate = (observed - expected) / (1 - expected)
    name = "cohen_kappa" if weighting == "nominal" else f"cohen_kappa_{weighting}"
    return coefficient(estimate, error, level=level, method=name)


def agreement_weights(n_labels: int, weighting: Weighting) -> FloatArray:
    """Return how far two labels agree: 1 for the same, less with distance. Shape (n_labels, n_labels)."""
    if weighting == "nominal":
        return np.eye(n_labels)
    distance = np.abs(np.subtract.outer(np.arange(n_labels), np.arange(n_labels))) / (n_labels - 1)
    return np.asarray(1 - distance ** (1 if weighting == "linear" else 2), dtype=np.float64)


def coefficient(estimate: float, error: float, *, level: float, method: str) -> Coefficient:
    """Put an estimate and its normal interval together; no interval without a spread."""
    if error <= 1e-12:
        reason = "the ratings leave no spread to build an interval from"
        return Coefficient(estimate, 0.0, NotEstimable(reason))
    half_width = float(special.ndtri((1 + level) / 2)) * error
    low, high = max(estimate - half_width, -1.0), min(estimate + half_width, 1.0)
    return Coefficient(estimate, error, Interval(low, high, level, method))


def _labels(values: ArrayLike, n_labels: int, *, name: str) -> IntArray:
    labels = np.asarray(values)
    if n_labels < 2:
        raise ValueError(f"n_labels must be 2 or more, found {n_labels}")
    if labels.ndim != 1 or (labels.size and labels.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must hold whole labels of shape (n_items,), found {labels.dtype} {labels.shape}"
        )
    if labels.size and (labels.min() < -1 or labels.max() >= n_labels):
        raise ValueError(f"{name} must hold labels from 0 to {n_labels - 1}, or -1 for none")
    return labels.astype(np.int64)


def _square(table: ArrayLike) -> IntArray:
    counted = counts(table, name="table")
    if counted.ndim != 2 or counted.shape[0] != counted.shape[1] or counted.shape[0] < 2:
        raise ValueError(f"table must be square with two labels or more, found shape {counted.shape}")
    return counted
