"""How much of a win rate goes with the length of the answers."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import SMALLEST_PVALUE
from harness.stats.samples import FloatArray, IntArray, cluster_codes, probability, same_length, scores

FEWEST_PAIRS = 10
_MOST_STEPS = 50
# A linear predictor of 30 is a chance of 1e-13: the classes are separated.
_SEPARATED = 30.0


class LengthControl(NamedTuple):
    """A win rate with and without the part that goes with length.

    Attributes:
        n_pairs: Pairs.
        raw_win_rate: As judged, ties counted as half.
        win_rate: Predicted where both answers are equally long.
        interval: Of that rate, normal on the log-odds scale.
        intercept: Log-odds at equal length.
        slope: Log-odds per unit of length difference. Length is partly an effect of the
            candidate: the controlled rate is a second number, not the truth.
        standard_error: Of the intercept.
        slope_standard_error: Of the slope.
        slope_pvalue: Two-sided Wald test that length plays no part.
        shift: Raw less controlled rate: what goes with length.
        shift_interval: Of the shift, normal, from the spread that pairs of one cluster share.
        shift_pvalue: Two-sided test that it is 0, with the same.
    """

    n_pairs: int
    raw_win_rate: float
    win_rate: float
    interval: Interval
    intercept: float
    slope: float
    standard_error: float
    slope_standard_error: float
    slope_pvalue: float
    shift: float
    shift_interval: Interval
    shift_pvalue: float


class LengthThird(NamedTuple):
    """Wins among the pairs of one third by length difference.

    Attributes:
        shortest: Smallest length difference, candidate less baseline, in the third.
        longest: Largest one.
        n_pairs: Pairs.
        win_rate: Of the candidate.
    """

    shortest: float
    longest: float
    n_pairs: int
    win_rate: float


def length_controlled_win_rate(
    *,
    wins: ArrayLike,
    length_differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> LengthControl | NotEstimable:
    """Estimate the win rate at equal length by a logistic regression on the length difference.

    Args:
        wins: 1 candidate, 0 baseline, .5 tie. Shape (n_pairs,).
        length_differences: Candidate less baseline, in any unit. Shape (n_pairs,).
        clusters: Name of each pair's cluster, for the shift. Shape (n_pairs,). None: all independent.
        confidence_level: In (0, 1).

    Returns:
        The rates; not estimable below ten pairs, when all pairs go one way, when lengths do
        not differ, or when length alone decides every pair.

    Raises:
        ValueError: NaN, infinite, unequal shapes, or wins outside [0, 1].

    References:
        Dubois et al. (2024), arXiv 2404.04475, without its terms for the prompts.
    """
    y, x = scores(wins, name="wins"), scores(length_differences, name="length_differences")
    same_length(wins=y, length_differences=x)
    level = probability(confidence_level, name="confidence_level")
    if y.min() < 0 or y.max() > 1:
        raise ValueError(f"wins must lie in [0, 1], found {y.min()} to {y.max()}")
    refusal = _length_refusal(y, x)
    if refusal is not None:
        return refusal
    order = np.lexsort((y, x))
    scale = float(np.max(np.abs(x)))
    fit = _logistic(y[order], x[order] / scale)
    if fit is None:
        return NotEstimable("length alone decides the pairs: the regression has no finite answer")
    (intercept, slope), covariance = fit
    error, slope_error = float(covariance[0, 0] ** 0.5), float(covariance[1, 1] ** 0.5)
    quantile = float(special.ndtri((1 + level) / 2))
    low, high = special.expit([intercept - quantile * error, intercept + quantile * error])
    codes = cluster_codes(clusters, n_cases=y.size)
    shift, spread = _shift(y, x / scale, fit, np.arange(y.size) if codes is None else codes)
    return LengthControl(
        n_pairs=y.size,
        raw_win_rate=float(y.mean()),
        win_rate=float(special.expit(intercept)),
        interval=Interval(float(low), float(high), level, "logistic_at_equal_length"),
        intercept=float(intercept),
        slope=float(slope) / scale,
        standard_error=error,
        slope_standard_error=slope_error / scale,
        slope_pvalue=max(2 * float(special.ndtr(-abs(slope) / slope_error)), SMALLEST_PVALUE),
        shift=shift,
        shift_interval=Interval(
            max(shift - quantile * spread, -1.0),
            min(shift + quantile * spread, 1.0),
            level,
            "influence_function",
        ),
        shift_pvalue=max(2 * float(special.ndtr(-abs(shift) / spread)), SMALLEST_PVALUE),
    )


def win_rate_by_length(*, wins: ArrayLike, length_differences: ArrayLike) -> tuple[LengthThird, ...]:
    """Split the pairs into thirds by length difference and give each its win rate.

    Equal differences stay together, so a third may hold more pairs than another, or none:
    then it is left out.

    Args:
        wins: 1 candidate, 0 baseline, .5 tie. Shape (n_pairs,).
        length_differences: Candidate less baseline, in any unit. Shape (n_pairs,).

    Raises:
        ValueError: NaN, infinite or unequal shapes.
    """
    y, x = scores(wins, name="wins"), scores(length_differences, name="length_differences")
    same_length(wins=y, length_differences=x)
    cuts = np.quantile(x, [1 / 3, 2 / 3], method="inverted_cdf")
    third = np.searchsorted(cuts, x, side="left")
    return tuple(
        LengthThird(
            float(x[inside].min()), float(x[inside].max()), int(inside.sum()), float(y[inside].mean())
        )
        for inside in (third == number for number in range(3))
        if np.any(inside)
    )


def _length_refusal(wins: FloatArray, differences: FloatArray) -> NotEstimable | None:
    if wins.size < FEWEST_PAIRS:
        return NotEstimable(f"{wins.size} pairs are too few for two coefficients; {FEWEST_PAIRS} are needed")
    if np.ptp(wins) == 0:
        return NotEstimable(f"all {wins.size} pairs went the same way")
    if np.ptp(differences) == 0:
        return NotEstimable("all length differences are equal: length cannot be told from the arm")
    return None


def _shift(
    y: FloatArray, x: FloatArray, fit: tuple[FloatArray, FloatArray], codes: IntArray
) -> tuple[float, float]:
    """Raw less controlled rate with its error, from how far each pair moves the two together."""
    (intercept, slope), covariance = fit
    rate = float(special.expit(intercept))
    design = np.stack((np.ones_like(x), x), axis=1)
    score = design * (y - special.expit(intercept + slope * x))[:, None]
    moves = (y - y.mean()) / y.size - rate * (1 - rate) * (score @ covariance[:, 0])
    by_cluster = np.bincount(codes, weights=moves)
    n = int(np.count_nonzero(np.bincount(codes)))
    error = float(np.sum(by_cluster**2) * n / (n - 1)) ** 0.5 if n > 1 else math.inf
    return float(y.mean()) - rate, max(error, SMALLEST_PVALUE)


def _logistic(y: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients and covariance by Newton's method; None where the likelihood has no maximum."""
    design = np.stack((np.ones_like(x), x), axis=1)
    point = np.zeros(2)
    for _ in range(_MOST_STEPS):
        predicted = special.expit(design @ point)
        information = design.T @ (design * (predicted * (1 - predicted))[:, None])
        if np.max(np.abs(design @ point)) > _SEPARATED or np.linalg.cond(information) > 1e12:
            return None
        step = np.linalg.solve(information, design.T @ (y - predicted))
        point = point + np.clip(step, -5.0, 5.0)
        if np.max(np.abs(step)) < 1e-12:
            return point, np.asarray(np.linalg.inv(information), dtype=np.float64)
    return None
