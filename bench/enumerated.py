"""Coverage and level without chance: every table there can be, weighted by its probability."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, stdtrit, xlogy

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.mcnemar import mcnemar_exact, mcnemar_midp
from harness.stats.means import paired_mean
from harness.stats.paired_difference import tango_interval
from harness.stats.tango_binomial import tango_binomial_interval
from harness.stats.weighted_mean import weighted_mean

FloatArray = NDArray[np.float64]
Method = Callable[[int, int, int, float], Interval]


class At(NamedTuple):
    """A number, and the world where it is: shares of all cases."""

    number: float
    difference: float
    discordance: float


class Extremes(NamedTuple):
    """The worst of an interval over a grid of differences and discordances.

    Attributes:
        coverage: Least coverage of the 95% interval.
        guardrail: Most often that a loss as large as the margin is called ruled out at .05.
        level: Most often that zero is left out where it is true.
    """

    coverage: At
    guardrail: At
    level: At


class _Tables(NamedTuple):
    """Every pair of gains and losses, its number of ways, and limits. Shape (n_tables,) each."""

    n_cases: int
    gain: FloatArray
    loss: FloatArray
    log_ways: FloatArray
    low: FloatArray
    high: FloatArray
    low_one_sided: FloatArray


def widened(gain: int, loss: int, n_cases: int, level: float) -> Interval:
    """Return the interval that decides."""
    return tango_binomial_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=level)


def tango(gain: int, loss: int, n_cases: int, level: float) -> Interval:
    """Return Tango's, as he has it."""
    return tango_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=level)


def student(gain: int, loss: int, n_cases: int, level: float) -> Interval:
    """Return the paired t interval; of no width where all cases are alike."""
    mean = (gain - loss) / n_cases
    spread = max((gain + loss) / n_cases - mean**2, 0.0) * n_cases / (n_cases - 1)
    reach = float(stdtrit(n_cases - 1, 0.5 + level / 2)) * np.sqrt(spread / n_cases)
    return Interval(mean - reach, mean + reach, level, "paired_t")


def extremes(n_cases: int, *, most_discordant: float, method: Method) -> Extremes:
    """Go through every table of a run of so many cases, in every world up to a discordance."""
    tables = _tables(n_cases, method)
    coverages, guardrails, levels = [], [], []
    for difference, discordance in _worlds(n_cases, most_discordant):
        weights = _weights(tables, discordance, difference)
        held = float(weights @ ((tables.low <= difference) & (difference <= tables.high)))
        coverages.append(At(held, difference, discordance))
        if difference > 0:
            mirrored = _weights(tables, discordance, -difference)
            claimed = float(mirrored @ (tables.low_one_sided > -difference))
            guardrails.append(At(claimed, difference, discordance))
        else:
            levels.append(At(1 - held, difference, discordance))
    return Extremes(min(coverages), max(guardrails), max(levels))


def coverages(n_cases: int, *, discordance: float, method: Method) -> tuple[float, float]:
    """Return the least and the most coverage at one discordance, over the differences."""
    tables, found = _tables(n_cases, method), []
    for difference in np.linspace(0, discordance, 21):
        weights = _weights(tables, discordance, float(difference))
        found.append(float(weights @ ((tables.low <= difference) & (difference <= tables.high))))
    return min(found), max(found)


def sizes(n_cases: int, *, discordance: float) -> Mapping[str, float]:
    """Return how often exact and mid-p McNemar reject at .05 where the arms are alike."""
    tables = _tables(n_cases, tango)
    weights = _weights(tables, discordance, 0.0)
    pairs = [(int(g), int(s)) for g, s in zip(tables.gain, tables.loss, strict=True)]
    tests = {"exact": mcnemar_exact, "mid-p": mcnemar_midp}
    return {
        name: float(weights @ np.array([test(gain=g, loss=s).pvalue <= 0.05 for g, s in pairs]))
        for name, test in tests.items()
    }


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
            held += float(np.exp(_log_binomial(n_gains, n_units, share)))
    return held


