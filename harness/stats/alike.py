"""Rows that are alike, found without sorting rows."""

from typing import NamedTuple

import numpy as np

from harness.stats.samples import FloatArray, IntArray

# No result depends on it: it decides how fast, not what.
_ANY_SEED = 1


class AlikeRows(NamedTuple):
    """Which rows of a matrix are the same.

    Attributes:
        first: For each distinct row, where it stands first. Shape (n_distinct,).
        number: For each row, its number among the distinct ones. Shape (n_rows,).
    """

    first: IntArray
    number: IntArray


def alike_rows(rows: FloatArray) -> AlikeRows:
    """Number the distinct rows, in an order that depends on their values alone.

    Every row is added up under arbitrary weights, and the sums are sorted, which is much
    faster than sorting rows. Should two different rows have one sum, the rows are sorted.

    Args:
        rows: Finite numbers. Shape (n_rows, n_columns), one row or more.
    """
    sums = np.zeros(rows.shape[0])
    # Column by column, so that equal rows are rounded equally wherever they stand.
    weights = 1 + np.random.default_rng(_ANY_SEED).random((rows.shape[1],))
    for column in range(rows.shape[1]):
        sums += rows[:, column] * weights[column]
    distinct = np.unique(sums)
    number = np.searchsorted(distinct, sums)
    first = np.empty(distinct.size, dtype=np.int64)
    # Written from the end: of rows that are alike the first one stays.
    first[number[::-1]] = np.arange(sums.size - 1, -1, -1)
    if not np.array_equal(rows[first][number], rows):
        _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return AlikeRows(first=first, number=number.reshape(-1))
