"""Scores as whole numbers of a common step, where they are.

Tallies, fractions k/K and decimals lie on a grid, but their floating-point images do
not: .5 - .3 and .3 - .1 differ in the last bit, and a tie is lost. Once the step is
found, sums are exact, ties are ties, and nothing changes when all scores are multiplied.
"""

from typing import NamedTuple

import numpy as np

from harness.stats.samples import FloatArray, IntArray

# Differences finer than this share of the largest score are rounding, not data.
TIE_TOLERANCE = 1e-11
# A step below 1/100,000 of the largest score says that the scores are continuous.
_LARGEST_INTEGER = 100_000
_FIRST = 1000
# Rounding grows by the quotients met on the way to the divisor, at most _LARGEST_INTEGER.
_REMAINDER_TOLERANCE = TIE_TOLERANCE * _LARGEST_INTEGER


class Grid(NamedTuple):
    """Scores as `step * integers`.

    Attributes:
        integers: Whole numbers without a common divisor. Shape (n_cases,).
        step: Size of one, in the unit of the scores, above 0.
    """

    integers: IntArray
    step: float


def on_grid(values: FloatArray) -> Grid | None:
    """Find the coarsest step of which all values are multiples.

    Args:
        values: Finite scores. Shape (n_cases,).

    Returns:
        The grid, or None when there is no step above 1/100,000 of the largest value.
    """
    largest = float(max(values.max(), -values.min()))
    if largest == 0.0:
        return Grid(integers=np.zeros(values.shape, dtype=np.int64), step=1.0)
    # Scores on a grid show its step early; where the first ones do not, all are looked at.
    grid = _multiples(values, largest, values[:_FIRST])
    if grid is None and values.size > _FIRST:
        grid = _multiples(values, largest, values)
    return grid


def tabulate(grid: Grid) -> tuple[IntArray, IntArray]:
    """Count how often each whole number occurs.

    Returns:
        The distinct integers in ascending order and their counts. Shape (n_distinct,) each.
    """
    lowest = int(grid.integers.min())
    repeats = np.bincount(grid.integers - lowest)
    distinct = np.flatnonzero(repeats)
    return distinct + lowest, repeats[distinct]


def _multiples(values: FloatArray, largest: float, seen: FloatArray) -> Grid | None:
    """Put all values on the grid of those seen and of the largest, if they lie there."""
    divisor = _common_divisor(np.unique(np.abs(seen)) / largest)
    if divisor is None:
        return None
    step = largest / round(1 / divisor)
    quotients = values / step
    integers = np.rint(quotients)
    quotients -= integers
    if max(float(quotients.max()), -float(quotients.min())) * step > TIE_TOLERANCE * largest:
        return None
    return Grid(integers=integers.astype(np.int64), step=step)


def _common_divisor(fractions: FloatArray) -> float | None:
    """Greatest common divisor of 1 and numbers in [0, 1], by Euclid."""
    divisor = 1.0
    for fraction in fractions:
        remainder = float(fraction)
        while remainder > _REMAINDER_TOLERANCE:
            divisor, remainder = remainder, abs(divisor - remainder * round(divisor / remainder))
        if divisor * _LARGEST_INTEGER < 1:
            return None
    return divisor
