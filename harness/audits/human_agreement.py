"""Does the judge agree with people?"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, TypedDict

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block, rate
from harness.domain.cases import Anchor
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.report import AgreementFinding, ConfusionCell, IntervalBlock, Rate, Status
from harness.domain.verdicts import majority
from harness.stats.agreement import Coefficient, cohen_kappa, confusion
from harness.stats.estimability import NotEstimable
from harness.stats.multirater import gwet_ac


class _Labelled(NamedTuple):
    human: str
    judge: str


class _Coefficients(TypedDict):
    kappa: float | None
    kappa_interval: IntervalBlock | None
    kappa_reason: str | None
    gwet_ac1: float | None
    gwet_ac1_interval: IntervalBlock | None


class _OnPassing(TypedDict):
    pass_agreement: Rate
    sensitivity: Rate
    specificity: Rate


def human_label(anchor: Anchor) -> str | None:
    """Return what people settled on: the adjudicated label, else the reviewers' majority."""
    if anchor.label is not None:
        return anchor.label
    return majority([review.label for review in anchor.reviews], asked=len(anchor.reviews)).label


def audit_human_agreement(plan: Plan, reading: Reading) -> AgreementFinding:
    """Set the judge's majority label on each anchor against the people's label.

    Anchors without a human label or without a judge label are counted and left
    out; a blank is no category.

    Returns:
        ``not_audited`` where nothing can be compared; ``fail`` below the floor
        that the plan sets; else ``pass``.
    """
    human = {anchor.id: human_label(anchor) for anchor in plan.anchors}
    judge = _judge_labels(plan, reading)
    both = [
        _Labelled(label, found)
        for anchor, label in human.items()
        if label is not None and (found := judge.get(anchor)) is not None
    ]
    n_no_human = sum(label is None for label in human.values())
    n_no_judge = sum(judge.get(anchor) is None for anchor in human)
    if plan.judge is None or not both:
        return AgreementFinding(
            status="not_audited",
            n_anchors=0,
            n_no_human_label=n_no_human,
            n_no_judge_label=n_no_judge,
            reasons=(_why_not(plan),),
        )
    agreement = rate(sum(a.human == a.judge for a in both), len(both), nothing="no anchors")
    status, reasons = _against_floor(agreement, plan.experiment.gates.judge_agreement)
    return AgreementFinding(
        status=status,
        n_anchors=len(both),
        n_no_human_label=n_no_human,
        n_no_judge_label=n_no_judge,
        agreement=agreement,
        **_on_passing(both, plan.judge.passing),
        **_coefficients(both, plan.judge.labels),
        human_human=_human_human(plan.anchors),
        confusion=_confusion(both),
        reasons=reasons,
    )


def _judge_labels(plan: Plan, reading: Reading) -> dict[str, str | None]:
    labels: dict[str, list[str | None]] = {anchor.id: [] for anchor in plan.anchors}
    for vote in reading.anchor_votes:
        labels[vote.subject.id].append(vote.verdict.label)
    asked = plan.experiment.repeats.votes
    return {anchor: majority(found, asked=asked).label for anchor, found in labels.items()}


def _why_not(plan: Plan) -> str:
    if plan.judge is None:
        return "the plan has no judge"
    if not plan.anchors:
        return "the plan names no anchors"
    return "no anchor has both a human label and a judge label"


def _on_passing(both: Sequence[_Labelled], passing: Sequence[str]) -> _OnPassing:
    """Return agreement on pass or fail, and how often each is seen for what it is."""
    passes = [(a.human in passing, a.judge in passing) for a in both]
    good = [found for truth, found in passes if truth]
    bad = [found for truth, found in passes if not truth]
    return {
        "pass_agreement": rate(sum(t == f for t, f in passes), len(passes), nothing="no anchors"),
        "sensitivity": rate(sum(good), len(good), nothing="people passed none of the anchors"),
        "specificity": rate(len(bad) - sum(bad), len(bad), nothing="people failed none of the anchors"),
    }


def _coefficients(both: Sequence[_Labelled], labels: Sequence[str]) -> _Coefficients:
    """Return chance-corrected agreement; with one label in use there is none, and the reason says so."""
    numbers = {label: number for number, label in enumerate(labels)}
    human = np.array([numbers[a.human] for a in both])
    judge = np.array([numbers[a.judge] for a in both])
    table = confusion(first=human, second=judge, n_labels=len(labels)).table
    items = np.arange(len(both))
    ratings = np.zeros((len(both), len(labels)), dtype=np.int64)
    np.add.at(ratings, (items, human), 1)
    np.add.at(ratings, (items, judge), 1)
    kappa = cohen_kappa(table=table, weighting="nominal", confidence_level=CONFIDENCE_LEVEL)
    ac1 = gwet_ac(table=ratings, weighting="nominal", confidence_level=CONFIDENCE_LEVEL)
    return {
        "kappa": None if isinstance(kappa, NotEstimable) else kappa.estimate,
        "kappa_interval": _interval(kappa),
        "kappa_reason": kappa.reason if isinstance(kappa, NotEstimable) else None,
        "gwet_ac1": None if isinstance(ac1, NotEstimable) else ac1.estimate,
        "gwet_ac1_interval": _interval(ac1),
    }


def _interval(found: Coefficient | NotEstimable) -> IntervalBlock | None:
    if isinstance(found, NotEstimable) or isinstance(found.interval, NotEstimable):
        return None
    return block(found.interval)


def _against_floor(agreement: Rate, floor: float | None) -> tuple[Status, tuple[str, ...]]:
    if floor is not None and agreement.rate is not None and agreement.rate < floor:
        return "fail", (f"agreement with people {agreement.rate:.3f} is below the floor {floor:.3f}",)
    return "pass", ()


def _human_human(anchors: Sequence[Anchor]) -> Rate:
    """Return how often two reviewers of one anchor agree: the ceiling for any judge."""
    pairs = [
        first.label == second.label for anchor in anchors for first, second in combinations(anchor.reviews, 2)
    ]
    return rate(sum(pairs), len(pairs), nothing="no anchor has two reviews")


def _confusion(both: Sequence[_Labelled]) -> tuple[ConfusionCell, ...]:
    cells = Counter(both)
    return tuple(ConfusionCell(human=c.human, judge=c.judge, n=n) for c, n in sorted(cells.items()))
