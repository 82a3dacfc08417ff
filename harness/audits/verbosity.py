"""How long the arms' answers are, and what of a win rate goes with it."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness.audits.answer_bias import ruled_by_band
from harness.audits.gates import against_band
from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.domain.cases import ARMS, Arm
from harness.domain.fitness import Effect, LengthControlled, Verbosity, VerbosityRatio
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import AnswerNote, Graded
from harness.stats.estimability import NotEstimable
from harness.stats.length_control import length_controlled_win_rate
from harness.stats.means import paired_mean
from harness.stats.samples import FloatArray, IntArray


def length_controlled(plan: Plan, reading: Reading, band: float | None) -> LengthControlled | None:
    """Return the win rate at equal length over exploratory cases graded by the judge on both arms."""
    group = {case.id: case.group for case in plan.cases if not case.checks}
    if not group:
        return None
    lengths = {arm: _mean_chars(reading.answers, arm) for arm in ARMS}
    wins, differences, clusters = [], [], []
    for result in reading.cases:
        if result.case not in group or result.split != "exploratory":
            continue
        baseline, candidate = _share(result.baseline), _share(result.candidate)
        if baseline is None or candidate is None or any(result.case not in lengths[arm] for arm in ARMS):
            continue
        wins.append(0.5 + (candidate > baseline) / 2 - (candidate < baseline) / 2)
        differences.append(lengths["candidate"][result.case] - lengths["baseline"][result.case])
        clusters.append(group[result.case])
    if not wins:
        return None
    found = length_controlled_win_rate(
        wins=wins, length_differences=differences, clusters=clusters, confidence_level=CONFIDENCE_LEVEL
    )
    if isinstance(found, NotEstimable):
        return LengthControlled(
            n_pairs=len(wins),
            raw_win_rate=sum(wins) / len(wins),
            win_rate=None,
            interval=None,
            slope_pvalue=None,
            shift=Effect(reason=found.reason),
            band=band,
            reason=found.reason,
        )
    shift = Effect(difference=found.shift, interval=block(found.shift_interval), pvalue=found.shift_pvalue)
    ruled = ruled_by_band("win_rate_by_length", shift, band)
    return LengthControlled(
        n_pairs=found.n_pairs,
        raw_win_rate=found.raw_win_rate,
        win_rate=found.win_rate,
        interval=block(found.interval),
        slope_pvalue=found.slope_pvalue,
        shift=shift,
        band=band,
        status=ruled.status,
        reason=ruled.reason or None,
    )


def _share(answers: Sequence[Graded]) -> float | None:
    """Return the share of graded answers that pass; null where none is graded."""
    graded = [answer.outcome == "pass" for answer in answers if answer.outcome is not None]
    return sum(graded) / len(graded) if graded else None


def _mean_chars(notes: Sequence[AnswerNote], arm: Arm) -> dict[str, float]:
    # Two counts and not a list a case: there may be a hundred thousand cases.
    n_chars: defaultdict[str, int] = defaultdict(int)
    n_answers: defaultdict[str, int] = defaultdict(int)
    for note in notes:
        if note.arm == arm:
            n_chars[note.case] += note.n_chars
            n_answers[note.case] += 1
    return {case: total / n_answers[case] for case, total in n_chars.items()}


class Lengths(NamedTuple):
    """How long one arm's answers to exploratory cases are, in characters.

    Attributes:
        n_chars: Of each answer. Shape (n_answers,).
        clusters: Number of each answer's cluster. Shape (n_answers,).
        n_answers: With text, of each case of the plan. Shape (n_cases,).
        mean_chars: Over each case's answers; 0 where it has none. Shape (n_cases,).
    """

    n_chars: IntArray
    clusters: IntArray
    n_answers: IntArray
    mean_chars: FloatArray


def lengths_of(plan: Plan, reading: Reading) -> Mapping[Arm, Lengths]:
    """Return how long both arms' answers are."""
    place = {case.id: number for number, case in enumerate(plan.cases)}
    clusters = _cluster_numbers(plan)
    notes = _exploratory(plan, reading)
    return {arm: _lengths([note for note in notes if note.arm == arm], place, clusters) for arm in ARMS}


