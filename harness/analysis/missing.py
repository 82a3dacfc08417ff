"""What is missing in each arm, by reason, before any rate."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter

import numpy as np

from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Target
from harness.analysis.majority import paired_interval
from harness.analysis.table import BoolArray, IntArray, Table
from harness.domain.cases import ARMS, Arm
from harness.domain.estimate_blocks import Missing, MissingnessBlock
from harness.domain.verdicts import CaseResult, Graded
from harness.stats.estimability import NotEstimable
from harness.stats.missing import differential_missingness


def missing_blocks(results: Sequence[CaseResult]) -> tuple[Missing, ...]:
    """Return one block an arm."""
    return tuple(_missing(results, arm) for arm in ARMS)


def missingness_block(
    table: Table, target: Target, *, alpha: float, compared: bool = False
) -> MissingnessBlock:
    """Return whether one arm lacks its verdict more often than the other, case by case.

    Where answers are compared, both arms lack a verdict together: what an arm
    can lack is an answer to compare.
    """
    baseline, candidate = _answered(table) if compared else measured(table, target)
    if table.n_cases == 0:
        return MissingnessBlock(
            n_cases=0,
            baseline_only=0,
            candidate_only=0,
            difference=None,
            interval=None,
            pvalue=None,
            reason="no case",
        )
    found = differential_missingness(
        baseline_observed=baseline, candidate_observed=candidate, confidence_level=1 - alpha
    )
    block = MissingnessBlock(
        n_cases=table.n_cases,
        baseline_only=found.baseline_only,
        candidate_only=found.candidate_only,
        difference=found.difference,
        interval=interval_block(found.interval),
        pvalue=found.pvalue,
    )
    if table.clusters is None:
        return block
    missing_more = baseline.astype(np.int64) - candidate.astype(np.int64)
    return block.model_copy(update=_by_cluster(missing_more, table.clusters, alpha=alpha))


def _by_cluster(missing_more: IntArray, clusters: IntArray, *, alpha: float) -> dict[str, object]:
    """Return interval and p-value where verdicts of one cluster may go missing together."""
    found = paired_interval(missing_more, clusters, confidence_level=1 - alpha)
    if isinstance(found.interval, NotEstimable):
        return {"interval": None, "pvalue": None, "reason": found.interval.reason}
    return {"interval": interval_block(found.interval), "pvalue": found.pvalue, "reason": found.caution}


def measured(table: Table, target: Target) -> tuple[BoolArray, BoolArray]:
    """Return whether each case has in each arm what the estimand needs; shape (n_cases,) each."""
    if target.estimand == "majority":
        return table.baseline.majority >= 0, table.candidate.majority >= 0
    if target.of == "score":
        return table.baseline.scored > 0, table.candidate.scored > 0
    return table.baseline.graded > 0, table.candidate.graded > 0


def _answered(table: Table) -> tuple[BoolArray, BoolArray]:
    """Return whether each arm has all its answers to each case; an ``unpaired`` one lacks the other arm's."""
    arms = [
        [all(grade.outcome is not None or grade.reason == "unpaired" for grade in arm) for arm in answers]
        for answers in ([r.baseline for r in table.results], [r.candidate for r in table.results])
    ]
    return np.array(arms[0], dtype=np.bool_), np.array(arms[1], dtype=np.bool_)


def _missing(results: Sequence[CaseResult], arm: Arm) -> Missing:
    grades = list(chain.from_iterable(map(attrgetter(arm), results)))
    reasons = Counter([grade.reason for grade in grades if grade.reason is not None])
    return Missing(
        arm=arm,
        n_answers=len(grades),
        n_graded=len(grades) - reasons.total(),
        reasons=tuple(sorted(reasons.items())),
    )


def applicable(result: CaseResult) -> bool:
    """Whether the graders apply to the case at all; where none does, it is coverage."""
    answers = (*result.baseline, *result.candidate)
    return not answers or answers[0].reason != "not_applicable" or any(map(_applies, answers))


def _applies(answer: Graded) -> bool:
    return answer.reason != "not_applicable"
