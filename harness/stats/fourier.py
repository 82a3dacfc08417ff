"""Exact laws of sums on a lattice by one fast Fourier transform.

The characteristic function of a sum of independent lattice variables is a product, and
the law is its inverse transform. A window of twelve standard deviations on each side
holds all but 1e-30 of the probability; what lies outside is folded in. Memory is that of
the window, whatever the number of cases.
"""

import math

import numpy as np
from scipy import fft

from harness.stats.samples import FloatArray, IntArray

# Rounding in a transform of a million points stays below 1e-13: ten times a hundred of it.
SMALLEST_FFT_PVALUE = 1e-10
_WINDOW_SDS = 12.0
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
