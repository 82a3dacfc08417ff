"""Where the noise of a paired difference comes from: cases, answers, or votes.

Estimated by the method of moments. On complete data these are the estimators of the
nested analysis of variance; with missing votes, answers and cases count alike and each
level takes off what the levels below put into it. Estimates may be negative: they are
unbiased, and a small component is as often below its value as above. Plan with 0 then.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.samples import BoolArray, FloatArray, IntArray, cluster_codes, probability
from harness.stats.variance_rows import numbered, quantity_rows, ratio

FEWEST_UNITS = 20
_FEWEST_RESAMPLES = 199
_CELLS_AT_ONCE = 1 << 20


class Component(NamedTuple):
    """One component, in squared units of the scores.

    Attributes:
        estimate: Moment estimate; may be negative.
        interval: Percentiles over resampled cases or clusters.
    """

    estimate: float
    interval: Interval | NotEstimable


class VarianceComponents(NamedTuple):
    """The parts of the variance of a score, or of a difference of two arms.

    Attributes:
        n_cases: Cases with a vote (in both arms).
        case: Between cases, of the expected score or difference. With one answer a case
            it contains the answer's part.
        answer: Between answers to a case, arms added. With one vote an answer it contains
            the vote's part.
        vote: Between votes on an answer, arms added.
    """

    n_cases: int
    case: Component | NotEstimable
    answer: Component | NotEstimable
    vote: Component | NotEstimable


class _Totals(NamedTuple):
    """One arm's quantities, each summed over cases. Shape (...,) each, alike.

    Attributes:
        answer_spread: Variance between a case's answer means, where it has two.
        n_spreads: Cases with two answers.
        spread_votes: Mean of 1/votes over the answers of those cases.
        vote_spread: Variance between the votes of an answer, where it has two.
        n_vote_spreads: Answers with two votes.
        inverse_answers: 1/answers.
        inverse_votes: Sum of 1/votes over a case's answers, over answers squared.
    """

    answer_spread: FloatArray
    n_spreads: FloatArray
    spread_votes: FloatArray
    vote_spread: FloatArray
    n_vote_spreads: FloatArray
    inverse_answers: FloatArray
    inverse_votes: FloatArray


def variance_components(
    *,
    scores: ArrayLike,
    present: ArrayLike | None = None,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> VarianceComponents:
    """Split the variance of one arm's scores into cases, answers and votes.

    Args:
        scores: One score a vote. Shape (n_cases, n_answers, n_votes).
        present: Whether there is a vote. Same shape. None: all. Scores elsewhere are not read.
        clusters: Name of each case's cluster, resampled whole. None: cases are resampled.
        confidence_level: Of the intervals, in (0, 1).
        n_resamples: Resamples of cases, at least 199.
        rng: Their source.

    Raises:
        ValueError: Wrong shapes, NaN or infinite where present, or too few resamples.

    References:
        Searle, Casella & McCulloch (1992), Variance Components, chapters 3 and 5.
    """
    values, mask = _checked(scores, present, name="scores")
    return _components([(values, mask)], clusters, confidence_level, n_resamples, rng)


def paired_variance_components(
    *,
    baseline: ArrayLike,
    candidate: ArrayLike,
    baseline_present: ArrayLike | None = None,
    candidate_present: ArrayLike | None = None,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> VarianceComponents:
    """Split the variance of candidate minus baseline into cases, answers and votes.

    The variance of the mean difference over n cases with K answers of J votes is
    (case + (answer + vote / J) / K) / n.

    Args:
        baseline: One score a vote. Shape (n_cases, n_answers, n_votes).
        candidate: The same cases in the same order; its repeats may differ in number.
        baseline_present: Whether there is a vote. Shape of `baseline`. None: all.
        candidate_present: Whether there is a vote. Shape of `candidate`. None: all.
        clusters: Name of each case's cluster, resampled whole. None: cases are resampled.
        confidence_level: Of the intervals, in (0, 1).
        n_resamples: Resamples of cases, at least 199.
        rng: Their source.

    Raises:
        ValueError: Wrong shapes, NaN or infinite where present, or too few resamples.

    References:
        Miller (2024), arXiv 2411.00640, section 3, extended by the level of votes.
    """
    arms = [
        _checked(baseline, baseline_present, name="baseline"),
        _checked(candidate, candidate_present, name="candidate"),
    ]
    if arms[0][0].shape[0] != arms[1][0].shape[0]:
        raise ValueError(f"arms must be paired: {arms[0][0].shape[0]} and {arms[1][0].shape[0]} cases")
    return _components(arms, clusters, confidence_level, n_resamples, rng)


def _checked(values: ArrayLike, present: ArrayLike | None, *, name: str) -> tuple[FloatArray, BoolArray]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 3 or array.size == 0:
        raise ValueError(f"{name} must have shape (n_cases, n_answers, n_votes), found {array.shape}")
    mask = np.ones(array.shape, dtype=np.bool_) if present is None else np.asarray(present)
    if mask.shape != array.shape or mask.dtype != np.bool_:
        raise ValueError(f"{name}_present must be booleans of shape {array.shape}, found {mask.shape}")
    if not np.all(np.isfinite(array[mask])):
        raise ValueError(f"{name} holds NaN or infinities where a vote is present")
    return np.where(mask, array, 0.0), mask


def _components(
    arms: list[tuple[FloatArray, BoolArray]],
    clusters: Sequence[str] | ArrayLike | None,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> VarianceComponents:
    level = probability(confidence_level, name="confidence_level")
    if n_resamples < _FEWEST_RESAMPLES:
        raise ValueError(f"n_resamples must be {_FEWEST_RESAMPLES} or more, found {n_resamples}")
    codes = cluster_codes(clusters, n_cases=arms[0][0].shape[0])
    used = np.all([mask.any(axis=(1, 2)) for _, mask in arms], axis=0)
    n_used = int(used.sum())
    if n_used < 2:
        few = NotEstimable(f"{n_used} of {used.size} cases has votes; two are needed")
        return VarianceComponents(n_used, few, few, few)
    rows, number = quantity_rows([(values[used], mask[used]) for values, mask in arms])
    if codes is not None:
        rows, number = numbered(_added_by(rows[number], codes[used]))
    repeats = np.bincount(number)
    totals = repeats @ rows
    draws = _resampled_totals(rows, repeats, n_resamples, rng) if number.size >= FEWEST_UNITS else None

    def component(part: Callable[[FloatArray], FloatArray]) -> Component:
        drawn = None if draws is None else part(draws)
        return Component(float(part(totals)), _percentiles(drawn, number.size, level))

    seen = _by_arm(totals)
    one_each = NotEstimable("one repeat each: this part is contained in the level above it")
    return VarianceComponents(
        n_cases=n_used,
        case=component(_case_part),
        answer=component(_answer_part) if all(arm.n_spreads > 0 for arm in seen) else one_each,
        vote=component(_vote_part) if all(arm.n_vote_spreads > 0 for arm in seen) else one_each,
    )


def _added_by(rows: FloatArray, codes: NDArray[np.int64]) -> FloatArray:
    # By what is added within a cluster: the order of the cases must not matter.
    order = np.lexsort((*rows.T, codes))
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[order], starts, axis=0), dtype=np.float64)


def _by_arm(totals: FloatArray) -> list[_Totals]:
    width = len(_Totals._fields)
    starts = range(3, totals.shape[-1], width)
    return [_Totals(*np.moveaxis(totals[..., start : start + width], -1, 0)) for start in starts]


def _vote_part(totals: FloatArray) -> FloatArray:
    return _added(_arm_vote(arm) for arm in _by_arm(totals))


def _answer_part(totals: FloatArray) -> FloatArray:
    return _added(_arm_answer(arm) for arm in _by_arm(totals))


def _case_part(totals: FloatArray) -> FloatArray:
    """Variance of the case means, less what answers and votes put into it."""
    n, first, second = np.moveaxis(totals[..., :3], -1, 0)
    spread = ratio(second - first**2 / n, n - 1)
    noise = _added(
        _arm_answer(arm) * arm.inverse_answers + _arm_vote(arm) * arm.inverse_votes for arm in _by_arm(totals)
    )
    return np.asarray(spread - noise / n, dtype=np.float64)


def _arm_vote(arm: _Totals) -> FloatArray:
    return ratio(arm.vote_spread, arm.n_vote_spreads)


def _arm_answer(arm: _Totals) -> FloatArray:
    return ratio(arm.answer_spread - _arm_vote(arm) * arm.spread_votes, arm.n_spreads)


def _added(parts: Iterable[FloatArray]) -> FloatArray:
    return np.asarray(np.sum(list(parts), axis=0), dtype=np.float64)


def _resampled_totals(
    rows: FloatArray, repeats: IntArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Totals over resampled units; alike units are drawn together. Shape (n_resamples, n_columns)."""
    n_units = int(repeats.sum())
    n_at_once = max(_CELLS_AT_ONCE // rows.shape[0], 1)
    draws = [
        rng.multinomial(n_units, repeats / n_units, size=min(n_at_once, n_resamples - start)) @ rows
        for start in range(0, n_resamples, n_at_once)
    ]
    return np.concatenate(draws)


def _percentiles(drawn: FloatArray | None, n_units: int, level: float) -> Interval | NotEstimable:
    if drawn is None:
        return NotEstimable(f"{n_units} units are too few to resample; {FEWEST_UNITS} are needed")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if low == high:
        return NotEstimable("all resamples are alike: agreement alone says nothing about the spread")
    return Interval(float(low), float(high), confidence_level=level, method="percentile_over_cases")
