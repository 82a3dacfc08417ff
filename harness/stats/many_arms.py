"""Three or more arms on the same cases: do they differ at all, and which ones."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import SMALLEST_PVALUE, mcnemar_midp
from harness.stats.multiplicity import holm

BoolArray = NDArray[np.bool_]


class CochranTest(NamedTuple):
    """Cochran's Q.

    Attributes:
        statistic: Q, 0 or more.
        df: Degrees of freedom: arms minus 1.
        pvalue: Chi-square tail, in (0, 1]; an approximation for many informative cases.
        n_informative: Cases on which the arms do not all agree: only these count.
    """

    statistic: float
    df: int
    pvalue: float
    n_informative: int


class ArmPair(NamedTuple):
    """Two of several arms compared case by case.

    Attributes:
        first: Column of the arm compared with.
        second: Column of the arm compared.
        gain: Cases that only the second passes.
        loss: Cases that only the first passes.
        pvalue: Two-sided mid-p of McNemar's test.
        adjusted: The same after Holm, over all pairs.
    """

    first: int
    second: int
    gain: int
    loss: int
    pvalue: float
    adjusted: float


def cochran_q(passes: ArrayLike) -> CochranTest | NotEstimable:
    """Test whether several arms pass equally often on the same cases.

    Args:
        passes: Whether each arm (column) passes each case (row); booleans, or 0 and 1.
            Shape (n_cases, n_arms), n_arms >= 2.

    Returns:
        The test, or not estimable when the arms agree on every case.

    Raises:
        ValueError: Another shape, no case, or values other than 0 and 1.

    References:
        Cochran (1950), Biometrika 37(3/4), 256-266.
    """
    table = pass_table(passes).astype(np.int64)
    n_arms = table.shape[1]
    by_arm, by_case = table.sum(axis=0), table.sum(axis=1)
    n_informative = int(np.sum((by_case > 0) & (by_case < n_arms)))
    if n_informative == 0:
        return NotEstimable("all arms agree on every case: nothing tells them apart")
    spread = n_arms * int(np.sum(by_arm**2)) - int(np.sum(by_arm)) ** 2
    statistic = (n_arms - 1) * spread / int(np.sum(by_case * (n_arms - by_case)))
    pvalue = max(SMALLEST_PVALUE, float(chdtrc(n_arms - 1, statistic)))
    return CochranTest(statistic, n_arms - 1, pvalue, n_informative)


def pairwise_midp(passes: ArrayLike) -> tuple[ArmPair, ...]:
    """Compare every pair of arms by the mid-p McNemar test, adjusted by Holm.

    Args:
        passes: As for `cochran_q`.

    Returns:
        Every pair once, in the order of the columns.

    Raises:
        ValueError: As for `cochran_q`.
    """
    table = pass_table(passes)
    pairs = list(combinations(range(table.shape[1]), 2))
    tests = [_midp(table[:, first], table[:, second]) for first, second in pairs]
    adjusted = holm([pvalue for _, _, pvalue in tests])
    return tuple(
        ArmPair(first, second, gain, loss, pvalue, float(after))
        for (first, second), (gain, loss, pvalue), after in zip(pairs, tests, adjusted, strict=True)
    )


def _midp(first: BoolArray, second: BoolArray) -> tuple[int, int, float]:
    result = mcnemar_midp(gain=int(np.sum(second & ~first)), loss=int(np.sum(first & ~second)))
    return result.gain, result.loss, result.pvalue


def pass_table(passes: ArrayLike) -> BoolArray:
    """Return the table as booleans, or say what it is instead.

    Raises:
        ValueError: Another shape, no case, or values other than 0 and 1.
    """
    table = np.asarray(passes)
    if table.ndim != 2 or table.shape[1] < 2 or table.shape[0] < 1:
        raise ValueError(f"passes must hold cases in rows and two or more arms in columns, got {table.shape}")
    if table.dtype.kind not in "biuf" or not np.all((table == 0) | (table == 1)):
        raise ValueError("passes must hold booleans, or 0 and 1")
    return np.asarray(table == 1)
