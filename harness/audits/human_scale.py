"""What people would have said: the difference and each arm's rate on the human scale."""

from collections.abc import Sequence
from typing import Literal

from harness.audits.corrected_arms import corrected_arms
from harness.audits.differential import LabelledPair, labelled_pairs
from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.domain.cases import Split
from harness.domain.fitness import HumanScaleBlock, HumanScaleRow
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Graded
from harness.stats.estimability import NotEstimable
from harness.stats.means import PairedMean
from harness.stats.prediction_powered import Combined, human_scale_difference


def human_scale(plan: Plan, reading: Reading, *, side: Split) -> HumanScaleBlock | None:
    """Return the three estimates of the difference side by side, and each arm's corrected rate.

    A case counts with the mean of its graded answers on each arm. Cases that
    people labelled on both arms are the anchors; all others are the judge's alone.

    Args:
        plan: The plan with its anchors.
        reading: The run, read.
        side: The side of the split whose cases are meant.

    Returns:
        Null where no case is judged. The combined row is refused, with its
        reason, for anchors that were chosen, and for too few of them.
    """
    sides = plan.split_of()
    judged = {case.id for case in plan.cases if not case.checks and sides[case.id] == side}
    if plan.judge is None or not judged:
        return None
    closed = {case for case, where in sides.items() if where != side}
    pairs = labelled_pairs(plan, reading, closed=closed).pairs
    alone = _unlabelled(reading, judged - {pair.case for pair in pairs})
    # An arm alone has no rate where answers are compared, so there is none to correct.
    arms = () if plan.is_pairwise else corrected_arms(plan, reading, judged)
    empty = HumanScaleBlock(basis=side, n_anchors=len(pairs), n_unlabelled=len(alone), arms=arms)
    if not pairs:
        reason = "no_pairs: no case of this side was labelled by people on both arms"
        return empty.model_copy(update={"reason": reason})
    return _estimated(empty, pairs, alone)


def _unlabelled(reading: Reading, cases: set[str]) -> list[tuple[float, str]]:
    """Return the judge's difference and the cluster of every case it graded on both arms."""
    found = []
    for result in reading.cases:
        if result.case not in cases:
            continue
        baseline, candidate = _share(result.baseline), _share(result.candidate)
        if baseline is not None and candidate is not None:
            found.append((candidate - baseline, result.cluster))
    return found


def _share(answers: Sequence[Graded]) -> float | None:
    passes = [answer.outcome == "pass" for answer in answers if answer.outcome is not None]
    return sum(passes) / len(passes) if passes else None


def _estimated(
    empty: HumanScaleBlock, pairs: Sequence[LabelledPair], alone: Sequence[tuple[float, str]]
) -> HumanScaleBlock:
    found = human_scale_difference(
        human_anchors=[pair.human for pair in pairs],
        judge_anchors=[pair.judge for pair in pairs],
        judge_unlabelled=[difference for difference, _ in alone],
        anchor_clusters=[pair.cluster for pair in pairs],
        unlabelled_clusters=[cluster for _, cluster in alone],
        selection="random" if all(pair.drawn for pair in pairs) else "curated",
        tuning=None,
        confidence_level=CONFIDENCE_LEVEL,
    )
    combined = found.combined
    return empty.model_copy(
        update={
            "rows": (
                _row("judge_only", found.judge_only, n=len(pairs) + len(alone)),
                _row("human_only", found.human_only, n=len(pairs)),
                _row("combined", combined, n=len(pairs) + len(alone)),
            ),
            "tuning": None if isinstance(combined, NotEstimable) else combined.tuning,
            "effective_n_anchors": (
                None if isinstance(combined, NotEstimable) else combined.effective_n_anchors
            ),
            "reason": f"not_combined: {combined.reason}" if isinstance(combined, NotEstimable) else None,
        }
    )


def _row(
    of: Literal["judge_only", "human_only", "combined"],
    found: PairedMean | Combined | NotEstimable,
    *,
    n: int,
) -> HumanScaleRow:
    if isinstance(found, NotEstimable):
        return HumanScaleRow(
            of=of, n_cases=n, difference=None, interval=None, pvalue=None, reason=found.reason
        )
    return HumanScaleRow(
        of=of,
        n_cases=n,
        difference=found.difference,
        interval=block(found.interval),
        pvalue=found.pvalue,
    )
