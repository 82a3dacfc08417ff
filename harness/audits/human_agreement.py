"""Does the judge agree with people?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypedDict

import numpy as np

from harness.audits.gates import Ruled, against_floor, worst
from harness.audits.labels import human_label, human_outcome, judge_labels, judge_outcomes, labels_of
from harness.audits.raters import annotator_test, by_dispute, human_alpha
from harness.audits.rates import CONFIDENCE_LEVEL, block, exact_block, rate
from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.cases import ARMS, Anchor, Outcome
from harness.domain.findings import AgreementFinding, ConfusionCell
from harness.domain.fitness import ErrorRates
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.specs import JudgeSpec
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


class _Weighted(TypedDict):
    kappa_weighted: float | None
    kappa_weighted_interval: IntervalBlock | None
    gwet_ac2: float | None
    gwet_ac2_interval: IntervalBlock | None


class _OnPassing(TypedDict):
    pass_agreement: Rate | None
    sensitivity: Rate | None
    specificity: Rate | None


def audit_human_agreement(plan: Plan, reading: Reading) -> AgreementFinding:
    """Set the judge's majority label on each anchor against the people's label.

    Anchors without a human label or without a judge label are counted and left
    out; a blank is no category.

    Returns:
        ``not_audited`` where nothing can be compared, or where a floor of the
        plan is neither shown to hold nor broken; ``fail`` below one; else ``pass``.
    """
    human = {anchor.id: human_label(anchor) for anchor in plan.anchors}
    judge = judge_labels(plan, reading)
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
    rates = () if plan.is_pairwise else _error_rates(plan, judge_outcomes(plan, reading))
    ruled = _rules(plan, agreement, rates)
    alpha = human_alpha(plan.anchors, labels=_steps(plan.judge), ordered=plan.judge.scores is not None)
    undisputed, disputed = by_dispute(plan.anchors, human, judge)
    return AgreementFinding(
        status=worst("pass", *(rule.status for rule in ruled)),
        n_anchors=len(both),
        n_no_human_label=n_no_human,
        n_no_judge_label=n_no_judge,
        agreement=agreement,
        **_on_passing(both, plan.judge),
        **_coefficients(both, labels_of(plan.judge)),
        **_weighted(both, plan.judge),
        error_rates=rates,
        human_human=_human_human(plan.anchors),
        krippendorff_alpha=alpha.value,
        krippendorff_alpha_reason=alpha.reason,
        undisputed=undisputed,
        disputed=disputed,
        annotator_test=annotator_test(plan.anchors, judge, labels=labels_of(plan.judge)),
        confusion=_confusion(both),
        reasons=tuple(rule.reason for rule in ruled if rule.reason),
    )


def _why_not(plan: Plan) -> str:
    if plan.judge is None:
        return "the plan has no judge"
    if not plan.anchors:
        return "the plan names no anchors"
    return "no anchor has both a human label and a judge label"


def _on_passing(both: Sequence[_Labelled], judge: JudgeSpec) -> _OnPassing:
    """Return agreement on pass or fail, and how often each is seen for what it is; a pair passes nothing."""
    if judge.mode == "pairwise":
        return {"pass_agreement": None, "sensitivity": None, "specificity": None}
    passing = judge.passing
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


def _weighted(both: Sequence[_Labelled], judge: JudgeSpec) -> _Weighted:
    """Return the coefficients that know how far two steps of a scale are apart; none without scores."""
    if judge.scores is None:
        return {
            "kappa_weighted": None,
            "kappa_weighted_interval": None,
            "gwet_ac2": None,
            "gwet_ac2_interval": None,
        }
    steps = _steps(judge)
    numbers = {label: number for number, label in enumerate(steps)}
    human = np.array([numbers[a.human] for a in both])
    found = np.array([numbers[a.judge] for a in both])
    table = confusion(first=human, second=found, n_labels=len(steps)).table
    ratings = np.zeros((len(both), len(steps)), dtype=np.int64)
    np.add.at(ratings, (np.arange(len(both)), human), 1)
    np.add.at(ratings, (np.arange(len(both)), found), 1)
    kappa = cohen_kappa(table=table, weighting="quadratic", confidence_level=CONFIDENCE_LEVEL)
    ac2 = gwet_ac(table=ratings, weighting="quadratic", confidence_level=CONFIDENCE_LEVEL)
    return {
        "kappa_weighted": None if isinstance(kappa, NotEstimable) else kappa.estimate,
        "kappa_weighted_interval": _interval(kappa),
        "gwet_ac2": None if isinstance(ac2, NotEstimable) else ac2.estimate,
        "gwet_ac2_interval": _interval(ac2),
    }


def _steps(judge: JudgeSpec) -> tuple[str, ...]:
    """Return the labels as the scores order them, whatever order they are written in."""
    if judge.scores is None:
        return labels_of(judge)
    return tuple(label for _, label in sorted(zip(judge.scores, judge.labels, strict=True)))


def _error_rates(plan: Plan, judge: Mapping[str, Outcome | None]) -> tuple[ErrorRates, ...]:
    """Return sensitivity and specificity on all anchors, and on each arm that anchors name."""
    arms = [arm for arm in ARMS if any(anchor.arm == arm for anchor in plan.anchors)]
    groups = [("all", plan.anchors)]
    groups += [(arm, tuple(a for a in plan.anchors if a.arm == arm)) for arm in arms]
    return tuple(error_rates(of, plan, anchors, judge) for of, anchors in groups)


def error_rates(
    of: str, plan: Plan, anchors: Sequence[Anchor], judge: Mapping[str, Outcome | None]
) -> ErrorRates:
    """Return how often the judge's outcome is people's, on what they pass and on what they fail."""
    pairs = [(human_outcome(plan, anchor), judge.get(anchor.id)) for anchor in anchors]
    good = [found == "pass" for truth, found in pairs if truth == "pass" and found is not None]
    bad = [found == "fail" for truth, found in pairs if truth == "fail" and found is not None]
    sensitivity = rate(sum(good), len(good), nothing="people passed none of the anchors judged")
    specificity = rate(sum(bad), len(bad), nothing="people failed none of the anchors judged")
    return ErrorRates(
        of=of,
        n_anchors=len(good) + len(bad),
        sensitivity=sensitivity,
        sensitivity_exact=exact_block(sensitivity),
        specificity=specificity,
        specificity_exact=exact_block(specificity),
    )


def _rules(plan: Plan, agreement: Rate, rates: Sequence[ErrorRates]) -> list[Ruled]:
    """Return how the floors fared. No coefficient is a gate: two judges may differ at equal kappa."""
    gates = plan.experiment.gates
    ruled = []
    floor = gates.judge_agreement
    if floor is not None and agreement.rate is not None:
        low = f"agreement with people {agreement.rate:.3f} is below the floor {floor:.3f}"
        ruled.append(Ruled("fail", low) if agreement.rate < floor else Ruled("pass"))
    for overall in rates[:1]:
        if gates.judge_sensitivity is not None:
            ruled.append(against_floor("sensitivity", overall.sensitivity, gates.judge_sensitivity))
        if gates.judge_specificity is not None:
            ruled.append(against_floor("specificity", overall.specificity, gates.judge_specificity))
    return ruled


def _human_human(anchors: Sequence[Anchor]) -> Rate:
    """Return how often two reviewers of one anchor agree: the ceiling for any judge."""
    pairs = [
        first.label == second.label for anchor in anchors for first, second in combinations(anchor.reviews, 2)
    ]
    return rate(sum(pairs), len(pairs), nothing="no anchor has two reviews")


def _confusion(both: Sequence[_Labelled]) -> tuple[ConfusionCell, ...]:
    cells = Counter(both)
    return tuple(ConfusionCell(human=c.human, judge=c.judge, n=n) for c, n in sorted(cells.items()))
