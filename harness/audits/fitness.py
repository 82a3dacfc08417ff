"""One verdict on the judge: fit, unfit, or not audited."""

from collections.abc import Iterator, Sequence

from harness.domain.blocks import Status
from harness.domain.findings import Audits, CanaryFinding
from harness.domain.fitness import NO_JUDGE, Fitness, FitnessPart, JudgeFitness
from harness.domain.plan import Plan

_AGREEMENT_FLOORS = "judge_sensitivity, judge_specificity or judge_agreement"


def judge_fitness(plan: Plan, audits: Audits, *further: FitnessPart) -> JudgeFitness:
    """Put the audits of the judge together.

    A judge is unfit when any audit fails. It is fit when canaries both ways,
    repeatability and human agreement were audited, each against something that
    could have failed. In every other case it is not audited, whatever good its
    numbers say, and the reasons name what is missing. Bias, differential error
    and drift can make a judge unfit; where they were not audited that is said
    and does not hold it back.

    Args:
        plan: The plan.
        audits: What the audits found.
        further: What else can make this judge unfit.
    """
    if plan.judge is None:
        return NO_JUDGE
    return _fitness(plan, (*_parts(plan, audits), *further))


def panel_fitness(plan: Plan, audits: Audits, judges: Sequence[tuple[str, JudgeFitness]]) -> JudgeFitness:
    """Put the audits of a panel together: those of its majority, and the verdict on each judge.

    One unfit judge makes the panel unfit, and the panel is fit only when every
    judge is. A majority can hide a judge who errs, on the anchors as well as on
    the answers: who leaves that judge out decides about another panel, and
    freezes another plan.

    Args:
        plan: The plan as the panel's majority is seen in it.
        audits: The audits of the majority.
        judges: The verdict on each judge, by the name of its endpoint.
    """
    each = (_judge_part(name, found) for name, found in judges)
    return _fitness(plan, (*_parts(plan, audits), *each))


_OF_JUDGE: dict[Fitness, Status] = {"fit": "pass", "unfit": "fail", "not_audited": "not_audited"}


def _judge_part(name: str, found: JudgeFitness) -> FitnessPart:
    code = f"panel_judge_{found.status}"
    missing = [part.name for part in found.parts if part.needed and part.status == "not_audited"]
    told = found.reasons if found.status == "unfit" else [", ".join(missing)]
    reasons = () if found.status == "fit" else tuple(f"{code}: {name}: {reason}" for reason in told)
    return FitnessPart(name=name, status=_OF_JUDGE[found.status], needed=True, reasons=reasons)


def _parts(plan: Plan, audits: Audits) -> tuple[FitnessPart, ...]:
    return (
        _canaries(plan, audits.canaries),
        _repeatability(plan, audits),
        _agreement(plan, audits),
        FitnessPart(name="bias", status=audits.bias.status, needed=False, reasons=audits.bias.reasons),
        FitnessPart(
            name="differential_error",
            status=audits.differential.status,
            needed=False,
            reasons=audits.differential.reasons,
        ),
        FitnessPart(name="drift", status=audits.drift.status, needed=False, reasons=audits.drift.reasons),
    )


def _fitness(plan: Plan, parts: tuple[FitnessPart, ...]) -> JudgeFitness:
    status = _status(parts)
    return JudgeFitness(
        status=status,
        needed=any(not case.checks for case in plan.cases) or not plan.cases,
        parts=parts,
        reasons=tuple(_reasons(parts, status)),
    )


def _status(parts: tuple[FitnessPart, ...]) -> Fitness:
    if any(part.status == "fail" for part in parts):
        return "unfit"
    return "fit" if all(part.status == "pass" for part in parts if part.needed) else "not_audited"


def _reasons(parts: tuple[FitnessPart, ...], status: Fitness) -> Iterator[str]:
    """Yield what decided first: what failed, else what is missing."""
    for part in parts:
        if part.status == "fail":
            yield from part.reasons or (f"{part.name}_failed",)
    if status != "unfit":
        for part in parts:
            if part.status == "not_audited":
                why = f": {part.reasons[0]}" if part.reasons else ""
                coded = bool(part.reasons) and part.reasons[0].startswith("panel_judge_")
                yield part.reasons[0] if coded else f"{part.name}_not_audited{why}"


def _canaries(plan: Plan, finding: CanaryFinding) -> FitnessPart:
    mine = [canary for canary in finding.canaries if canary.grader == "judge"]
    survived = {canary.id for canary in mine if canary.survived}
    part = FitnessPart(name="canaries", status="pass", needed=True)
    if survived:
        told = [r for r in finding.reasons if r.partition(": ")[2] in survived]
        return part.model_copy(update={"status": "fail", "reasons": tuple(told)})
    if plan.is_pairwise:
        return part if any(canary.expected != "tie" for canary in mine) else _without_a_winner(part)
    missing = {"pass", "fail"} - {canary.expected for canary in mine}
    if missing:
        which = " and ".join(sorted(missing))
        reason = f"no_canaries: none that must {which} is planted for the judge"
        return part.model_copy(update={"status": "not_audited", "reasons": (reason,)})
    return part


def _without_a_winner(part: FitnessPart) -> FitnessPart:
    """Both orders are both directions, but a judge that always ties is caught by a winner alone."""
    reason = "no_canaries: none with a winner is planted for the judge"
    return part.model_copy(update={"status": "not_audited", "reasons": (reason,)})


def _repeatability(plan: Plan, audits: Audits) -> FitnessPart:
    finding, gates = audits.repeatability, plan.experiment.gates
    part = FitnessPart(name="repeatability", status=finding.status, needed=True, reasons=finding.reasons)
    if finding.status == "pass" and gates.judge_flip_rate is None and gates.judge_repeatability is None:
        reason = "no_floor: the plan declares neither gates.judge_flip_rate nor gates.judge_repeatability"
        return part.model_copy(update={"status": "not_audited", "reasons": (reason,)})
    return part


def _agreement(plan: Plan, audits: Audits) -> FitnessPart:
    finding, gates = audits.human_agreement, plan.experiment.gates
    part = FitnessPart(name="human_agreement", status=finding.status, needed=True, reasons=finding.reasons)
    floors = (gates.judge_agreement, gates.judge_sensitivity, gates.judge_specificity)
    if finding.status == "pass" and all(floor is None for floor in floors):
        names = "judge_agreement" if plan.is_pairwise else _AGREEMENT_FLOORS
        reason = f"no_floor: the plan declares no gates.{names}"
        return part.model_copy(update={"status": "not_audited", "reasons": (reason,)})
    return part
