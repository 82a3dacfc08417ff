"""Adjusted p-values for several tests at once, and an order in which tests may follow.

Holm for declared slices, Benjamini and Hochberg for what is only explored, Bretz and
Maurer's graphs where a primary test hands its level on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.requires import require_inside
from harness.stats.samples import BoolArray, FloatArray


class GraphicalTest(NamedTuple):
    """The outcome of a graphical procedure.

    Attributes:
        rejected: Whether each hypothesis is rejected. Shape (n_hypotheses,).
        adjusted: Adjusted p-values, in [0, 1]. Shape (n_hypotheses,).
    """

    rejected: BoolArray
    adjusted: FloatArray


def holm(pvalues: ArrayLike) -> FloatArray:
    """Return Holm's adjusted p-values: the chance of any false rejection is held.

    Args:
        pvalues: In [0, 1]. Shape (n_tests,); none at all is allowed. A test that was not
            run has no p-value and does not belong here.

    Returns:
        Adjusted p-values in the order given. Shape (n_tests,).

    Raises:
        ValueError: Not one-dimensional, not numbers, NaN, or outside [0, 1].

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.
    """
    raw = _pvalues(pvalues)
    order = np.argsort(raw, kind="stable")
    factors = np.arange(raw.size, 0, -1)
    return _in_order(np.maximum.accumulate(factors * raw[order]), order)


def benjamini_hochberg(pvalues: ArrayLike) -> FloatArray:
    """Return q-values that hold the expected share of false rejections.

    Args:
        pvalues: As for `holm`.

    Returns:
        q-values in the order given. Shape (n_tests,).

    Raises:
        ValueError: As for `holm`.

    References:
        Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B 57(1),
        289-300.
    """
    return _step_up(_pvalues(pvalues), 1.0)


def benjamini_yekutieli(pvalues: ArrayLike) -> FloatArray:
    """Return q-values that hold whatever the dependence between the tests.

    Args:
        pvalues: As for `holm`.

    Returns:
        q-values in the order given. Shape (n_tests,).

    Raises:
        ValueError: As for `holm`.

    References:
        Benjamini and Yekutieli (2001), Annals of Statistics 29(4), 1165-1188.
    """
    raw = _pvalues(pvalues)
    return _step_up(raw, float(np.sum(1.0 / np.arange(1, raw.size + 1))))


def graphical_procedure(
    *, pvalues: ArrayLike, weights: ArrayLike, transitions: Sequence[Sequence[float]], alpha: float
) -> GraphicalTest:
    """Test hypotheses along a graph: what one rejects hands its level to the next.

    Args:
        pvalues: In [0, 1]. Shape (n_hypotheses,).
        weights: Share of alpha each hypothesis starts with; at least 0, summing to at
            most 1. Shape (n_hypotheses,).
        transitions: Share of its level that a rejected hypothesis (row) hands to each
            other (column); rows sum to at most 1, the diagonal is 0. Shape
            (n_hypotheses, n_hypotheses).
        alpha: Level held over the family, in (0, 1).

    Raises:
        ValueError: Shapes differ, or weights or transitions out of range.

    References:
        Bretz, Maurer, Brannath and Posch (2009), Statistics in Medicine 28(4), 586-604.
    """
    raw, level = _pvalues(pvalues), require_inside("alpha", alpha, 0.0, 1.0)
    shares, graph = _graph(raw.size, weights, transitions)
    adjusted = np.ones(raw.size)
    left, largest = list(range(raw.size)), 0.0
    while left and any(shares[i] > 0.0 for i in left):
        ratios = [raw[i] / shares[i] if shares[i] > 0.0 else np.inf for i in left]
        chosen = left.pop(int(np.argmin(ratios)))
        largest = max(largest, min(ratios))
        adjusted[chosen] = min(1.0, largest)
        shares, graph = _hand_on(shares, graph, chosen, left)
    return GraphicalTest(adjusted <= level, adjusted)


def _hand_on(
    shares: FloatArray, graph: FloatArray, rejected: int, left: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """Return weights and transitions without a rejected hypothesis (Bretz et al., algorithm 1)."""
    new_shares, new_graph = shares.copy(), np.zeros_like(graph)
    for i in left:
        new_shares[i] += shares[rejected] * graph[rejected, i]
        loop = graph[i, rejected] * graph[rejected, i]
        if loop >= 1.0:
            continue
        for j in left:
            if j != i:
                through = graph[i, j] + graph[i, rejected] * graph[rejected, j]
                new_graph[i, j] = through / (1.0 - loop)
    return new_shares, new_graph


def _graph(
    n_hypotheses: int, weights: ArrayLike, transitions: Sequence[Sequence[float]]
) -> tuple[FloatArray, FloatArray]:
    shares = np.asarray(weights, dtype=np.float64)
    graph = np.asarray(transitions, dtype=np.float64).reshape(-1, n_hypotheses)
    if shares.shape != (n_hypotheses,) or graph.shape != (n_hypotheses, n_hypotheses):
        raise ValueError(
            f"{n_hypotheses} p-values need as many weights and a square of transitions, "
            f"got shapes {shares.shape} and {graph.shape}"
        )
    rows = np.vstack([shares, graph])
    # NaN fails every comparison, so the test asks for what must hold.
    if not (np.all(rows >= 0.0) and np.all(rows.sum(axis=1) <= 1.0 + 1e-9)):
        raise ValueError("weights and each row of transitions must be at least 0 and sum to at most 1")
    if np.any(np.diag(graph) != 0.0):
        raise ValueError("a hypothesis cannot hand its level to itself: the diagonal must be 0")
    return shares, graph


def _step_up(raw: FloatArray, penalty: float) -> FloatArray:
    order = np.argsort(raw, kind="stable")[::-1]
    factors = penalty * raw.size / np.arange(raw.size, 0, -1)
    return _in_order(np.minimum.accumulate(factors * raw[order]), order)


def _in_order(adjusted: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> FloatArray:
    result = np.empty_like(adjusted)
    result[order] = np.minimum(1.0, adjusted)
    return result


def _pvalues(pvalues: ArrayLike) -> FloatArray:
    raw = np.asarray(pvalues)
    if raw.ndim != 1:
        raise ValueError(f"pvalues must have one dimension, found shape {raw.shape}")
    if raw.size == 0:
        return np.empty(0)
    if raw.dtype.kind not in "fiu":
        raise ValueError(f"pvalues must be numbers, found dtype {raw.dtype}")
    if not np.all((raw >= 0) & (raw <= 1)):
        raise ValueError(f"pvalues must lie in [0, 1], found {raw[~((raw >= 0) & (raw <= 1))][0]}")
    return raw.astype(np.float64)
