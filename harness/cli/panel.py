"""Audits of a run: of its judge, or of every judge of a panel and of their majority."""

from typing import NamedTuple

from harness.audits import (
    audit_bias,
    audit_canaries,
    audit_differential,
    audit_human_agreement,
    audit_repeatability,
    audit_routing,
    judge_fitness,
    judge_verdicts,
    panel_bias,
    panel_fitness,
)
from harness.domain.findings import Audits, RoutingFinding
from harness.domain.fitness import DriftFinding, FitnessPart
from harness.domain.manifest import Reading
from harness.domain.plan import AskedJudge, Plan
from harness.graders.panel import SeenRun, View

_NO_EARLIER_RUN = "no_earlier_run: harness audit --against RUN compares the judge with an earlier one"


class AuditedJudge(NamedTuple):
    """One judge of a panel: the run as it alone would have made it, and what the audits say of it."""

    judge: AskedJudge
    view: View
    audits: Audits


class RunAudits(NamedTuple):
    """All audits of a run, and those of each judge where there are several."""

    audits: Audits
    judges: tuple[AuditedJudge, ...]


def audit_run(seen: SeenRun, drift: DriftFinding | None) -> RunAudits:
    """Return all audits of a run, and the one verdict on the judge or on the panel."""
    routing = audit_routing(seen.plan, seen.reading, drift.compared if drift else ())
    if not seen.plan.panel:
        return RunAudits(audit_judge(seen.whole, routing, drift), ())
    drifts = {each.judge: each.finding for each in drift.judges} if drift else {}
    judges = tuple(
        _audited_judge(seen, judge, routing, drifts.get(judge.endpoint)) for judge in seen.plan.judges
    )
    found = _audited(seen.whole, seen.rounds, routing, drift)
    found = found.model_copy(update={"bias": panel_bias(seen.plan, found.bias)})
    each = [(judged.judge.endpoint, judged.audits.judge) for judged in judges]
    found = found.model_copy(update={"judge": panel_fitness(seen.whole.plan, found, each)})
    return RunAudits(found, judges)


def _audited_judge(
    seen: SeenRun, judge: AskedJudge, routing: RoutingFinding, drift: DriftFinding | None
) -> AuditedJudge:
    view = seen.alone(judge)
    return AuditedJudge(judge, view, audit_judge(view, routing, drift, judge_verdicts(*view)))


def audit_judge(
    view: View, routing: RoutingFinding, drift: DriftFinding | None, *further: FitnessPart
) -> Audits:
    """Return all audits of one judge, and the verdict on it."""
    found = _audited(view, view, routing, drift)
    return found.model_copy(update={"judge": judge_fitness(view.plan, found, *further)})


def canary_survived(plan: Plan, reading: Reading) -> bool:
    """Return whether any canary was graded otherwise than planted, by the checks or by any judge."""
    seen = SeenRun(plan, reading)
    views = (seen.whole, *(seen.alone(judge) for judge in plan.judges))
    return any(audit_canaries(*view).status == "fail" for view in views)


def _audited(view: View, repeats: View, routing: RoutingFinding, drift: DriftFinding | None) -> Audits:
    return Audits(
        canaries=audit_canaries(*view),
        routing=routing,
        repeatability=audit_repeatability(*repeats),
        human_agreement=audit_human_agreement(*view),
        bias=audit_bias(*view),
        differential=audit_differential(*view),
        drift=drift or DriftFinding(status="not_audited", reasons=(_NO_EARLIER_RUN,)),
    )