def _worlds(n_cases: int, most_discordant: float) -> Iterator[tuple[float, float]]:
    """Yield differences and discordances: closest together where few cases change, and at each edge."""
    few = np.arange(0, 16, 0.25) / n_cases
    differences = np.unique(np.concatenate([few, np.linspace(min(16 / n_cases, 0.5), 0.5, 20)]))
    beyond = np.array([0, 0.03, 0.1, 0.2, 0.4, 0.7, 1, 1.5, 2, 3, 4, 6]) / n_cases
    agreeing = np.array([0, 0.1, 0.3, 0.6, 1, 2]) / n_cases
    common = np.concatenate([np.linspace(0.02, 1, 50), 1 - agreeing])
    for difference in differences[differences <= 0.5]:
        discordances = np.unique(np.concatenate([difference + beyond, common]))
        for discordance in discordances[(discordances >= difference) & (discordances <= most_discordant)]:
            yield float(difference), float(discordance)


@lru_cache(maxsize=32)
def _tables(n_cases: int, method: Method) -> _Tables:
    pairs = [(gain, loss) for gain in range(n_cases + 1) for loss in range(n_cases + 1 - gain)]
    wide = [method(gain, loss, n_cases, 0.95) for gain, loss in pairs]
    narrow = [method(gain, loss, n_cases, 0.9) for gain, loss in pairs]
    gain, loss = np.array(pairs, dtype=np.float64).T
    return _Tables(
        n_cases=n_cases,
        gain=gain,
        loss=loss,
        log_ways=gammaln(n_cases + 1)
        - gammaln(gain + 1)
        - gammaln(loss + 1)
        - gammaln(n_cases - gain - loss + 1),
        low=np.array([interval.low for interval in wide]),
        high=np.array([interval.high for interval in wide]),
        low_one_sided=np.array([interval.low for interval in narrow]),
    )


def _weights(tables: _Tables, discordance: float, difference: float) -> FloatArray:
    """Return the probability of every table. Shape (n_tables,)."""
    gain_rate = max(discordance + difference, 0.0) / 2
    loss_rate = max(discordance - difference, 0.0) / 2
    rest = tables.n_cases - tables.gain - tables.loss
    log = tables.log_ways + xlogy(tables.gain, gain_rate) + xlogy(tables.loss, loss_rate)
    return np.asarray(np.exp(log + xlogy(rest, max(1 - discordance, 0.0))), dtype=np.float64)


def plus_two(gain: int, loss: int, n_cases: int, level: float) -> Interval:
    """Return the t interval after one more case of each change, the score not asked."""
    n = n_cases + 2
    mean = (gain - loss) / n
    spread = (gain + loss + 2 - n * mean**2) / (n - 1)
    reach = float(stdtrit(n - 1, 0.5 + level / 2)) * np.sqrt(spread / n)
    return Interval(max(mean - reach, -1.0), min(mean + reach, 1.0), level, "plus_two")


def heavy_coverage(*, n_cases: int, heavy: float, share: float, rate: float, invented: float) -> float:
    """Return how often a weighted t interval holds the truth where only the heavy cases gain.

    Args:
        n_cases: Cases.
        heavy: Weight of the heavy ones; the others weigh 1.
        share: Of heavy cases.
        rate: How likely a heavy case gains.
        invented: Weight of the two invented cases, in units of the mean weight.
    """
    n_heavy = round(n_cases * share)
    weights = np.repeat([heavy, 1.0], [n_heavy, n_cases - n_heavy])
    weights = np.append(weights, [invented * weights.mean()] * 2)
    truth = rate * heavy * n_heavy / weights[:-2].sum()
    held = 0.0
    for n_gains in range(n_heavy + 1):
        differences = np.repeat([1.0, 0.0], [n_gains, n_cases - n_gains])
        found = weighted_mean(
            differences=np.append(differences, [-1.0, 1.0]),
            weights=weights,
            clusters=None,
            confidence_level=0.95,
            support=None,
        )
        if not isinstance(found, NotEstimable) and found.interval.low <= truth <= found.interval.high:
            held += float(np.exp(_log_binomial(n_gains, n_heavy, rate)))
    return held


def _log_binomial(count: int, n: int, rate: float) -> float:
    log_ways = gammaln(n + 1) - gammaln(count + 1) - gammaln(n - count + 1)
    return float(log_ways + xlogy(count, rate) + xlogy(n - count, 1 - rate))
