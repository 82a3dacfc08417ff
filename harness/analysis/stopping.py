"""Whether a sequential run has seen enough, and what its report says of that."""

import math
from collections.abc import Sequence

from harness.analysis.anytime import Anytime, anytime_evidence
from harness.analysis.estimate import Fill, Target, anything_missing, paired_differences, target_of
from harness.analysis.missing import applicable
from harness.analysis.table import Table, make_table
from harness.domain.specs import AnalysisSpec
from harness.domain.stopping import Asked, Ended, SequentialBlock, written_evalue
from harness.domain.verdicts import CaseResult
from harness.stats.sequential import Evidence

_LARGEST_LOG = 300 * math.log(10.0)


def is_enough(results: Sequence[CaseResult], spec: AnalysisSpec, anytime: Anytime) -> bool:
    """Whether the evidence on the cases asked so far has reached 1 / alpha.

    Missing verdicts must not be able to undo it: with all of them set against the
    candidate, and with all set for it, the evidence is there as well, for the same arm.

    Args:
        results: All cases asked so far, whole batches.
        spec: The analysis, decided before the data.
        anytime: What was fixed beforehand.
    """
    table, target = _table(results, spec), target_of(spec, anytime)
    fills: tuple[Fill, ...] = (
        ("measured", "worst", "best") if anything_missing(table, target) else ("measured",)
    )
    sides = {_side(table, target, spec, fill) for fill in fills}
    return len(sides) == 1 and 0 not in sides


def sequential_block(
    results: Sequence[CaseResult], spec: AnalysisSpec, anytime: Anytime, asked: Asked
) -> SequentialBlock:
    """Return how the run came to its end.

    Args:
        results: The cases asked.
        spec: The analysis, decided before the data.
        anytime: What was fixed beforehand.
        asked: How far the run came.
    """
    evidence = _evidence(_table(results, spec), target_of(spec, anytime), "measured")
    log_evalue = None if evidence is None else evidence.log_evalue
    beyond = log_evalue is not None and log_evalue > _LARGEST_LOG
    return SequentialBlock(
        ended=how_it_ended(results, spec, anytime, asked),
        n_batches=asked.n_batches,
        n_batches_planned=asked.n_batches_planned,
        n_cases=asked.n_cases,
        n_cases_planned=asked.n_cases_planned,
        n_cases_not_asked=asked.n_cases_planned - asked.n_cases,
        threshold=1 / spec.alpha,
        log_evalue=log_evalue,
        evalue=None if log_evalue is None or beyond else math.exp(log_evalue),
        reason="no case is graded in both arms" if evidence is None else "above 1e300" if beyond else None,
    )


def how_it_ended(results: Sequence[CaseResult], spec: AnalysisSpec, anytime: Anytime, asked: Asked) -> Ended:
    """Return why no further batch was asked: only whole batches can end a run."""
    if asked.is_whole and is_enough(results, spec, anytime):
        return "evidence"
    return "n_max" if asked.is_whole and asked.n_batches == asked.n_batches_planned else "not_ended"


def stop_reasons(block: SequentialBlock | None) -> list[str]:
    """Return what the decision's sentence must say of a stop."""
    if block is None or block.ended != "evidence" or not block.n_cases_not_asked:
        return []
    return [
        f"stopped_early: by the declared rule after {block.n_cases} of {block.n_cases_planned} cases, "
        f"{written_evalue(block)} where {block.threshold:g} is enough"
    ]


def _side(table: Table, target: Target, spec: AnalysisSpec, fill: Fill) -> int:
    """Return the arm that the evidence is for: 1 the candidate, -1 the baseline, 0 not enough for either."""
    evidence = _evidence(table, target, fill)
    if evidence is None or evidence.log_evalue < -math.log(spec.alpha):
        return 0
    return 1 if paired_differences(table, target, fill)[1].sum() > 0 else -1


def _evidence(table: Table, target: Target, fill: Fill) -> Evidence | None:
    keep, differences = paired_differences(table, target, fill)
    if target.anytime is None or not differences.size:
        return None
    return anytime_evidence(differences, table.clusters_of(keep), target.anytime)


def _table(results: Sequence[CaseResult], spec: AnalysisSpec) -> Table:
    return make_table([result for result in results if applicable(result)], missing=spec.missing)
