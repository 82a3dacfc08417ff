"""Does accuracy fall over a series of audits? Cochran and Armitage's score, permuted over their order."""

import math
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.permutation import monte_carlo_pvalue
from harness.stats.samples import IntArray

# 4! orders are 24: the smallest p-value would be .042, no ground to call a judge unfit.
FEWEST_AUDITS = 5
_MOST_ENUMERATED = 7
_TIE_TOLERANCE = 1e-9


class Trend(NamedTuple):
    """A test that accuracy does not fall.

    Attributes:
        score: Sum over audits of centred time and of verdicts that are right beyond each
            anchor's own mean; below 0 where accuracy falls.
        pvalue: One-sided, of a fall; above 0.
        n_audits: Audits.
        n_orders: Orders of the audits gone through.
        exact: Whether those are all.
    """

    score: float
    pvalue: float
    n_audits: int
    n_orders: int
    exact: bool


def decay_trend(*, correct: ArrayLike, n_resamples: int, rng: np.random.Generator) -> Trend | NotEstimable:
    """Test whether the judge is right less and less often, over audits of the same anchors.

    Where nothing decays, the order of the audits means nothing. So their order is permuted
    and nothing else: verdicts on one anchor may be as dependent as they like, and so may
    all verdicts of one audit. Each anchor counts by what it is beyond its own mean, so that
    anchors that joined late do not look like decay.

    Args:
        correct: 1 right, 0 wrong, -1 not judged; audits in time order. Shape
            (n_anchors, n_audits).
        n_resamples: Random orders, where there are more audits than 7.
        rng: Their source.

    Returns:
        The test; not estimable with fewer than 5 audits, or where no anchor ever changed.

    Raises:
        ValueError: Not a matrix of 1, 0 and -1.

    References:
        Armitage (1955), Biometrics 11(3), 375-386; within strata: Mantel (1963), JASA
        58(303), 690-700. The law by permutation of whole audits.
    """
    table = np.asarray(correct)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "iu" or np.any(np.abs(table) > 1):
        raise ValueError(f"correct must hold 1, 0 or -1, shape (n_anchors, n_audits); found {table.shape}")
    n_audits = table.shape[1]
    if n_audits < FEWEST_AUDITS:
        return NotEstimable(f"{n_audits} audits; an order of fewer than {FEWEST_AUDITS} shows nothing")
    judged = table >= 0
    own = np.sum(table * judged, axis=1) / np.maximum(judged.sum(axis=1), 1)
    beyond = np.sum(judged * (table - own[:, None]), axis=0)
    if float(np.ptp(beyond)) <= _TIE_TOLERANCE:
        return NotEstimable("the audits are all alike: there is nothing to order")
    times = np.arange(n_audits, dtype=np.float64) - (n_audits - 1) / 2
    found = float(times @ beyond)
    orders, exact = _orders(n_audits, n_resamples, rng)
    n_as_low = int(np.sum(beyond[orders] @ times <= found + _TIE_TOLERANCE))
    pvalue = (
        n_as_low / len(orders)
        if exact
        else monte_carlo_pvalue(n_as_extreme=n_as_low, n_resamples=len(orders))
    )
    return Trend(score=found, pvalue=pvalue, n_audits=n_audits, n_orders=len(orders), exact=exact)


def _orders(n: int, n_resamples: int, rng: np.random.Generator) -> tuple[IntArray, bool]:
    if n <= _MOST_ENUMERATED:
        every = np.fromiter(permutations(range(n)), dtype=(np.int64, n), count=math.factorial(n))
        return every, True
    return rng.permuted(np.tile(np.arange(n), (n_resamples, 1)), axis=1), False
