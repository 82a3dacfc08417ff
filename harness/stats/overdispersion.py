"""How much the cases of one arm differ in their chance to pass: the beta-binomial law."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.estimability import NotEstimable
from harness.stats.samples import FloatArray, IntArray, counts

_MOST_STEPS = 200
_STEP_TOLERANCE = 1e-10


class BetaBinomial(NamedTuple):
    """Mean and correlation of repeats of one case.

    Attributes:
        n_cases: Cases with a repeat.
        mean: Mean chance to pass, in (0, 1).
        correlation: Between two repeats of one case, in [0, 1]. 0: all cases are tossed
            with one coin; 1: every case always passes or always fails.
        log_likelihood: At the maximum, binomial coefficients included.
        boundary: Where the correlation ran against its limit; None inside.
    """

    n_cases: int
    mean: float
    correlation: float
    log_likelihood: float
    boundary: Literal["all_alike", "all_unanimous"] | None


def beta_binomial(*, passes: ArrayLike, n_repeats: ArrayLike) -> BetaBinomial | NotEstimable:
    """Fit the beta-binomial law to tallies by maximum likelihood.

    Args:
        passes: Passes of each case. Shape (n_cases,).
        n_repeats: Repeats of each case, or one number for all. Shape (n_cases,) or ().

    Returns:
        The fit; not estimable without a case of two repeats, or when all repeats of all
        cases agree, since then passing and failing cases were not both seen.

    Raises:
        ValueError: No counts, unequal shapes, or more passes than repeats.

    References:
        Skellam (1948), JRSS B 10(2), 257-261.
    """
    x = counts(passes, name="passes")
    k = np.broadcast_to(counts(n_repeats, name="n_repeats"), x.shape)
    if np.any(x > k):
        raise ValueError("passes must not exceed n_repeats")
    if int(k.max()) < 2:
        return NotEstimable("no case has two repeats to correlate")
    share = int(x.sum()) / int(k.sum())
    if share in (0.0, 1.0):
        return NotEstimable(f"all {int(k.sum())} repeats {'pass' if share else 'fail'}: nothing varies")
    (x, k), weights = _tabulated(x[k > 0], k[k > 0])
    unanimous = (x == 0) | (x == k)
    if bool(np.all(unanimous)):
        n_cases = float(weights.sum())
        mean = float(weights @ (x == k)) / n_cases
        likelihood = n_cases * (special.xlogy(mean, mean) + special.xlogy(1 - mean, 1 - mean))
        return BetaBinomial(round(n_cases), mean, 1.0, float(likelihood), "all_unanimous")
    if _slope_at_zero(x, k, weights, share) <= 0:
        likelihood = float(weights @ (_log_choose(x, k) + x * math.log(share) + (k - x) * math.log1p(-share)))
        return BetaBinomial(round(float(weights.sum())), share, 0.0, likelihood, "all_alike")
    a, b = _maximum(x, k, weights, share)
    return BetaBinomial(
        n_cases=round(float(weights.sum())),
        mean=a / (a + b),
        correlation=1 / (a + b + 1),
        log_likelihood=_log_likelihood(x, k, weights, a, b),
        boundary=None,
    )


def _tabulated(x: IntArray, k: IntArray) -> tuple[FloatArray, FloatArray]:
    """Distinct (passes, repeats) and how often each occurs; the order of cases is gone."""
    pairs, weights = np.unique(np.stack((x, k)), axis=1, return_counts=True)
    return pairs.astype(np.float64), weights.astype(np.float64)


def _slope_at_zero(x: FloatArray, k: FloatArray, weights: FloatArray, share: float) -> float:
    """Slope of the log-likelihood in the correlation at 0 (Tarone 1979); at most 0: a binomial fits best."""
    terms = x * (x - 1) / share + (k - x) * (k - x - 1) / (1 - share) - k * (k - 1)
    return float(weights @ terms) / 2


def _log_choose(x: FloatArray, k: FloatArray) -> FloatArray:
    return np.asarray(-np.log(k + 1) - special.betaln(x + 1, k - x + 1), dtype=np.float64)


def _log_likelihood(x: FloatArray, k: FloatArray, weights: FloatArray, a: float, b: float) -> float:
    return float(weights @ (_log_choose(x, k) + special.betaln(x + a, k - x + b) - special.betaln(a, b)))


def _maximum(x: FloatArray, k: FloatArray, weights: FloatArray, share: float) -> tuple[float, float]:
    """Newton steps on (log a, log b), halved until the likelihood rises."""
    point = np.log([share * 1.5, (1 - share) * 1.5])
    value = _log_likelihood(x, k, weights, *np.exp(point))
    for _ in range(_MOST_STEPS):
        step = _newton_step(x, k, weights, point)
        while True:
            trial = _log_likelihood(x, k, weights, *np.exp(point + step))
            if trial >= value or np.max(np.abs(step)) < _STEP_TOLERANCE:
                break
            step = step / 2
        point, value = point + step, max(trial, value)
        if np.max(np.abs(step)) < _STEP_TOLERANCE:
            break
    return float(np.exp(point[0])), float(np.exp(point[1]))


def _newton_step(x: FloatArray, k: FloatArray, weights: FloatArray, point: FloatArray) -> FloatArray:
    a, b = np.exp(point)
    both = special.digamma(a + b) - special.digamma(k + a + b)
    slopes = np.array(
        [
            weights @ (special.digamma(x + a) - special.digamma(a) + both),
            weights @ (special.digamma(k - x + b) - special.digamma(b) + both),
        ]
    )
    shared = weights @ (special.polygamma(1, a + b) - special.polygamma(1, k + a + b))
    curvature = np.full((2, 2), shared)
    curvature[0, 0] += weights @ (special.polygamma(1, x + a) - special.polygamma(1, a))
    curvature[1, 1] += weights @ (special.polygamma(1, k - x + b) - special.polygamma(1, b))
    scale = np.array([a, b])
    gradient = slopes * scale
    hessian = curvature * np.outer(scale, scale) + np.diag(gradient)
    # Away from the maximum the surface may bend upwards: climb along the gradient there.
    if np.all(np.linalg.eigvalsh(hessian) < 0):
        step = -np.linalg.solve(hessian, gradient)
    else:
        step = gradient / max(float(np.max(np.abs(gradient))), 1.0)
    return np.clip(step, -2.0, 2.0)
