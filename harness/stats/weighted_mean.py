"""The mean of paired differences where cases carry weights of their own."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.cluster_robust import t_interval
from harness.stats.effective_counts import EffectiveCounts, effective_counts
from harness.stats.estimability import NotEstimable
from harness.stats.grid import TIE_TOLERANCE
from harness.stats.intervals import Interval
from harness.stats.samples import FloatArray, cluster_codes, probability, same_length, scores


class WeightedMean(NamedTuple):
    """A weighted mean difference and what is known about its error.

    Attributes:
        difference: Sum of weight times difference, over the sum of the weights.
        standard_error: Of that, from the data as they are; whole clusters move together.
        df: Satterthwaite degrees of freedom of the interval's error.
        interval: Two-sided t interval; with a support, of the widened data.
        counts: With a support, the steps that the score interval counts.
        n_units: Cases, or clusters, that weigh more than nothing.
        n_informative: Those of them whose mean is not the most common one.
    """

    difference: float
    standard_error: float
    df: float
    interval: Interval
    counts: EffectiveCounts | None
    n_units: int
    n_informative: int


class _Units(NamedTuple):
    """Weighted sums and weights of cases or clusters. Shape (n_units,) each."""

    sums: FloatArray
    weights: FloatArray


class _Fit(NamedTuple):
    mean: float
    error: float
    df: float


def weighted_mean(
    *,
    differences: ArrayLike,
    weights: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None,
    confidence_level: float,
    support: tuple[float, float] | None,
) -> WeightedMean | NotEstimable:
    """Estimate a weighted mean difference; with a support, by an interval that agreement cannot close.

    The error is that of a ratio of sums over independent units, each residual raised for its
    own pull on the mean (HC2, as in CR2). The degrees of freedom are Satterthwaite's for units
    whose sums vary with the square of their weight, so that four cases that carry most of the
    weight are worth about four. With a support two invented units, one at each end of it, are
    added, of the largest weight there is: with units of average weight a 95% interval holds
    65% where one in five of 50 cases weighs 50 times as much and one in ten of those gains
    (docs/validity.md).

    Args:
        differences: Candidate minus baseline of each case. Shape (n_cases,).
        weights: What each case counts, 0 or more; only their ratios matter. Shape (n_cases,).
        clusters: Name of each case's cluster. Shape (n_cases,). None: all independent.
        confidence_level: Of the interval, in (0, 1).
        support: Smallest and largest difference there can be; None where there are no such ends.

    Returns:
        The estimate; not estimable without two units of some weight, or, without a support,
        where nothing varies between them.

    Raises:
        ValueError: Empty, NaN, infinite, negative weights, or shapes that differ.

    References:
        Bell & McCaffrey (2002), Survey Methodology 28(2), 169-181. Bonett & Price (2012),
        Journal of Educational and Behavioral Statistics 37(4), 479-488.
    """
    level = probability(confidence_level, name="confidence_level")
    units = _units(differences, weights, clusters)
    if isinstance(units, NotEstimable):
        return units
    plain = _fit(units)
    if support is None and plain.error <= TIE_TOLERANCE * float(np.max(np.abs(units.sums), initial=1e-300)):
        return NotEstimable("nothing varies between cases: agreement alone says nothing about their spread")
    decides = plain if support is None else _fit(_widened(units, support))
    return WeightedMean(
        difference=plain.mean,
        standard_error=plain.error,
        df=decides.df,
        interval=t_interval(
            centre=decides.mean,
            error=decides.error,
            df=decides.df,
            level=level,
            support=support,
            method="weighted_t" if support is None else "weighted_plus_two",
        ),
        counts=None if support is None else effective_counts(sums=units.sums, weights=units.weights),
        n_units=units.weights.size,
        n_informative=_informative(units),
    )


def _units(
    differences: ArrayLike, weights: ArrayLike, clusters: Sequence[str] | ArrayLike | None
) -> _Units | NotEstimable:
    values, heavy = scores(differences, name="differences"), scores(weights, name="weights")
    same_length(differences=values, weights=heavy)
    if heavy.min() < 0.0:
        raise ValueError(f"weights must not be negative, found {heavy.min():g}")
    heavy = heavy / (float(heavy.max()) or 1.0)
    codes = cluster_codes(clusters, n_cases=values.size)
    of_unit = np.arange(values.size) if codes is None else codes
    # Floating sums depend on their order: fix it by what is added, not by the rows.
    order = np.lexsort((values, heavy, of_unit))
    of_unit, pulls = of_unit[order], (heavy * values)[order]
    sums, totals = np.bincount(of_unit, pulls), np.bincount(of_unit, heavy[order])
    some = totals > 0.0
    if int(some.sum()) < 2:
        return NotEstimable(f"{int(some.sum())} of {some.size} cases or clusters carry all the weight")
    mean_weight = float(np.sort(totals[some]).mean())
    order = np.lexsort((sums[some], totals[some]))
    return _Units(sums=sums[some][order] / mean_weight, weights=totals[some][order] / mean_weight)


def _widened(units: _Units, support: tuple[float, float]) -> _Units:
    largest = float(units.weights.max())
    return _Units(
        sums=np.append(units.sums, [largest * end for end in support]),
        weights=np.append(units.weights, [largest, largest]),
    )


def _fit(units: _Units) -> _Fit:
    total = float(units.weights.sum())
    mean = float(units.sums.sum()) / total
    raised = 1.0 / (1.0 - units.weights / total)
    residuals = units.sums - mean * units.weights
    error = math.sqrt(float(np.sum(residuals**2 * raised))) / total
    return _Fit(mean, error, _degrees_of_freedom(units.weights, raised))


def _degrees_of_freedom(weights: FloatArray, raised: FloatArray) -> float:
    """Return tr(P)^2 / sum(P_gh^2), P_gh = u_g u_h (1[g=h] + f_gh), without building the matrix.

    P is the covariance of the raised residuals where a unit's sum has variance w^2: with
    u_g = w_g / sqrt(1 - w_g/n) and f_gh = sum(w^2)/n^2 - (w_g + w_h)/n. Equal weights give n - 1.
    """
    n = float(weights.sum())
    squared = raised * weights**2
    pull = float(np.sum(weights**2)) / n**2
    own = pull - 2.0 * weights / n
    total, first, second = (float(np.sum(squared * weights**k)) for k in range(3))
    trace = float(np.sum(squared * (1.0 + own)))
    everywhere = (
        pull**2 * total**2 - 4.0 * pull * total * first / n + 2.0 * (total * second + first**2) / n**2
    )
    return trace**2 / (everywhere + float(np.sum(squared**2 * (1.0 + 2.0 * own))))


def _informative(units: _Units) -> int:
    ordered = np.sort(units.sums / units.weights)
    ends = np.flatnonzero(np.diff(ordered) > TIE_TOLERANCE * max(1.0, float(np.max(np.abs(ordered)))))
    most_common = int(np.max(np.diff(ends, prepend=-1, append=ordered.size - 1)))
    return ordered.size - most_common