def _cluster_numbers(plan: Plan) -> IntArray:
    """Return the number of each case's cluster: a million names would have to be sorted."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(case.group, len(numbers)) for case in plan.cases], dtype=np.int64)


def _lengths(notes: Sequence[AnswerNote], place: Mapping[str, int], clusters: IntArray) -> Lengths:
    n_chars = np.array([note.n_chars for note in notes], dtype=np.int64)
    cases = np.array([place[note.case] for note in notes], dtype=np.int64)
    n_answers = np.bincount(cases, minlength=len(place))
    totals = np.bincount(cases, weights=n_chars, minlength=len(place))
    return Lengths(n_chars, clusters[cases], n_answers, totals / np.maximum(n_answers, 1))


def verbosity(found_lengths: Lengths, arm: Arm) -> Verbosity:
    """Return how long one arm's answers to exploratory cases are; cases, or their clusters, are the unit."""
    lengths = found_lengths.n_chars
    empty = Verbosity(arm=arm, n_answers=len(lengths), mean_chars=None, median_chars=None)
    if not len(lengths):
        return empty.model_copy(update={"reason": "no exploratory answer of this arm has text"})
    found = paired_mean(
        differences=lengths,
        clusters=found_lengths.clusters,
        confidence_level=CONFIDENCE_LEVEL,
        support=(0.0, math.inf),
    )
    return empty.model_copy(
        update={
            "mean_chars": int(lengths.sum()) / len(lengths),
            "median_chars": float(np.median(lengths)),
            "interval": None if isinstance(found, NotEstimable) else block(found.interval),
            "reason": found.reason if isinstance(found, NotEstimable) else None,
        }
    )


def verbosity_ratio(
    plan: Plan, found_lengths: Mapping[Arm, Lengths], band: float | None
) -> VerbosityRatio | None:
    """Return how many times as long the candidate's answers are, case by case; null without such a case."""
    baseline, candidate = (found_lengths[arm] for arm in ARMS)
    both = (baseline.n_answers > 0) & (candidate.n_answers > 0)
    if not both.any():
        return None
    # An answer of no character counts as one: it has no logarithm.
    ratios = np.log(np.maximum(candidate.mean_chars, 1.0) / np.maximum(baseline.mean_chars, 1.0))[both]
    ratio = math.exp(math.fsum(ratios) / len(ratios))
    found = paired_mean(
        differences=ratios,
        clusters=_cluster_numbers(plan)[both],
        confidence_level=CONFIDENCE_LEVEL,
    )
    if isinstance(found, NotEstimable):
        return VerbosityRatio(
            n_cases=len(ratios),
            ratio=ratio,
            interval=None,
            pvalue=None,
            band=band,
            status="not_audited",
            reason=f"verbosity_not_shown: {found.reason}" if band is not None else found.reason,
        )
    low, high = math.exp(found.interval.low), math.exp(found.interval.high)
    interval = block(found.interval._replace(low=low, high=high, method="log_ratio_t"))
    change = interval.model_copy(update={"low": low - 1, "high": high - 1})
    ruled = None if band is None else against_band("verbosity", ratio - 1, change, band)
    return VerbosityRatio(
        n_cases=len(ratios),
        ratio=ratio,
        interval=interval,
        pvalue=found.pvalue,
        band=band,
        status="not_audited" if ruled is None else ruled.status,
        reason=None if ruled is None else ruled.reason or None,
    )


def _exploratory(plan: Plan, reading: Reading) -> list[AnswerNote]:
    if not plan.held_out:
        return list(reading.answers)
    side = plan.split_of()
    return [note for note in reading.answers if side.get(note.case) == "exploratory"]
