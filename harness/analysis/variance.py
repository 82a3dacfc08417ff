"""Where the noise of the mean difference comes from, and how many repeats the next run needs."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from harness.analysis.blocks import generator, interval_block
from harness.analysis.table import ArmCounts, BoolArray, FloatArray, IntArray, Table
from harness.domain.case_blocks import AllocationBlock, ComponentBlock, VarianceBlock
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import Vote
from harness.stats.allocation import Variances
from harness.stats.estimability import NotEstimable
from harness.stats.variance_components import (
    Component,
    VarianceComponents,
    paired_variance_components,
    variance_components,
)

N_RESAMPLES = 999
MOST_ANSWERS, MOST_VOTES = 25, 9


class CallCosts(NamedTuple):
    """What one answer of both arms and one vote on each of them cost, in ``unit``."""

    answer: float
    vote: float
    unit: str


IN_CALLS = CallCosts(answer=2.0, vote=2.0, unit="calls")


class JudgeVotes(NamedTuple):
    """The judge's votes on the answers to the cases, and the labels that pass."""

    votes: Sequence[Vote]
    passing: frozenset[str]
    n_votes: int


class _Scores(NamedTuple):
    """Both arms' passes, one a vote; shape (n_cases, n_answers, n_votes) each."""

    baseline: FloatArray
    candidate: FloatArray
    baseline_present: BoolArray
    candidate_present: BoolArray

    @property
    def n_votes(self) -> int:
        return int(self.baseline.shape[2])


def variance_block(
    table: Table,
    spec: AnalysisSpec,
    *,
    judged: JudgeVotes | None,
    costs: CallCosts,
    compared: bool = False,
) -> VarianceBlock | None:
    """Return the parts of the variance of a case's difference in passes.

    Args:
        table: The cases.
        spec: The analysis; its margin and power set the precision to be bought.
        judged: The judge's votes, where each answer has more than one.
        costs: Of an answer and of a vote.
        compared: Whether each repeat compares both arms' answers: what one arm gains there the
            other loses, so the parts are those of one difference a repeat.

    Returns:
        The parts; null where nothing was repeated, so that there is one part only.
    """
    if table.baseline.outcomes is None or table.candidate.outcomes is None or table.n_cases < 2:
        return None
    scores = _of_votes(table, judged) if judged and judged.n_votes > 1 else _of_answers(table)
    n_answers = max(scores.baseline.shape[1], scores.candidate.shape[1])
    if n_answers < 2 and scores.n_votes < 2:
        return None
    level, rng = 1 - spec.alpha, generator(spec.seed, "variance")
    if compared:
        found = variance_components(
            scores=scores.candidate - scores.baseline,
            present=scores.baseline_present & scores.candidate_present,
            clusters=table.clusters,
            confidence_level=level,
            n_resamples=N_RESAMPLES,
            rng=rng,
        )
    else:
        found = paired_variance_components(
            baseline=scores.baseline,
            candidate=scores.candidate,
            baseline_present=scores.baseline_present,
            candidate_present=scores.candidate_present,
            clusters=table.clusters,
            confidence_level=level,
            n_resamples=N_RESAMPLES,
            rng=rng,
        )
    return _block(found, spec, costs, n_answers=n_answers, n_votes=scores.n_votes)


def _of_answers(table: Table) -> _Scores:
    baseline, candidate = _outcomes(table.baseline)[:, :, None], _outcomes(table.candidate)[:, :, None]
    return _Scores(
        baseline=np.maximum(baseline, 0).astype(np.float64),
        candidate=np.maximum(candidate, 0).astype(np.float64),
        baseline_present=baseline >= 0,
        candidate_present=candidate >= 0,
    )


def _outcomes(arm: ArmCounts) -> IntArray:
    assert arm.outcomes is not None
    return arm.outcomes


