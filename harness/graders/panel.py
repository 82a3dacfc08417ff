"""A run that a panel judged, seen through one judge, through the majority, and without one of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.domain.calls import Subject
from harness.domain.cases import ARMS, Arm
from harness.domain.manifest import Reading
from harness.domain.panel import one_scale, outcome_of_label, seen_by, seen_by_panel
from harness.domain.plan import AskedJudge, Plan
from harness.domain.verdicts import CallIdentity, CaseResult, Graded, Verdict, Vote
from harness.graders.votes import grade_by_panel, votes_grader

_About = tuple[str, str, str | None, int | None]


class View(NamedTuple):
    """A run as it would be with one judge: a plan and a reading that every audit understands."""

    plan: Plan
    reading: Reading


class Judged(NamedTuple):
    """What one judge said of one answer, canary or anchor, over all its votes."""

    subject: Subject
    grade: Graded
    started_ms: int


def judge_view(plan: Plan, reading: Reading, judge: AskedJudge) -> View:
    """Return the run as this judge alone would have made it, without the canaries of the checks."""
    planted = tuple(canary for canary in plan.canaries if canary.grader == "judge")
    alone = seen_by(plan, judge).model_copy(update={"canaries": planted})
    as_it_is = alone.judge == judge.spec
    case_votes, anchor_votes, canary_votes = (
        tuple(_seen(votes, judge, as_it_is=as_it_is))
        for votes in (reading.case_votes, reading.anchor_votes, reading.canary_votes)
    )
    seen = reading._replace(
        cases=cases_by(reading, [judged(reading.case_votes, judge)], scored=True),
        case_votes=case_votes,
        anchor_votes=anchor_votes,
        canary_votes=canary_votes,
        checked_canaries=(),
        identities=tuple(_identities(reading.identities, judge)),
    )
    return View(alone, seen)


def majority_view(plan: Plan, reading: Reading) -> View:
    """Return the run as if every judge's majority were one vote of the panel."""

    def votes(found: Sequence[Vote]) -> tuple[Vote, ...]:
        return tuple(_majorities([judged(found, judge) for judge in plan.judges]))

    return _panel_view(plan, reading, len(plan.judges), votes)


def rounds_view(plan: Plan, reading: Reading) -> View:
    """Return the run as if the judges' votes of one repeat, taken together, were one vote of the panel.

    So it shows whether the panel repeats itself, which the judges' majorities do not.
    """

    def votes(found: Sequence[Vote]) -> tuple[Vote, ...]:
        return tuple(_rounds(plan, found))

    return _panel_view(plan, reading, plan.experiment.repeats.votes, votes)


def cases_without(plan: Plan, reading: Reading, judge: AskedJudge) -> tuple[CaseResult, ...]:
    """Return the cases as the panel would have graded them without this judge."""
    others = [other for other in plan.judges if other.endpoint != judge.endpoint]
    grades = [judged(reading.case_votes, other) for other in others]
    return cases_by(reading, grades, scored=one_scale(others))


def judged(votes: Iterable[Vote], judge: AskedJudge) -> dict[_About, Judged]:
    """Return what the judge said of everything it was asked about, in plan order."""
    grade = votes_grader(judge.spec)
    return {
        about: Judged(
            subject=found[0].subject,
            grade=grade(tuple(vote.verdict for vote in found)),
            started_ms=min(vote.started_ms for vote in found),
        )
        for about, found in _by_subject(vote for vote in votes if vote.endpoint == judge.endpoint).items()
    }


def cases_by(
    reading: Reading, judges: Sequence[Mapping[_About, Judged]], *, scored: bool
) -> tuple[CaseResult, ...]:
    """Return the cases graded by these judges; what no judge was shown keeps its grade, or its reason.

    Args:
        reading: The run, read.
        judges: What each judge said, from `judged`; one judge grades alone.
        scored: Whether the judges' scores may be put together.
    """
    shown = {(note.case, note.arm, note.repeat) for note in reading.answers}

    def graded(case: str, arm: Arm, repeat: int, was: Graded) -> Graded:
        about = ("case", case, arm, repeat)
        if (case, arm, repeat) not in shown or about not in judges[0]:
            return was
        return grade_by_panel([found[about].grade for found in judges], scored=scored)

    return tuple(
        result._replace(
            baseline=tuple(graded(result.case, ARMS[0], n, was) for n, was in enumerate(result.baseline)),
            candidate=tuple(graded(result.case, ARMS[1], n, was) for n, was in enumerate(result.candidate)),
        )
        for result in reading.cases
    )


def _panel_view(
    plan: Plan, reading: Reading, n_votes: int, votes: Callable[[Sequence[Vote]], tuple[Vote, ...]]
) -> View:
    seen = reading._replace(
        case_votes=votes(reading.case_votes),
        anchor_votes=votes(reading.anchor_votes),
        canary_votes=votes(reading.canary_votes),
    )
    return View(seen_by_panel(plan, votes=n_votes), seen)


def _majorities(judges: Sequence[Mapping[_About, Judged]]) -> Iterator[Vote]:
    for about, first in judges[0].items():
        for place, found in enumerate(judges):
            said = found[about]
            verdict = Verdict(label=said.grade.outcome, no_verdict=said.grade.reason)
            yield Vote(first.subject, place, verdict, said.started_ms)


def _rounds(plan: Plan, votes: Sequence[Vote]) -> Iterator[Vote]:
    graders = {judge.endpoint: votes_grader(judge.spec) for judge in plan.judges}
    for found in _by_subject(votes).values():
        for repeat in range(plan.experiment.repeats.votes):
            mine = [vote for vote in found if vote.repeat == repeat]
            grade = grade_by_panel([graders[vote.endpoint]((vote.verdict,)) for vote in mine], scored=False)
            verdict = Verdict(label=grade.outcome, no_verdict=grade.reason)
            yield Vote(mine[0].subject, repeat, verdict, min(vote.started_ms for vote in mine))


def _by_subject(votes: Iterable[Vote]) -> dict[_About, list[Vote]]:
    found: dict[_About, list[Vote]] = {}
    for vote in votes:
        subject = vote.subject
        found.setdefault((subject.kind, subject.id, subject.arm, subject.answer), []).append(vote)
    return found


def _seen(votes: Iterable[Vote], judge: AskedJudge, *, as_it_is: bool) -> Iterator[Vote]:
    """Yield the judge's votes, in its labels or as pass and fail."""
    for vote in votes:
        if vote.endpoint != judge.endpoint:
            continue
        label = vote.verdict.label
        read = label if as_it_is or label is None else outcome_of_label(judge.spec, label)
        yield vote._replace(endpoint="judge", verdict=vote.verdict._replace(label=read))


def _identities(calls: Iterable[CallIdentity], judge: AskedJudge) -> Iterator[CallIdentity]:
    for call in calls:
        if call.endpoint in ARMS:
            yield call
        elif call.endpoint == judge.endpoint:
            yield call._replace(endpoint="judge")
