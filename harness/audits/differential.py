"""Does the judge err alike on both arms? This decides whether its difference may be quoted."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from harness.audits.gates import against_band
from harness.audits.labels import human_label, human_outcome, is_pass, judge_labels, judge_outcomes
from harness.audits.rates import CONFIDENCE_LEVEL, block_or_none
from harness.domain.cases import ARMS, Arm
from harness.domain.fitness import DifferentialFinding
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.stats.judge_error import rectifier

_SIGNS = {"win": 1.0, "tie": 0.0, "loss": -1.0}


class LabelledPair(NamedTuple):
    """One case whose answers were labelled on both arms: candidate minus baseline, twice."""

    case: str
    cluster: str
    judge: float
    human: float
    drawn: bool


class LabelledPairs(NamedTuple):
    """The pairs, and how many cases were labelled on both arms without making one."""

    pairs: tuple[LabelledPair, ...]
    n_left_out: int


def labelled_pairs(plan: Plan, reading: Reading, *, closed: Collection[str]) -> LabelledPairs:
    """Return the cases that people and the judge both decided on both arms.

    Args:
        plan: The plan with its anchors.
        reading: The run, read.
        closed: The cases that may not be looked at.
    """
    if plan.is_pairwise:
        return labelled_preferences(plan, reading, closed=closed)
    judged = judge_outcomes(plan, reading)
    cluster = {case.id: case.group for case in plan.cases}
    named: dict[str, set[Arm]] = defaultdict(set)
    found: dict[tuple[str, Arm], list[tuple[float, float]]] = defaultdict(list)
    drawn: dict[str, bool] = defaultdict(lambda: True)
    for anchor in plan.anchors:
        if anchor.case is None or anchor.arm is None or anchor.case in closed:
            continue
        named[anchor.case].add(anchor.arm)
        drawn[anchor.case] &= anchor.selection == "random"
        human, judge = human_outcome(plan, anchor), judged.get(anchor.id)
        if human is not None and judge is not None:
            found[anchor.case, anchor.arm].append((is_pass(judge), is_pass(human)))
    both = [case for case, arms in named.items() if len(arms) == len(ARMS)]
    pairs = tuple(
        LabelledPair(
            case=case,
            cluster=cluster.get(case, case),
            judge=_mean(j for j, _ in found[case, "candidate"])
            - _mean(j for j, _ in found[case, "baseline"]),
            human=_mean(h for _, h in found[case, "candidate"])
            - _mean(h for _, h in found[case, "baseline"]),
            drawn=drawn[case],
        )
        for case in both
        if all(found[case, arm] for arm in ARMS)
    )
    return LabelledPairs(pairs, len(both) - len(pairs))


def labelled_preferences(plan: Plan, reading: Reading, *, closed: Collection[str]) -> LabelledPairs:
    """Return the same of a pairwise judge: each anchor that names an arm holds both arms' answers.

    A win of the candidate is 1, of the baseline -1, a tie 0.
    """
    judged = judge_labels(plan, reading)
    cluster = {case.id: case.group for case in plan.cases}
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    drawn: dict[str, bool] = defaultdict(lambda: True)
    for anchor in plan.anchors:
        if anchor.case is None or anchor.arm is None or anchor.case in closed:
            continue
        drawn[anchor.case] &= anchor.selection == "random"
        human, judge = human_label(anchor), judged.get(anchor.id)
        sign = 1.0 if anchor.arm == "candidate" else -1.0
        if human is not None and judge is not None:
            found[anchor.case].append((sign * _SIGNS[judge], sign * _SIGNS[human]))
    pairs = tuple(
        LabelledPair(
            case=case,
            cluster=cluster.get(case, case),
            judge=_mean(j for j, _ in values),
            human=_mean(h for _, h in values),
            drawn=drawn[case],
        )
        for case, values in found.items()
    )
    return LabelledPairs(pairs, len(drawn) - len(pairs))


def _mean(outcomes: Iterable[float]) -> float:
    found = list(outcomes)
    return sum(found) / len(found)


def audit_differential(plan: Plan, reading: Reading) -> DifferentialFinding:
    """Hold the judge's difference less people's against the margin; held-out cases stay out of it.

    Returns:
        ``fail`` where the judge favours an arm by the margin or more beyond
        doubt, ``pass`` where the interval lies within the margin, and
        ``not_audited`` where there are too few anchors to say, or none.
    """
    labelled = labelled_pairs(plan, reading, closed=plan.held_out)
    pairs, margin = labelled.pairs, plan.experiment.analysis.margin
    if not pairs:
        return DifferentialFinding(
            status="not_audited", n_left_out=labelled.n_left_out, margin=margin, reasons=(_why_not(plan),)
        )
    found = rectifier(
        judge_differences=[pair.judge for pair in pairs],
        human_differences=[pair.human for pair in pairs],
        clusters=[pair.cluster for pair in pairs],
        confidence_level=CONFIDENCE_LEVEL,
    )
    value = found.judge_difference - found.human_difference
    interval = block_or_none(found.interval)
    ruled = against_band("differential_error", value, interval, margin)
    return DifferentialFinding(
        status=ruled.status,
        n_cases=found.n_cases,
        n_left_out=labelled.n_left_out,
        judge_difference=found.judge_difference,
        human_difference=found.human_difference,
        rectifier=value,
        interval=interval,
        margin=margin,
        reasons=(ruled.reason,) if ruled.reason else (),
    )


def _why_not(plan: Plan) -> str:
    if plan.judge is None:
        return "no_judge: the plan has no judge"
    if not plan.anchors:
        return "no_anchors: the plan names no anchors"
    arms = {anchor.arm for anchor in plan.anchors if anchor.arm is not None}
    if not arms:
        return "no_arms: no anchor says which arm answered"
    if len(arms) == 1 and not plan.is_pairwise:
        return f"one_arm: anchors were labelled on {next(iter(arms))} alone"
    return "no_pairs: no case that is not held out has a human and a judge outcome on both arms"
