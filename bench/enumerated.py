"""Coverage and level without chance: every table there can be, weighted by its probability."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from harness.stats.estimability import NotEstimable
from harness.stats.means import paired_mean
from harness.stats.paired_difference import tango_interval

FloatArray = NDArray[np.float64]

DISCORDANCES = tuple(share / 50 for share in range(1, 51))
DIFFERENCES = tuple(share / 50 for share in range(16))


class Extremes(NamedTuple):
    """The worst of Tango's interval over a grid of discordances and differences.

    Attributes:
        n_cases: Cases of the run.
        coverage: Least coverage of the 95% interval.
        guardrail: Most often that a loss as large as the margin is called ruled out at .05.
        level: Most often that zero is left out where it is true.
        level_discordance: The discordance where that is.
    """

    n_cases: int
    coverage: float
    guardrail: float
    level: float
    level_discordance: float


class _Tables(NamedTuple):
    """Every pair of gains and losses, and Tango's limits for it. Shape (n_tables,) each."""

    gain: FloatArray
    loss: FloatArray
    low: FloatArray
    high: FloatArray
    low_one_sided: FloatArray


def extremes(n_cases: int) -> Extremes:
    """Go through every table of a run of so many cases."""
    tables = _tables(n_cases)
    coverages, guardrails, levels = [], [], []
    for discordance, difference in _worlds():
        weights = _weights(tables, n_cases, discordance, difference)
        holds = (tables.low <= difference) & (difference <= tables.high)
        coverages.append(float(weights @ holds))
        if difference > 0:
            mirrored = _weights(tables, n_cases, discordance, -difference)
            guardrails.append(float(mirrored @ (tables.low_one_sided > -difference)))
        else:
            levels.append((float(weights @ ~holds), discordance))
    level, where = max(levels)
    return Extremes(n_cases, min(coverages), max(guardrails), level, where)


def t_coverage(*, n_units: int, share: float, cluster_size: int = 1, invented_cases: bool = False) -> float:
    """Return how often the plain t interval holds the truth where units gain as a whole or not at all.

    Args:
        n_units: Cases, or clusters of ``cluster_size`` cases.
        share: Probability that a unit gains; nothing else changes.
        cluster_size: Cases of a cluster.
        invented_cases: Whether one case at each end, each its own cluster, is added.
    """
    held = 0.0
    for n_gains in range(n_units + 1):
        units = np.repeat([1.0, 0.0], [n_gains, n_units - n_gains])
        differences = np.repeat(units, cluster_size)
        clusters = np.repeat(np.arange(n_units), cluster_size)
        if invented_cases:
            differences = np.append(differences, [-1.0, 1.0])
            clusters = np.append(clusters, [n_units, n_units + 1])
        found = paired_mean(differences=differences, clusters=clusters, confidence_level=0.95)
        if not isinstance(found, NotEstimable) and found.interval.low <= share <= found.interval.high:
            held += float(
                np.exp(_log_choose(n_units, n_gains)) * share**n_gains * (1 - share) ** (n_units - n_gains)
            )
    return held


def _worlds() -> Iterator[tuple[float, float]]:
    for discordance, difference in product(DISCORDANCES, DIFFERENCES):
        if difference <= discordance:
            yield discordance, difference


@lru_cache(maxsize=8)
def _tables(n_cases: int) -> _Tables:
    pairs = [(gain, loss) for gain in range(n_cases + 1) for loss in range(n_cases + 1 - gain)]
    wide = [tango_interval(gain=g, loss=s, n_cases=n_cases, confidence_level=0.95) for g, s in pairs]
    narrow = [tango_interval(gain=g, loss=s, n_cases=n_cases, confidence_level=0.9) for g, s in pairs]
    return _Tables(
        gain=np.array([gain for gain, _ in pairs], dtype=np.float64),
        loss=np.array([loss for _, loss in pairs], dtype=np.float64),
        low=np.array([interval.low for interval in wide]),
        high=np.array([interval.high for interval in wide]),
        low_one_sided=np.array([interval.low for interval in narrow]),
    )


def _weights(tables: _Tables, n_cases: int, discordance: float, difference: float) -> FloatArray:
    """Return the probability of every table. Shape (n_tables,)."""
    gain_rate, loss_rate = (discordance + difference) / 2, (discordance - difference) / 2
    rest = n_cases - tables.gain - tables.loss
    with np.errstate(divide="ignore", invalid="ignore"):
        log = gammaln(n_cases + 1) - gammaln(tables.gain + 1) - gammaln(tables.loss + 1) - gammaln(rest + 1)
        for count, rate in ((tables.gain, gain_rate), (tables.loss, loss_rate), (rest, 1 - discordance)):
            log = log + np.where(count > 0, count * np.log(max(rate, 0.0)), 0.0)
    return np.asarray(np.exp(log), dtype=np.float64)


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
