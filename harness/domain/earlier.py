"""Reports that came before a run, on other data of the same arms: what makes it a second one."""

from collections.abc import Sequence

from harness.domain.canonical import digest
from harness.domain.plan import Plan
from harness.domain.record import Count, Positive, Record, Sha256, Text


class EarlierReport(Record):
    """A report that had come to a verdict before this run was asked, or before it went on.

    ``run`` is the name of its directory. It rests on ``n_cases`` exploratory
    cases, each with so many ``answers`` an arm and ``votes`` an answer;
    ``stopped`` is why its run had broken off, where it had.
    """

    run: Text
    plan_sha256: Sha256
    evidence_sha256: Sha256
    verdict: Text
    n_cases: Count
    answers: Positive
    votes: Positive
    stopped: Text | None = None


class EarlierReports(Record):
    """``earlier.json``."""

    version: Text = "1"
    reports: tuple[EarlierReport, ...]


def is_other_data(plan: Plan, earlier: Plan) -> bool:
    """Whether two plans hold the same arms against each other on other data of the same cases.

    The same plan again is a repetition: nothing was added to what had been seen.
    """
    now, was = _exploratory(plan), _exploratory(earlier)
    if not now & was or _arms(plan) != _arms(earlier):
        return False
    return now != was or plan.experiment.repeats != earlier.experiment.repeats


def told_of(reports: Sequence[EarlierReport]) -> list[str]:
    """Return what the decision must say where these arms were reported on before, with other data."""
    if not reports:
        return []
    last = reports[-1]
    more = f" and {len(reports) - 1} more" if len(reports) > 1 else ""
    broken = f", broken off ({last.stopped})" if last.stopped else ""
    seen = f"{last.verdict} on {last.n_cases} cases, answers = {last.answers}, votes = {last.votes}{broken}"
    return [
        f"grown_data: exploratory, since {last.run}{more} was reported on before, "
        f"with other data of the same arms: {seen}"
    ]


def _exploratory(plan: Plan) -> frozenset[str]:
    return frozenset(case.id for case in plan.cases) - frozenset(plan.held_out)


def _arms(plan: Plan) -> str:
    """Return the digest of all that decides what is asked of arms and judges about a case."""
    arms = {name: plan.endpoint(name) for name in ("baseline", "candidate")}
    asked = {
        name: [arm.model, arm.base_url, arm.system, arm.model_dump(mode="json")["sampling"]]
        for name, arm in arms.items()
    }
    judges = [[digest(judge.spec), judge.prompt, judge.use.endpoint.model] for judge in plan.judges]
    return digest({"arms": asked, "templates": plan.templates.model_dump(mode="json"), "judges": judges})
