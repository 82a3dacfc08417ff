"""The statistics with the fewest numpy calls, for scores that are fifths: a yardstick for ours.

Exact laws by one Fourier transform, resamples by one multinomial draw of the few
distinct values, clusters by weights: the quickest known ways, without anything that a
library needs around them. Their numbers are those of the harness.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import fft

REPEATS = 5
_SDS = 12
_TAILS = (0.025, 0.975)
_N_RESAMPLES = 10_000

Floats = NDArray[np.float64]


def plain_sign_flip(values: Floats) -> float:
    """Return the two-sided exact p-value, by the product of cosines and one transform."""
    whole = np.rint(values * REPEATS).astype(np.int64)
    counts = np.bincount(np.abs(whole))
    sizes = np.arange(counts.size)
    total, distance = int(counts @ sizes), abs(int(whole.sum()))
    reach = min(total, math.ceil(_SDS * math.sqrt(counts @ sizes**2)))
    length = fft.next_fast_len(reach + 2, real=True)
    angles = np.arange(length // 2 + 1) * (math.pi / length)
    spectrum = np.exp(1j * (total % 2) * angles)
    for size in sizes[1:]:
        spectrum *= np.cos(angles * size) ** counts[size]
    law = fft.irfft(spectrum, n=length)
    points = np.arange(length)
    sums = 2 * np.where(points > length // 2, points - length, points) + total % 2
    return float(law[np.abs(sums) >= distance].sum())


def plain_bootstrap(values: Floats) -> Floats:
    """Return both percentiles of the exact law of a resampled mean, by one transform."""
    whole = np.rint(values * REPEATS).astype(np.int64)
    lowest = int(whole.min())
    counts = np.bincount(whole - lowest)
    distinct = np.arange(counts.size) + lowest
    n = whole.size
    mean = counts @ distinct / n
    reach = math.ceil(_SDS * math.sqrt(n * (counts @ (distinct - mean) ** 2 / n)))
    length = fft.next_fast_len(2 * reach, real=True)
    centre = round(mean)
    one = np.bincount((distinct - centre) % length, weights=counts / n, minlength=length)
    low = math.floor(counts @ distinct - reach)
    law = np.roll(fft.irfft(fft.rfft(one) ** n, n=length), -((low - n * centre) % length))
    return (low + np.searchsorted(np.cumsum(law), _TAILS)) / (REPEATS * n)


def plain_resamples(values: Floats, rng: np.random.Generator) -> Floats:
    """Return both percentiles of 10,000 resampled means, by one multinomial draw."""
    whole = np.rint(values * REPEATS).astype(np.int64)
    lowest = int(whole.min())
    counts = np.bincount(whole - lowest)
    distinct = (np.arange(counts.size) + lowest) / REPEATS
    drawn = rng.multinomial(whole.size, counts / whole.size, size=_N_RESAMPLES)
    return np.quantile(drawn @ distinct / whole.size, _TAILS)


def plain_cluster_bootstrap(values: Floats, codes: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Return both percentiles of 10,000 means over resampled clusters, by multinomial weights."""
    sums, sizes = np.bincount(codes, weights=values), np.bincount(codes)
    pairs, repeats = np.unique(np.rint(sums * REPEATS) + 1j * sizes, return_counts=True)
    drawn = rng.multinomial(sizes.size, repeats / sizes.size, size=_N_RESAMPLES)
    return np.quantile((drawn @ pairs.real) / REPEATS / (drawn @ pairs.imag), _TAILS)
