"""What several looks at growing results do to a fixed-n test, and the bounds that allow for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from harness.stats.requires import require_inside, require_positive_count
from harness.stats.samples import FloatArray

_HALVINGS = 34
# No constant for a level above 1e-8 is larger; it also bounds the range integrated over.
_LARGEST_CONSTANT = 6.0


class GroupSequentialConstants(NamedTuple):
    """Constants of two-sided bounds for equally spaced looks.

    Attributes:
        obrien_fleming: Look k of K rejects where |z| >= this times sqrt(K / k).
        pocock: Every look rejects where |z| >= this.
    """

    obrien_fleming: float
    pocock: float


def peeking_size(*, n_looks: int, alpha_each: float) -> float:
    """Return how often a true null is rejected at one of several looks.

    Args:
        n_looks: Equally spaced looks at growing results, at least 1.
        alpha_each: Two-sided level of the fixed-n test used at each look, in (0, 1).

    Raises:
        ValueError: A value out of range.

    References:
        Armitage, McPherson and Rowe (1969), Journal of the Royal Statistical Society A
        132(2), 235-244.
    """
    n_looks = require_positive_count("n_looks", n_looks)
    z = -float(ndtri(require_inside("alpha_each", alpha_each, 0.0, 1.0) / 2.0))
    return _crossing_probability(np.full(n_looks, z))


def group_sequential_constants(*, n_looks: int, alpha: float) -> GroupSequentialConstants:
    """Return the O'Brien-Fleming and Pocock constants that hold a two-sided level.

    Args:
        n_looks: Equally spaced looks planned, at least 1.
        alpha: Level over all looks, in (1e-6, 1).

    Raises:
        ValueError: A value out of range.

    References:
        Jennison and Turnbull (2000), Group Sequential Methods, tables 2.1 and 2.3.
    """
    n_looks = require_positive_count("n_looks", n_looks)
    alpha = require_inside("alpha", alpha, 1e-6, 1.0)
    shape = np.sqrt(n_looks / np.arange(1, n_looks + 1))
    return GroupSequentialConstants(
        obrien_fleming=_constant(lambda constant: _crossing_probability(constant * shape), alpha),
        pocock=_constant(lambda constant: _crossing_probability(np.full(n_looks, constant)), alpha),
    )


def _constant(size: Callable[[float], float], alpha: float) -> float:
    low, high = 0.0, _LARGEST_CONSTANT
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if size(middle) > alpha else (low, middle)
    return high


def _crossing_probability(bounds: FloatArray) -> float:
    """Return the chance that the z of equally spaced looks leaves +-bounds at one of them.

    The sum of k standard normal increments is followed look by look, on Gauss-Legendre
    nodes, as far as it has stayed inside.

    Args:
        bounds: Above 0. Shape (n_looks,).
    """
    looks = np.arange(1, bounds.size + 1)
    nodes, weights = _rule(64 + int(24.0 * math.sqrt(bounds.size)))
    limits = bounds * np.sqrt(looks)
    widths = np.minimum(limits, _LARGEST_CONSTANT * np.sqrt(looks) + 3.0)
    crossed = 2.0 * float(ndtr(-limits[0]))
    sums = widths[0] * nodes
    mass = _normal_density(sums) * weights * widths[0]
    for limit, width in zip(limits[1:], widths[1:], strict=True):
        crossed += float(mass @ (ndtr(-limit - sums) + ndtr(sums - limit)))
        after = width * nodes
        mass = (_normal_density(after[:, None] - sums[None, :]) @ mass) * weights * width
        sums = after
    return crossed


@lru_cache(maxsize=8)
def _rule(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights; more than two to an increment's deviation."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return nodes, weights


def _normal_density(z: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi), dtype=np.float64)
