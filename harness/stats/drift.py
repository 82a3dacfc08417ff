"""Watching a judge over time: sudden change by CUSUM, slow decay by slopes, a curve to look at."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.means import PairedMean, paired_mean
from harness.stats.samples import FloatArray, probability

_LIMIT_STEP = 0.02
_HIGHEST_LIMIT = 12.0
_FEWEST_RUNS = 200


class RunLength(NamedTuple):
    """How many verdicts pass until a chart alarms.

    Attributes:
        mean: Verdicts until an alarm, on average.
        standard_error: Of that mean, from the simulation.
        n_alarms: Simulated runs that alarmed.
        n_runs: Simulated runs.
    """

    mean: float
    standard_error: float
    n_alarms: int
    n_runs: int


class CusumLimit(NamedTuple):
    """A limit found by simulation.

    Attributes:
        limit: Alarm when the chart reaches it.
        in_control: Run length while the error rate is the accepted one.
        out_of_control: Run length once it is the one to be caught, from a chart at 0.
    """

    limit: float
    in_control: RunLength
    out_of_control: RunLength


class CusumPath(NamedTuple):
    """A CUSUM chart.

    Attributes:
        statistics: After each verdict, 0 or more. Shape (n_verdicts,).
        first_alarm: Position of the first verdict at or above the limit; None: no alarm.
    """

    statistics: FloatArray
    first_alarm: int | None


class EwmaPath(NamedTuple):
    """An exponentially weighted mean, made to be looked at.

    Attributes:
        means: After each value. Shape (n_values,).
        upper_limit: Three steady-state standard deviations above the start. Normal theory:
            for rare errors its false alarms are more frequent than it promises, so it
            draws a line and never alarms.
    """

    means: FloatArray
    upper_limit: float


def bernoulli_cusum(
    *, errors: ArrayLike, accepted_rate: float, rate_to_catch: float, limit: float
) -> CusumPath:
    """Follow the evidence that the error rate has risen from one value to another.

    Args:
        errors: Whether each verdict on an anchor was wrong, in time order. Shape (n_verdicts,).
        accepted_rate: Error rate while all is well, in (0, 1).
        rate_to_catch: Higher error rate that matters, in (accepted_rate, 1).
        limit: From `cusum_limit`, above 0.

    Raises:
        ValueError: Not booleans or 0/1, rates not in order, or a limit not above 0.

    References:
        Reynolds & Stoumbos (1999), Journal of Quality Technology 31(1), 87-108, equation 2.
    """
    wrong, right = _increments(accepted_rate, rate_to_catch)
    if not limit > 0:
        raise ValueError(f"limit must be above 0, found {limit}")
    sums = np.cumsum(np.where(_binary(errors, name="errors"), wrong, right))
    # max(0, S + step) is the sum less its lowest value so far, 0 included.
    statistics = sums - np.minimum.accumulate(np.minimum(sums, 0.0))
    alarms = np.flatnonzero(statistics >= limit)
    return CusumPath(statistics, int(alarms[0]) if alarms.size else None)


def cusum_limit(
    *,
    accepted_rate: float,
    rate_to_catch: float,
    run_length: int,
    n_runs: int,
    rng: np.random.Generator,
) -> CusumLimit:
    """Find the lowest limit that alarms falsely no more than once in `run_length` verdicts.

    Args:
        accepted_rate: Error rate while all is well, in (0, 1).
        rate_to_catch: Higher error rate that matters, in (accepted_rate, 1).
        run_length: Verdicts until a false alarm, on average; at least 10.
        n_runs: Simulated runs, at least 200.
        rng: Their source.

    Returns:
        The limit, to a step of 0.02, with both run lengths.

    Raises:
        ValueError: Rates not in order, or too few runs or verdicts.
    """
    steps = _increments(accepted_rate, rate_to_catch)
    if run_length < 10 or n_runs < _FEWEST_RUNS:
        raise ValueError(f"run_length must be 10 or more and n_runs {_FEWEST_RUNS} or more")
    limits = np.arange(_LIMIT_STEP, _HIGHEST_LIMIT, _LIMIT_STEP)
    exposure, alarms = _passages(accepted_rate, steps, limits, 5 * run_length, n_runs, rng)
    enough = np.flatnonzero(exposure >= run_length * np.maximum(alarms, 1))
    if enough.size == 0:
        raise ValueError(f"no limit below {_HIGHEST_LIMIT} gives a run length of {run_length}")
    best = int(enough[0])
    chosen = limits[best : best + 1]
    caught = _passages(rate_to_catch, steps, chosen, 5 * run_length, n_runs, rng)
    return CusumLimit(
        limit=float(chosen[0]),
        in_control=_run_length(float(exposure[best]), int(alarms[best]), n_runs),
        out_of_control=_run_length(float(caught[0][0]), int(caught[1][0]), n_runs),
    )


def ewma(*, values: ArrayLike, weight: float, start: float) -> EwmaPath:
    """Return the exponentially weighted mean of an error indicator.

    Args:
        values: Errors, 0 or 1, in time order. Shape (n_values,).
        weight: Of the newest value, in (0, 1).
        start: Error rate while all is well, in (0, 1): where the curve begins.

    Raises:
        ValueError: Not booleans or 0/1, or a weight or start outside (0, 1).

    References:
        Roberts (1959), Technometrics 1(3), 239-250.
    """
    share = probability(weight, name="weight")
    mean = rate = probability(start, name="start")
    means = []
    for value in _binary(values, name="values"):
        mean = share * float(value) + (1 - share) * mean
        means.append(mean)
    deviation = math.sqrt(rate * (1 - rate) * share / (2 - share))
    return EwmaPath(np.array(means), rate + 3 * deviation)


def accuracy_slope(
    *,
    correct: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> PairedMean | NotEstimable:
    """Estimate the change of accuracy per audit, over audits of the same anchors.

    Each anchor gives the slope of its own line through time, so anchors that differ in
    difficulty, or that joined late, do not look like decay.

    Args:
        correct: 1 right, 0 wrong, -1 not judged; audits in time order. Shape
            (n_anchors, n_audits).
        clusters: Name of each anchor's cluster. Shape (n_anchors,). None: all independent.
        confidence_level: In (0, 1).

    Returns:
        Mean slope, in accuracy per audit; not estimable when fewer than two anchors were
        judged twice, or when no anchor ever changed.

    Raises:
        ValueError: Not a matrix of 1, 0 and -1.
    """
    table = np.asarray(correct)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "iu" or np.any(np.abs(table) > 1):
        raise ValueError(f"correct must hold 1, 0 or -1, shape (n_anchors, n_audits); found {table.shape}")
    judged = (table >= 0).astype(np.float64)
    n_audits = judged.sum(axis=1)
    times = np.arange(table.shape[1], dtype=np.float64)
    centred = judged * (times - (judged @ times / np.maximum(n_audits, 1))[:, None])
    used = n_audits >= 2
    if int(used.sum()) < 2:
        return NotEstimable(f"{int(used.sum())} anchors were judged in two audits; two are needed")
    slopes = np.sum(centred * (table == 1), axis=1)[used] / np.sum(centred**2, axis=1)[used]
    names = None if clusters is None else np.asarray(clusters)[used]
    return paired_mean(
        differences=slopes, clusters=names, confidence_level=confidence_level, support=(-1.0, 1.0)
    )


def _increments(accepted_rate: float, rate_to_catch: float) -> tuple[float, float]:
    """Log likelihood ratios of a wrong and of a right verdict."""
    low = probability(accepted_rate, name="accepted_rate")
    high = probability(rate_to_catch, name="rate_to_catch")
    if high <= low:
        raise ValueError(f"rate_to_catch must be above accepted_rate, found {high} and {low}")
    return math.log(high / low), math.log((1 - high) / (1 - low))


def _passages(
    rate: float,
    steps: tuple[float, float],
    limits: FloatArray,
    n_verdicts: int,
    n_runs: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Verdicts seen before an alarm, and alarms, added over runs. Shape (n_limits,) each."""
    statistics, peaks = np.zeros(n_runs), np.zeros(n_runs)
    exposure = np.zeros(limits.size)
    for _ in range(n_verdicts):
        # A run still waiting before this verdict has seen it.
        exposure += np.searchsorted(np.sort(peaks), limits, side="left")
        statistics = np.maximum(statistics + np.where(rng.random(n_runs) < rate, *steps), 0.0)
        peaks = np.maximum(peaks, statistics)
    waiting = np.searchsorted(np.sort(peaks), limits, side="left")
    return exposure, np.asarray(n_runs - waiting, dtype=np.float64)


def _run_length(exposure: float, n_alarms: int, n_runs: int) -> RunLength:
    """Mean of a nearly exponential time, runs without an alarm counted by what they saw."""
    mean = exposure / max(n_alarms, 1)
    return RunLength(mean, mean / max(n_alarms, 1) ** 0.5, n_alarms, n_runs)


def _binary(values: ArrayLike, *, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iub":
        raise ValueError(f"{name} must hold 0 and 1, one a verdict; found {array.dtype} {array.shape}")
    if np.any((array != 0) & (array != 1)):
        raise ValueError(f"{name} must hold 0 and 1 only")
    return array.astype(np.bool_)
