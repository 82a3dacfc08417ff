"""Standard errors of a mean when cases of one cluster move together."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from harness.stats.grid import on_grid
from harness.stats.intervals import Interval
from harness.stats.samples import FloatArray, IntArray


class ClusterSums(NamedTuple):
    """Differences added up by cluster, in an order that the order of the cases cannot change.

    Attributes:
        sums: Sum of the differences of each cluster. Shape (n_clusters,).
        sizes: Cases of each cluster. Shape (n_clusters,).
    """

    sums: FloatArray
    sizes: FloatArray


def cluster_sums(values: FloatArray, codes: IntArray) -> ClusterSums:
    """Add up differences by cluster, so that neither the order of cases nor names matter.

    Args:
        values: Differences. Shape (n_cases,).
        codes: Cluster of each, 0..n_clusters-1. Shape (n_cases,).
    """
    sizes = np.bincount(codes).astype(np.float64)
    grid = on_grid(values)
    if grid is not None:
        sums = np.asarray(np.bincount(codes, weights=grid.integers) * grid.step, dtype=np.float64)
    else:
        # Floating sums depend on their order: fix it by value within the cluster.
        order = np.lexsort((values, codes))
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
        sums = np.asarray(np.add.reduceat(values[order], starts), dtype=np.float64)
    order = np.lexsort((sums, sizes))
    return ClusterSums(sums=sums[order], sizes=sizes[order])


def cr2(residuals: FloatArray, sizes: FloatArray) -> tuple[float, float]:
    """Return the CR2 standard error of a mean and its df, in one pass over the clusters.

    With share h = size/n and a = (1-h)^(-1/2): V = sum(residual^2/(1-h))/n^2, and
    df = tr(P)^2/sum(P_gh^2) with P_gh = a_g a_h (n_g [g=h] - n_g n_h/n). Its trace is n,
    and its off-diagonal squares are a product, so no matrix is built.
    """
    n = float(sizes.sum())
    rest = 1 - sizes / n
    error = math.sqrt(float(np.sum(residuals**2 / rest))) / n
    products = sizes**2 / rest
    off_diagonal = (float(products.sum()) ** 2 - float(np.sum(products**2))) / n**2
    return error, n**2 / (float(np.sum(sizes**2)) + off_diagonal)


def t_interval(
    *, centre: float, error: float, df: float, level: float, support: tuple[float, float] | None, method: str
) -> Interval:
    """Return centre +- t * error, cut at the support."""
    half_width = float(special.stdtrit(df, (1 + level) / 2)) * error
    low, high = (-math.inf, math.inf) if support is None else support
    return Interval(
        low=min(max(centre - half_width, low), high),
        high=max(min(centre + half_width, high), low),
        confidence_level=level,
        method=method,
    )
