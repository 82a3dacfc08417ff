"""Sign-flip permutation tests of paired differences, exact wherever the scores allow.

Under the null hypothesis that a difference is as likely as its opposite, every case (or
every whole cluster) keeps its size and tosses a coin for its sign. The p-value is the
share of sign patterns whose sum is at least as far from 0 as the one found. On pass and
fail this is the exact McNemar test.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.fourier import SMALLEST_FFT_PVALUE, sign_sum_tail
from harness.stats.grid import TIE_TOLERANCE
from harness.stats.means import SMALLEST_PVALUE
from harness.stats.signed_units import SignedUnits, counted, enumerated, signed_units

Method = Literal["counting", "fft", "enumeration", "monte_carlo"]

# 62 signs have fewer than 2**63 patterns: their number still fits an int64.
_MOST_COUNTED = 62
_MOST_COUNTING_STEPS = 5_000_000
_MOST_ENUMERATED = 20
_MOST_DISTINCT_SIZES = 200
_CELLS_AT_ONCE = 1 << 20  # bounds the memory of random patterns


class SignFlip(NamedTuple):
    """A sign-flip test of no difference.

    Attributes:
        n_cases: Cases.
        n_clusters: Units that flip; n_cases when each case stands alone.
        n_informative: Units whose sum is not 0. Only these can move the p-value.
        pvalue: Two-sided, above 0 and at most 1. With no informative unit it is 1.
        is_bound: Whether the p-value is only known to be below the number given.
        smallest_pvalue: The least this test could have said with as many informative
            units. Above .05 it cannot reject at that level, whatever the data.
        method: How the sign patterns were gone through.
        n_resamples: Random patterns drawn; None where the result is exact.
    """

    n_cases: int
    n_clusters: int
    n_informative: int
    pvalue: float
    is_bound: bool
    smallest_pvalue: float
    method: Method
    n_resamples: int | None


def sign_flip(
    *,
    differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    n_resamples: int,
    rng: np.random.Generator,
) -> SignFlip | NotEstimable:
    """Test no difference exactly where that is cheap, else by random sign patterns.

    Args:
        differences: Candidate minus baseline of each case, any unit. Shape (n_cases,).
        clusters: Name of each case's cluster; whole clusters flip. None: cases flip.
        n_resamples: Random patterns, used only where no exact way is at hand.
        rng: Their source, left untouched by the exact ways.

    Returns:
        The test; not estimable from a single case or a single cluster.

    Raises:
        ValueError: Empty, NaN, infinite, unequal shapes, or no resamples.

    References:
        Fisher (1935), The Design of Experiments, section 21; Phipson & Smyth (2010),
        Statistical Applications in Genetics and Molecular Biology 9(1), article 39.
    """
    _require_resamples(n_resamples)
    units = signed_units(differences, clusters)
    if isinstance(units, NotEstimable):
        return units
    exact = _exact(units)
    return _monte_carlo(units, n_resamples, rng) if exact is None else exact


def sign_flip_exact(
    *, differences: ArrayLike, clusters: Sequence[str] | ArrayLike | None = None
) -> SignFlip | NotEstimable:
    """Test no difference over all sign patterns, without drawing any.

    Scores on a common grid (tallies, fractions, decimals) are counted or convolved; up to
    20 other units are enumerated, with ties by tolerance.

    Args:
        differences: Candidate minus baseline of each case, any unit. Shape (n_cases,).
        clusters: Name of each case's cluster; whole clusters flip. None: cases flip.

    Returns:
        The test; not estimable from a single unit, or for more than 20 units whose scores
        have no common grid (or too fine a one).

    Raises:
        ValueError: Empty, NaN, infinite or unequal shapes.
    """
    units = signed_units(differences, clusters)
    if isinstance(units, NotEstimable):
        return units
    exact = _exact(units)
    if exact is None:
        return NotEstimable(
            f"the {units.n_clusters} sums have no common step coarse enough to go through all sign patterns"
        )
    return exact


def sign_flip_monte_carlo(
    *,
    differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    n_resamples: int,
    rng: np.random.Generator,
) -> SignFlip | NotEstimable:
    """Test no difference by random sign patterns, the one found counted among them.

    Args:
        differences: Candidate minus baseline of each case, any unit. Shape (n_cases,).
        clusters: Name of each case's cluster; whole clusters flip. None: cases flip.
        n_resamples: Patterns drawn, at least 1.
        rng: Their source.

    Returns:
        The test, its p-value at least 1/(n_resamples + 1); not estimable from one unit.

    Raises:
        ValueError: Empty, NaN, infinite, unequal shapes, or no resamples.

    References:
        Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology
        9(1), article 39.
    """
    _require_resamples(n_resamples)
    units = signed_units(differences, clusters)
    return units if isinstance(units, NotEstimable) else _monte_carlo(units, n_resamples, rng)


def monte_carlo_pvalue(*, n_as_extreme: int, n_resamples: int) -> float:
    """Return (1 + r)/(1 + N): the pattern found is one of the patterns.

    Args:
        n_as_extreme: Random patterns at least as extreme, r.
        n_resamples: Random patterns drawn, N.

    Raises:
        ValueError: No resamples, or r outside 0..N.
    """
    _require_resamples(n_resamples)
    if not 0 <= n_as_extreme <= n_resamples:
        raise ValueError(f"{n_as_extreme} patterns of {n_resamples} cannot be as extreme")
    return (1 + n_as_extreme) / (1 + n_resamples)


def _require_resamples(n_resamples: int) -> None:
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be 1 or more, found {n_resamples}")


def _exact(units: SignedUnits) -> SignFlip | None:
    """Go through all patterns, or return None where there are too many."""
    if units.sizes.size == 0:
        return _result(units, pvalue=1.0, method="counting")
    if units.is_whole:
        return _exact_on_grid(units)
    if units.repeats.sum() > _MOST_ENUMERATED:
        return None
    pvalue = enumerated(np.repeat(units.sizes, units.repeats), units.distance)
    return _result(units, pvalue=pvalue, method="enumeration")


def _exact_on_grid(units: SignedUnits) -> SignFlip | None:
    whole = units.sizes.astype(np.int64)
    divisor = int(np.gcd.reduce(whole))
    steps, distance = whole // divisor, round(units.distance) // divisor
    n_informative = int(units.repeats.sum())
    if n_informative <= _MOST_COUNTED and n_informative * int(steps @ units.repeats) <= _MOST_COUNTING_STEPS:
        return _result(units, pvalue=counted(np.repeat(steps, units.repeats), distance), method="counting")
    if n_informative <= _MOST_ENUMERATED:
        pvalue = enumerated(np.repeat(steps, units.repeats).astype(np.float64), float(distance))
        return _result(units, pvalue=pvalue, method="enumeration")
    tail = sign_sum_tail(sizes=steps, repeats=units.repeats, distance=distance)
    if tail is None:
        return None
    is_bound = tail < SMALLEST_FFT_PVALUE
    pvalue = SMALLEST_FFT_PVALUE if is_bound else min(tail, 1.0)
    return _result(units, pvalue=pvalue, method="fft", is_bound=is_bound)


def _result(
    units: SignedUnits,
    *,
    pvalue: float,
    method: Method,
    is_bound: bool = False,
    n_resamples: int | None = None,
) -> SignFlip:
    # Of 2^m patterns, two reach the largest sum: all signs plus, all signs minus.
    n_informative = int(units.repeats.sum())
    smallest = 1.0 if n_informative == 0 else max(math.ldexp(1.0, 1 - n_informative), SMALLEST_PVALUE)
    if n_resamples is not None:
        smallest = max(smallest, 1 / (1 + n_resamples))
    return SignFlip(
        n_cases=units.n_cases,
        n_clusters=units.n_clusters,
        n_informative=n_informative,
        pvalue=pvalue,
        is_bound=is_bound,
        smallest_pvalue=smallest,
        method=method,
        n_resamples=n_resamples,
    )


def _monte_carlo(units: SignedUnits, n_resamples: int, rng: np.random.Generator) -> SignFlip:
    if units.sizes.size == 0:
        return _result(units, pvalue=1.0, method="monte_carlo", n_resamples=n_resamples)
    total = float(units.sizes @ units.repeats)
    threshold = units.distance - TIE_TOLERANCE * total
    few = units.sizes.size <= _MOST_DISTINCT_SIZES
    every = units.sizes if few else np.repeat(units.sizes, units.repeats)
    n_rows = max(_CELLS_AT_ONCE // every.size, 1)
    n_extreme = 0
    for start in range(0, n_resamples, n_rows):
        shape = (min(n_rows, n_resamples - start), every.size)
        # Alike sizes share one binomial draw; the law is that of single coins.
        plus = rng.binomial(units.repeats, 0.5, size=shape) if few else rng.integers(0, 2, shape, np.int8)
        n_extreme += int(np.sum(np.abs(2 * (plus @ every) - total) >= threshold))
    pvalue = monte_carlo_pvalue(n_as_extreme=n_extreme, n_resamples=n_resamples)
    return _result(units, pvalue=pvalue, method="monte_carlo", n_resamples=n_resamples)
