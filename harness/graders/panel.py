"""A run that a panel judged, seen through one judge, through the majority, and without one of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

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


class SeenRun:
    """A run as its judge, or each judge of its panel, saw it. Votes are graded once, when asked for."""

    def __init__(self, plan: Plan, reading: Reading) -> None:
        self.plan = plan
        self.reading = reading
        self._grades: dict[str, dict[_About, Judged]] = {}

    def alone(self, judge: AskedJudge) -> View:
        """Return the run as this judge alone would have made it, without the canaries of the checks."""
        if not self.plan.panel:
            return View(self.plan, self.reading)
        planted = tuple(canary for canary in self.plan.canaries if canary.grader == "judge")
        plan = seen_by(self.plan, judge).model_copy(update={"canaries": planted})
        reading, as_it_is = self.reading, plan.judge == judge.spec
        case_votes, anchor_votes, canary_votes = (
            tuple(_seen(votes, judge, as_it_is=as_it_is))
            for votes in (reading.case_votes, reading.anchor_votes, reading.canary_votes)
        )
        seen = reading._replace(
            cases=cases_by(reading, [self._judged(judge)], scored=True),
            case_votes=case_votes,
            anchor_votes=anchor_votes,
            canary_votes=canary_votes,
            checked_canaries=(),
            identities=tuple(_identities(reading.identities, judge)),
        )
        return View(plan, seen)

    @cached_property
    def whole(self) -> View:
        """The run as whoever decides saw it: of a panel, each judge's majority is one vote."""
        if not self.plan.panel:
            return View(self.plan, self.reading)
        judges, reading = self.plan.judges, self.reading
        seen = reading._replace(
            case_votes=tuple(_majorities([self._judged(judge) for judge in judges])),
            anchor_votes=tuple(_majorities([judged(reading.anchor_votes, judge) for judge in judges])),
            canary_votes=tuple(_majorities([judged(reading.canary_votes, judge) for judge in judges])),
        )
        return View(seen_by_panel(self.plan, votes=len(judges)), seen)

    @cached_property
    def rounds(self) -> View:
        """The run with the votes of one repeat, all judges' together, as one vote of the panel.

        So it shows whether the panel repeats itself, which the judges' majorities do not.
        """
        if not self.plan.panel:
            return View(self.plan, self.reading)
        reading = self.reading
        seen = reading._replace(
            case_votes=tuple(_rounds(self.plan, reading.case_votes)),
            anchor_votes=tuple(_rounds(self.plan, reading.anchor_votes)),
            canary_votes=tuple(_rounds(self.plan, reading.canary_votes)),
        )
        return View(seen_by_panel(self.plan, votes=self.plan.experiment.repeats.votes), seen)

    def cases_without(self, judge: AskedJudge) -> tuple[CaseResult, ...]:
        """Return the cases as the panel would have graded them without this judge."""
        others = [other for other in self.plan.judges if other.endpoint != judge.endpoint]
        return cases_by(self.reading, [self._judged(other) for other in others], scored=one_scale(others))

    def _judged(self, judge: AskedJudge) -> dict[_About, Judged]:
        if judge.endpoint not in self._grades:
            self._grades[judge.endpoint] = judged(self.reading.case_votes, judge)
        return self._grades[judge.endpoint]


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


def _majorities(judges: Sequence[Mapping[_About, Judged]]) -> Iterator[Vote]:
    for about, first in judges[0].items():
        for place, found in enumerate(judges):
            said = found[about]
            verdict = Verdict(label=said.grade.outcome, no_verdict=said.grade.reason)
            yield Vote(first.subject, place, verdict, said.started_ms)


def _rounds(plan: Plan, votes: Sequence[Vote]) -> Iterator[Vote]:
    graders = {judge.endpoint: votes_grader(judge.spec) for judge in plan.judges}
    for found in _by_subject(votes).values():
        repeats: list[list[Vote]] = [[] for _ in range(plan.experiment.repeats.votes)]
        for vote in found:
            repeats[vote.repeat].append(vote)
        for repeat, mine in enumerate(repeats):
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
        verdict = vote.verdict
        if not as_it_is and verdict.label is not None:
            verdict = verdict._replace(label=outcome_of_label(judge.spec, verdict.label))
        yield Vote(vote.subject, vote.repeat, verdict, vote.started_ms)


def _identities(calls: Iterable[CallIdentity], judge: AskedJudge) -> Iterator[CallIdentity]:
    for call in calls:
        if call.endpoint in ARMS:
            yield call
        elif call.endpoint == judge.endpoint:
            yield replace(call, endpoint="judge")
