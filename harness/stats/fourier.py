"""Exact laws of sums on a lattice by one fast Fourier transform.

The characteristic function of a sum of independent lattice variables is a product, and
the law is its inverse transform. A window of twelve standard deviations on each side
holds all but 1e-30 of the probability; what lies outside is folded in. Memory is that of
the window, whatever the number of cases.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import fft

from harness.stats.samples import FloatArray, IntArray

# Rounding in a transform of a million points stays below 1e-13: ten times a hundred of it.
SMALLEST_FFT_PVALUE = 1e-10
_WINDOW_SDS = 12.0
_LOG_BOUND = 70.0  # exp(-70) = 4e-31
_LONGEST_TRANSFORM = 1 << 22
# exp(-50) = 2e-22: a point of the spectrum below it cannot be seen in the law.
_NEGLIGIBLE_LOG = -50.0


def sign_sum_tail(*, sizes: IntArray, repeats: IntArray, distance: int) -> float | None:
    """Return P(|T| >= distance) for T a sum of sizes with random signs.

    Args:
        sizes: Distinct positive whole numbers. Shape (n_sizes,).
        repeats: How often each size occurs. Shape (n_sizes,).
        distance: Whole number, 0 or more, of the parity of the total.

    Returns:
        The tail, correct to about 1e-13 absolutely; 0 beyond twelve standard deviations,
        where it is below 1e-30 by Hoeffding's inequality. None when the lattice is too
        fine for a transform of bounded length.

    References:
        Pagano & Tritchler (1983), JASA 78(382), 435-440.
    """
    total = int(sizes @ repeats)
    deviation = math.sqrt(float((sizes.astype(np.float64) ** 2) @ repeats))
    reach = min(total, math.ceil(_WINDOW_SDS * deviation))
    if distance > reach:
        return 0.0
    if reach + 2 > _LONGEST_TRANSFORM:
        return None
    length = fft.next_fast_len(reach + 2, real=True)
    odd = total % 2
    angles = np.arange(length // 2 + 1) * (math.pi / length)
    # irfft carries the opposite sign of the characteristic function: hence +1j.
    spectrum = _cosine_product(angles, sizes, repeats) * np.exp(1j * odd * angles)
    law = fft.irfft(spectrum, n=length)
    # Point j of the law is T = 2j + odd; the upper half of the window is negative.
    points = np.arange(length)
    signed = 2 * np.where(points > length // 2, points - length, points) + odd
    return max(float(law[np.abs(signed) >= distance].sum()), 0.0)


def _cosine_product(angles: FloatArray, sizes: IntArray, repeats: IntArray) -> FloatArray:
    """prod cos(angle * size)^repeats, the characteristic function of the signed sum."""
    logs = np.zeros(angles.size)
    signs = np.ones(angles.size)
    alive = np.arange(angles.size)
    # Most frequent first: after a few sizes nearly every point is negligible and dropped.
    for index in np.argsort(-repeats, kind="stable"):
        phase = angles[alive] * float(sizes[index])
        with np.errstate(divide="ignore"):
            logs[alive] += float(repeats[index]) * 0.5 * np.log1p(-np.minimum(np.sin(phase) ** 2, 1.0))
        if repeats[index] % 2:
            signs[alive] *= np.sign(np.cos(phase))
        alive = alive[logs[alive] > _NEGLIGIBLE_LOG]
    product = np.zeros(angles.size)
    product[alive] = signs[alive] * np.exp(logs[alive])
    return product


class SumLaw(NamedTuple):
    """The law of a sum of whole numbers.

    Attributes:
        lowest: The sum to which the first probability belongs.
        probabilities: Of consecutive sums from `lowest` on. Shape (n_sums,).
    """

    lowest: int
    probabilities: FloatArray


def drawn_sum_law(distinct: IntArray, repeats: IntArray) -> SumLaw | None:
    """Return the law of the sum of n draws with replacement from n whole numbers.

    Args:
        distinct: The different numbers. Shape (n_distinct,).
        repeats: How often each occurs; they add up to n. Shape (n_distinct,).

    Returns:
        The law, each probability correct to about 1e-16 n; None when the window would
        need too long a transform.

    References:
        Bertsimas & Sturt (2020), Operations Research 68(6), 1909-1922, for the bootstrap
        by exact convolution.
    """
    n = int(repeats.sum())
    total = int(distinct @ repeats)
    reach = sum_reach(distinct.astype(np.float64), repeats)
    low = max(n * int(distinct[0]), math.floor(total - reach))
    high = min(n * int(distinct[-1]), math.ceil(total + reach))
    if high - low + 1 > _LONGEST_TRANSFORM:
        return None
    length = fft.next_fast_len(high - low + 1, real=True)
    centre = round(total / n)
    one = np.bincount((distinct - centre) % length, weights=repeats / n, minlength=length)
    spectrum = fft.rfft(one) ** n
    # The sum of the centred draws sits at sum - n * centre; turn the circle to start at `low`.
    law = np.roll(fft.irfft(spectrum, n=length), -((low - n * centre) % length))
    return SumLaw(lowest=low, probabilities=np.maximum(law[: high - low + 1], 0.0))


def sum_reach(distinct: FloatArray, repeats: IntArray) -> float:
    """Distance from its mean that the sum of n draws passes with probability below 1e-30.

    By Bernstein's inequality: P(|S - E S| > t) <= 2 exp(-t^2 / (2 n s^2 + 2 M t / 3)).
    """
    n = float(repeats.sum())
    mean = float(distinct @ repeats) / n
    variance = float((distinct - mean) ** 2 @ repeats) / n
    third = float(distinct[-1] - distinct[0]) * _LOG_BOUND / 3
    return third + math.sqrt(third**2 + 2 * n * variance * _LOG_BOUND)
