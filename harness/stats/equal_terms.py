"""The difference of two arms on equal terms: how much of it goes with how answers are written."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.cluster_robust import t_interval
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import SMALLEST_PVALUE
from harness.stats.samples import FloatArray, IntArray, cluster_codes, probability, same_length, scores

FEWEST_CLUSTERS = 10
_DUST = 1e-12


class Part(NamedTuple):
    """One number of a regression, with its jackknife interval and the two-sided t test of 0."""

    estimate: float
    interval: Interval
    pvalue: float


class EqualTerms(NamedTuple):
    """A mean difference with and without the part that goes with covariates.

    Attributes:
        n_cases: Cases.
        n_clusters: Their clusters.
        raw: Mean difference.
        equal: Mean difference where all covariates are 0: on equal terms.
        shift: Raw less equal: the part that goes with the covariates.
        slope: Change of the difference per unit of the first covariate.
    """

    n_cases: int
    n_clusters: int
    raw: Part
    equal: Part
    shift: Part
    slope: Part


def difference_on_equal_terms(
    *,
    differences: ArrayLike,
    covariates: Sequence[ArrayLike],
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> EqualTerms | NotEstimable:
    """Estimate the paired difference at equal covariates, by least squares over the cases.

    The covariates are differences too, candidate minus baseline: how much more often its
    answers are formatted, how much longer they are. Each case is its own control.

    Args:
        differences: Candidate minus baseline of each case, in [-1, 1]. Shape (n_cases,).
        covariates: At least one, each of shape (n_cases,); the first one has the slope.
        clusters: Name of each case's cluster. Shape (n_cases,). None: all independent.
        confidence_level: In (0, 1).

    Returns:
        The parts; not estimable below ten clusters, where a covariate does not vary or
        follows from the others, or where nothing is left over.

    Raises:
        ValueError: NaN, infinite, unequal shapes, or a difference outside [-1, 1].

    References:
        Delete-one-cluster jackknife with G - 1 degrees of freedom: MacKinnon, Nielsen & Webb
        (2023), Journal of Applied Econometrics 38(5), 671-694.
    """
    y = scores(differences, name="differences")
    level = probability(confidence_level, name="confidence_level")
    columns = [scores(values, name="covariates") for values in covariates]
    for column in columns:
        same_length(differences=y, covariates=column)
    if np.max(np.abs(y)) > 1:
        raise ValueError(f"differences must lie in [-1, 1], found {y[np.argmax(np.abs(y))]}")
    found = cluster_codes(clusters, n_cases=y.size)
    codes = np.arange(y.size) if found is None else found
    n_clusters = int(codes.max()) + 1
    if n_clusters < FEWEST_CLUSTERS:
        return NotEstimable(f"{n_clusters} clusters are too few; a regression needs {FEWEST_CLUSTERS}")
    design = np.stack([np.ones_like(y), *columns], axis=1)
    points = _leave_one_out(design, y, codes, n_clusters)
    if points is None:
        return NotEstimable("a covariate does not vary, follows from another, or varies in one cluster alone")
    whole = _parts(np.linalg.solve(design.T @ design, design.T @ y), float(y.mean()))
    error = ((n_clusters - 1) / n_clusters * np.sum((points - points.mean(axis=0)) ** 2, axis=0)) ** 0.5
    if error[0] <= _DUST or error[1] <= _DUST:
        return NotEstimable("nothing is left over: agreement alone says nothing about the spread")
    raw, equal, shift, slope = (
        _part(float(value), float(spread), n_clusters - 1, level)
        for value, spread in zip(whole, error, strict=True)
    )
    return EqualTerms(y.size, n_clusters, raw, equal, shift, slope)


def _leave_one_out(design: FloatArray, y: FloatArray, codes: IntArray, n_clusters: int) -> FloatArray | None:
    """Return raw, equal, shift and slope without each cluster. Shape (n_clusters, 4)."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n_clusters))
    outer = design[:, :, None] * design[:, None, :]
    squares = np.add.reduceat(outer[order], starts)
    products = np.add.reduceat((design * y[:, None])[order], starts)
    left_squares, left_products = squares.sum(axis=0) - squares, products.sum(axis=0) - products
    if np.max(np.linalg.cond(left_squares)) > 1e12:
        return None
    coefficients = np.linalg.solve(left_squares, left_products[:, :, None])[:, :, 0]
    means = left_products[:, 0] / left_squares[:, 0, 0]
    return np.stack((means, coefficients[:, 0], means - coefficients[:, 0], coefficients[:, 1]), axis=1)


def _parts(coefficients: FloatArray, mean: float) -> tuple[float, float, float, float]:
    return mean, float(coefficients[0]), mean - float(coefficients[0]), float(coefficients[1])


def _part(estimate: float, error: float, df: int, level: float) -> Part:
    interval = t_interval(
        centre=estimate, error=error, df=df, level=level, support=None, method="cluster_jackknife"
    )
    # A shift of exactly 0 has no error: the covariates play no part in these cases.
    pvalue = 1.0 if error <= _DUST else 2 * float(special.stdtr(df, -abs(estimate) / error))
    return Part(estimate, interval, max(pvalue, SMALLEST_PVALUE))
