"""Two runs held against each other: the judge then and now, or a panel's majority and each of its judges."""

from harness.audits import Audited, audit_drift, compared_endpoints
from harness.domain.cases import ARMS
from harness.domain.fitness import Compared, DriftFinding, JudgeDrift
from harness.domain.plan import AskedJudge, Plan, plan_digest
from harness.graders.panel import SeenRun


def drift_between(then: Audited, now: Audited) -> DriftFinding:
    """Return what changed between two runs, as whoever decides saw it; of a panel also judge by judge.

    Verdicts of other judges are not compared: they differ because others gave
    them. A judge of a panel is the one of the same name.
    """
    compared = compared_endpoints(then, now)
    if _judges(then.plan) == _judges(now.plan):
        found = audit_drift(_whole(then), _whole(now), compared=compared)
    else:
        found = _other_judges(then, now, compared)
    if not now.plan.panel:
        return found
    judges = tuple(_of_judge(then, now, judge, compared) for judge in now.plan.judges)
    return found.model_copy(update={"against": plan_digest(then.plan), "judges": judges})


def _judges(plan: Plan) -> set[str]:
    return {judge.endpoint for judge in plan.judges}


def _whole(run: Audited) -> Audited:
    return Audited(*SeenRun(*run).whole)


def _other_judges(then: Audited, now: Audited, compared: tuple[Compared, ...]) -> DriftFinding:
    alone = _whole(now)
    silent = Audited(alone.plan, alone.reading._replace(anchor_votes=()))
    found = audit_drift(_whole(then), silent, compared=compared)
    was, there = ", ".join(sorted(_judges(then.plan))), ", ".join(sorted(_judges(now.plan)))
    reason = f"other_judges: verdicts were by {was or 'nobody'}, are by {there or 'nobody'}"
    return found.model_copy(update={"against": plan_digest(then.plan), "reasons": (reason,)})


def _of_judge(then: Audited, now: Audited, judge: AskedJudge, compared: tuple[Compared, ...]) -> JudgeDrift:
    before = next((each for each in then.plan.judges if each.endpoint == judge.endpoint), None)
    if before is None:
        reason = f"no_such_judge: the earlier run has no {judge.endpoint}"
        finding = DriftFinding(status="not_audited", reasons=(reason,))
        return JudgeDrift(judge=judge.endpoint, finding=finding)
    mine = tuple(row for row in compared if row.endpoint in (judge.endpoint, *ARMS))
    was = Audited(*SeenRun(*then).alone(before))
    found = audit_drift(was, Audited(*SeenRun(*now).alone(judge)), compared=mine)
    finding = found.model_copy(update={"against": plan_digest(then.plan)})
    return JudgeDrift(judge=judge.endpoint, finding=finding)
