"""Binomial tails and probabilities that hold at millions of trials."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, gammaln, xlog1py, xlogy

FloatArray = NDArray[np.float64]


def lower_tail(count: ArrayLike, n_trials: ArrayLike, probability: ArrayLike) -> FloatArray:
    """Return P(X <= count) for X ~ Binomial(n_trials, probability).

    Args:
        count: Whole numbers; below 0 the answer is 0, from n_trials on it is 1.
        n_trials: Whole numbers, 0 or more. Broadcasts with `count`.
        probability: In [0, 1]. Broadcasts with `count`.

    Returns:
        Probabilities, by the incomplete beta function, so that a far tail is small
        rather than a difference of two numbers close to 1.
    """
    k = np.asarray(count, dtype=np.float64)
    n = np.asarray(n_trials, dtype=np.float64)
    q = 1.0 - np.asarray(probability, dtype=np.float64)
    inside = (k >= 0) & (k < n)
    tail = betainc(np.where(inside, n - k, 1.0), np.where(inside, k + 1.0, 1.0), q)
    return np.asarray(np.where(inside, tail, np.where(k < 0, 0.0, 1.0)), dtype=np.float64)


def upper_tail(count: ArrayLike, n_trials: ArrayLike, probability: ArrayLike) -> FloatArray:
    """Return P(X >= count) for X ~ Binomial(n_trials, probability).

    Args:
        count: Whole numbers.
        n_trials: Whole numbers, 0 or more. Broadcasts with `count`.
        probability: In [0, 1]. Broadcasts with `count`.
    """
    k = np.asarray(count, dtype=np.float64)
    n = np.asarray(n_trials, dtype=np.float64)
    inside = (k > 0) & (k <= n)
    tail = betainc(
        np.where(inside, k, 1.0),
        np.where(inside, n - k + 1.0, 1.0),
        np.asarray(probability, dtype=np.float64),
    )
    return np.asarray(np.where(inside, tail, np.where(k <= 0, 1.0, 0.0)), dtype=np.float64)


def point_probability(count: ArrayLike, n_trials: ArrayLike, probability: ArrayLike) -> FloatArray:
    """Return P(X = count) for X ~ Binomial(n_trials, probability), by way of logarithms.

    Args:
        count: Whole numbers in [0, n_trials].
        n_trials: Whole numbers, 0 or more. Broadcasts with `count`.
        probability: In [0, 1]. Broadcasts with `count`.
    """
    k = np.asarray(count, dtype=np.float64)
    n = np.asarray(n_trials, dtype=np.float64)
    p = np.asarray(probability, dtype=np.float64)
    log_ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.asarray(np.exp(log_ways + xlogy(k, p) + xlog1py(n - k, -p)), dtype=np.float64)


def likely_counts(n_trials: int, low: float, high: float) -> NDArray[np.int64]:
    """Return the counts that carry all but about 1e-15 of a binomial's probability.

    Args:
        n_trials: Whole number, 0 or more.
        low: Smallest success probability considered, in [0, 1].
        high: Largest success probability considered, in [low, 1].

    Returns:
        Consecutive whole numbers within [0, n_trials]. Shape (n_counts,).
    """
    # Bernstein: P(|X - np| > t) <= 2 exp(-t^2 / (2 np(1-p) + 2t/3)); t below makes it 1e-16.
    log_bound = 38.0

    def reach(probability: float) -> float:
        variance = n_trials * probability * (1.0 - probability)
        return log_bound / 3.0 + float(np.sqrt((log_bound / 3.0) ** 2 + 2.0 * log_bound * variance))

    first = max(0, int(np.floor(n_trials * low - reach(low))))
    last = min(n_trials, int(np.ceil(n_trials * high + reach(high))))
    return np.arange(first, last + 1, dtype=np.int64)
