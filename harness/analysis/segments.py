"""A run that several models answered: its cases by who answered, never silently pooled."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Target, estimate
from harness.analysis.majority import pairs
from harness.analysis.table import Table
from harness.domain.report import Segment, SegmentsBlock
from harness.domain.verdicts import CallIdentity

UNKNOWN = "unknown"


class Answerers(NamedTuple):
    """The model ids that answered one case, by arm, sorted."""

    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


def answerers(identities: Iterable[CallIdentity]) -> dict[str, Answerers]:
    """Return who answered each case."""
    seen: dict[str, dict[str, set[str]]] = defaultdict(lambda: {"baseline": set(), "candidate": set()})
    for call in identities:
        if call.subject.kind == "case" and call.endpoint in ("baseline", "candidate"):
            seen[call.subject.id][call.endpoint].add(call.model or UNKNOWN)
    return {
        case: Answerers(tuple(sorted(arms["baseline"])), tuple(sorted(arms["candidate"])))
        for case, arms in seen.items()
    }


def segments_block(table: Table, who: dict[str, Answerers], target: Target, *, alpha: float) -> SegmentsBlock:
    """Estimate the difference among the cases of each pair of models.

    A case with more than one model in an arm straddles: it is counted and is in
    no segment.
    """
    mine = [who[result.case] for result in table.results if result.case in who]
    pure = {found for found in mine if len(found.baseline) == 1 and len(found.candidate) == 1}
    n_straddling = sum(found not in pure for found in mine)
    if len(pure) < 2 and n_straddling == 0:
        return SegmentsBlock(
            reason="the same models answered throughout" if mine else "who answered is not known"
        )
    return SegmentsBlock(
        segments=tuple(_segment(table, who, found, target, alpha=alpha) for found in sorted(pure)),
        n_straddling=n_straddling,
    )


def _segment(
    table: Table, who: dict[str, Answerers], answered_by: Answerers, target: Target, *, alpha: float
) -> Segment:
    part = table.where(lambda result: who.get(result.case) == answered_by)
    found = estimate(part, target, confidence_level=1 - alpha)
    counts = pairs(part)
    return Segment(
        baseline_models=answered_by.baseline,
        candidate_models=answered_by.candidate,
        n_cases=found.n_cases,
        gain=counts.gain,
        loss=counts.loss,
        difference=found.difference,
        interval=interval_block(found.interval),
    )
