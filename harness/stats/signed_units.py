"""The sums whose signs are tossed in a sign-flip test, and small sets of them gone through."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.cluster_robust import cluster_sums
from harness.stats.estimability import NotEstimable
from harness.stats.grid import TIE_TOLERANCE, on_grid, tabulate
from harness.stats.samples import FloatArray, IntArray, cluster_codes, scores


class SignedUnits(NamedTuple):
    """The sums that flip, alike ones together, and how far from 0 they add up.

    Attributes:
        n_cases: Cases.
        n_clusters: Units that flip, those that add up to 0 included.
        sizes: Distinct absolute sums above 0: whole numbers of a common step where
            `is_whole`, else multiples of the largest difference. Shape (n_sizes,).
        repeats: How often each size occurs. Shape (n_sizes,).
        distance: Absolute value of the sum found, in the unit of the sizes.
        is_whole: Whether the scores lie on a grid.
    """

    n_cases: int
    n_clusters: int
    sizes: FloatArray
    repeats: IntArray
    distance: float
    is_whole: bool


def signed_units(
    differences: ArrayLike, clusters: Sequence[str] | ArrayLike | None
) -> SignedUnits | NotEstimable:
    """Reduce differences to the sums that flip.

    Args:
        differences: Candidate minus baseline of each case. Shape (n_cases,).
        clusters: Name of each case's cluster. Shape (n_cases,). None: cases flip.

    Raises:
        ValueError: Empty, NaN, infinite or unequal shapes.
    """
    values = scores(differences, name="differences")
    codes = cluster_codes(clusters, n_cases=values.size)
    n_clusters = values.size if codes is None else int(codes.max()) + 1
    if n_clusters < 2:
        unit = "case" if values.size == 1 else "cluster"
        return NotEstimable(f"one {unit} has two sign patterns of the same size: the p-value is always 1")
    grid = on_grid(values)
    if grid is None:
        shares = values / np.max(np.abs(values))
        sums, repeats = np.unique(
            shares if codes is None else cluster_sums(shares, codes).sums, return_counts=True
        )
    elif codes is None:
        sums, repeats = tabulate(grid)
    else:
        sums, repeats = np.unique(np.bincount(codes, weights=grid.integers), return_counts=True)
    return _folded(values.size, n_clusters, sums.astype(np.float64), repeats, is_whole=grid is not None)


def _folded(
    n_cases: int, n_clusters: int, sums: FloatArray, repeats: IntArray, *, is_whole: bool
) -> SignedUnits:
    """Put a sum and its opposite together, and leave out those that are 0."""
    smallest = 0.0 if is_whole else TIE_TOLERANCE * float(np.max(np.abs(sums)))
    informative = np.abs(sums) > smallest
    sizes, where = np.unique(np.abs(sums[informative]), return_inverse=True)
    folded = np.bincount(where, weights=repeats[informative], minlength=sizes.size)
    return SignedUnits(
        n_cases=n_cases,
        n_clusters=n_clusters,
        sizes=sizes,
        repeats=folded.astype(np.int64),
        distance=abs(math.fsum(sums * repeats)),
        is_whole=is_whole,
    )


def counted(sizes: IntArray, distance: int) -> float:
    """Return the share of sign patterns at least `distance` from 0, by counting.

    Args:
        sizes: Positive whole numbers, at most 62 of them. Shape (n_units,).
        distance: Whole number of the parity of their total.

    Returns:
        Exact but for the last division.
    """
    # With A the sum of the sizes that got a plus, the signed sum is 2A - total.
    total = int(sizes.sum())
    ways = np.zeros(total + 1, dtype=np.int64)
    ways[0] = 1
    for size in sizes:
        ways[size:] = ways[size:] + ways[: total + 1 - size]
    extreme = np.abs(2 * np.arange(total + 1) - total) >= distance
    return int(ways[extreme].sum()) / (1 << int(sizes.size))


def enumerated(sizes: FloatArray, total: float) -> float:
    """Return the share of sign patterns at least `total` from 0, by listing them.

    Args:
        sizes: Positive numbers. Shape (n_units,); memory is that of 2^n_units numbers.
        total: The distance, met up to rounding.
    """
    # The first sign is fixed: a pattern and its opposite are equally far.
    sums = np.array([sizes[-1]])
    for size in sizes[:-1]:
        sums = np.concatenate((sums + size, sums - size))
    tolerance = TIE_TOLERANCE * float(sizes.sum())
    return float(np.mean(np.abs(sums) >= total - tolerance))