def _of_votes(table: Table, judged: JudgeVotes) -> _Scores:
    rows = {result.case: row for row, result in enumerate(table.results)}
    shapes = {
        "baseline": (*_outcomes(table.baseline).shape, judged.n_votes),
        "candidate": (*_outcomes(table.candidate).shape, judged.n_votes),
    }
    passed = {arm: np.zeros(shape) for arm, shape in shapes.items()}
    present = {arm: np.zeros(shape, dtype=np.bool_) for arm, shape in shapes.items()}
    for vote in judged.votes:
        subject, label = vote.subject, vote.verdict.label
        row = rows.get(subject.id)
        if row is not None and subject.arm is not None and subject.answer is not None and label is not None:
            present[subject.arm][row, subject.answer, vote.repeat] = True
            passed[subject.arm][row, subject.answer, vote.repeat] = label in judged.passing
    return _Scores(passed["baseline"], passed["candidate"], present["baseline"], present["candidate"])


def _block(
    found: VarianceComponents, spec: AnalysisSpec, costs: CallCosts, *, n_answers: int, n_votes: int
) -> VarianceBlock:
    parts = Variances(*(_floor(part) for part in (found.case, found.answer, found.vote)))
    if isinstance(found.case, NotEstimable):
        return VarianceBlock(
            n_cases=found.n_cases, n_answers=n_answers, n_votes=n_votes, reason=found.case.reason
        )
    within = Variances(parts.case, parts.answer / n_answers, parts.vote / (n_answers * n_votes))
    total = sum(within)
    once = sum((parts.case, parts.answer, parts.vote / n_votes))
    return VarianceBlock(
        n_cases=found.n_cases,
        n_answers=n_answers,
        n_votes=n_votes,
        components=(
            _component("case", found.case, within.case, total),
            _component("answer", found.answer, within.answer, total),
            _component("vote", found.vote, within.vote, total),
        ),
        standard_error_one_answer=float(np.sqrt(once / found.n_cases)),
        standard_error_as_measured=float(np.sqrt(total / found.n_cases)),
        standard_error_endless_answers=float(np.sqrt(parts.case / found.n_cases)),
        allocation=_allocation(parts, spec, costs, n_cases=found.n_cases, has_votes=n_votes > 1),
    )


def _floor(part: Component | NotEstimable) -> float:
    """A negative moment estimate is planned with as 0."""
    return 0.0 if isinstance(part, NotEstimable) else max(part.estimate, 0.0)


def _component(
    name: str, found: Component | NotEstimable, contribution: float, total: float
) -> ComponentBlock:
    if isinstance(found, NotEstimable):
        return ComponentBlock(part=name, variance=None, share=None, interval=None, reason=found.reason)  # type: ignore[arg-type]
    refused = found.interval.reason if isinstance(found.interval, NotEstimable) else None
    return ComponentBlock(
        part=name,  # type: ignore[arg-type]
        variance=found.estimate,
        share=contribution / total if total > 0 else None,
        interval=interval_block(found.interval),
        reason=refused,
    )


def _allocation(
    parts: Variances, spec: AnalysisSpec, costs: CallCosts, *, n_cases: int, has_votes: bool
) -> AllocationBlock | None:
    """Return the cheapest repeats of all these cases that would show the margin with the plan's power."""
    if sum(parts) == 0:
        return None
    target = spec.margin / float(ndtri(1 - spec.alpha / 2) + ndtri(spec.power))
    runs = [
        (n_cases * n_answers * (costs.answer + n_votes * costs.vote), n_answers, n_votes)
        for n_answers in range(1, MOST_ANSWERS + 1)
        for n_votes in range(1, (MOST_VOTES if has_votes else 1) + 1)
        if (parts.case + (parts.answer + parts.vote / n_votes) / n_answers) / n_cases <= target**2
    ]
    cheapest = min(runs, default=None)
    return AllocationBlock(
        target_standard_error=target,
        n_cases=n_cases,
        n_answers=cheapest[1] if cheapest else None,
        n_votes=cheapest[2] if cheapest else None,
        cost=cheapest[0] if cheapest else None,
        unit=costs.unit,
        reason=None if cheapest else _beyond(parts, target, n_cases=n_cases),
    )


def _beyond(parts: Variances, target: float, *, n_cases: int) -> str:
    if parts.case / n_cases <= target**2:
        return f"{MOST_ANSWERS} answers a case are too few; more cases are cheaper"
    return (
        f"no number of answers is enough: it takes {ceil(parts.case / target**2)} cases, there are {n_cases}"
    )
