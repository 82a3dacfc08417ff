"""Two answers, compared: a vote prefers one in one order, a pair is settled by both orders."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from msgspec.structs import replace

from harness.domain.calls import Side, Subject
from harness.domain.cases import Preference
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import Graded, NoVerdict, Vote, graded, majority

PREFERENCES: tuple[Preference, ...] = get_args(Preference)
_REVERSED: dict[Preference, Preference] = {"win": "loss", "loss": "win", "tie": "tie"}


class Sides(NamedTuple):
    """The two answers of a pair. A preference is told from ``ours``: a win is a win of it."""

    ours: Side
    theirs: Side


CASE_SIDES = Sides(ours="candidate", theirs="baseline")
PLANTED_SIDES = Sides(ours="answer", theirs="other")


def sides_of(subject: Subject) -> Sides:
    """Return the two sides of what the subject names: both arms, or the two answers that were planted."""
    return CASE_SIDES if subject.kind == "case" else PLANTED_SIDES


class Pair(NamedTuple):
    """One pair of answers as the judge saw it in both orders.

    ``ours_first`` and ``theirs_first`` are the majority preference in each
    order, null where that order has none; ``reason`` says why a pair has no
    preference at all.
    """

    subject: Subject
    ours_first: Preference | None
    theirs_first: Preference | None
    reason: NoVerdict | None = None

    @property
    def preference(self) -> Preference | None:
        """What both orders say alike, else a tie; null where one order says nothing."""
        if self.ours_first is None or self.theirs_first is None:
            return None
        return self.ours_first if self.ours_first == self.theirs_first else "tie"

    @property
    def is_consistent(self) -> bool | None:
        """Whether both orders say the same; null where one says nothing."""
        return None if self.preference is None else self.ours_first == self.theirs_first

    @property
    def slot(self) -> int:
        """1 where both orders prefer the answer shown first, -1 the second, else 0."""
        if {self.ours_first, self.theirs_first} != {"win", "loss"}:
            return 0
        return 1 if self.ours_first == "win" else -1


def preference_of(spec: JudgeSpec, label: str | None, *, ours_first: bool) -> Preference | None:
    """Return what a label says of ``ours``, which was shown first or second; null without a label."""
    if label is None:
        return None
    if label in spec.tie:
        return "tie"
    return "win" if (label in spec.first) == ours_first else "loss"


def reversed_preference(preference: Preference) -> Preference:
    """Return the same preference, told from the other answer."""
    return _REVERSED[preference]


def settled(spec: JudgeSpec, votes: Sequence[Vote], *, asked: int) -> Pair:
    """Return the pair that these votes are about.

    Args:
        spec: The pairwise judge.
        votes: All votes on one pair, in either order.
        asked: How many votes were asked for in each order.
    """
    subject = replace(votes[0].subject, first=None)
    sides = sides_of(subject)
    ours = [vote for vote in votes if vote.subject.first == sides.ours]
    theirs = [vote for vote in votes if vote.subject.first == sides.theirs]
    found = Pair(
        subject,
        ours_first=_majority(spec, ours, asked=asked, ours_first=True),
        theirs_first=_majority(spec, theirs, asked=asked, ours_first=False),
    )
    if found.preference is not None:
        return found
    silent = ours * (found.ours_first is None) + theirs * (found.theirs_first is None)
    reasons = {vote.verdict.no_verdict for vote in silent} or {"not_run"}
    shared = reasons.pop() if len(reasons) == 1 else None
    return found._replace(reason=shared or "no_majority")


def pairs_of(spec: JudgeSpec, votes: Iterable[Vote], *, asked: int) -> tuple[Pair, ...]:
    """Return the pairs that the votes are about, in the order of their first votes."""
    found: dict[tuple[str, str, int | None], list[Vote]] = {}
    for vote in votes:
        subject = vote.subject
        found.setdefault((subject.kind, subject.id, subject.answer), []).append(vote)
    return tuple(settled(spec, mine, asked=asked) for mine in found.values())


class PairGrade(NamedTuple):
    """A pair as both arms' grades: an arm passes where it is preferred, and a tie passes neither."""

    baseline: Graded
    candidate: Graded


def grade_pair(pair: Pair) -> PairGrade:
    """Return what a pair of the arms' answers is in the table of gains and losses.

    A win is a gain, a loss a loss, and a tie fails in both arms. So the tables,
    tests and intervals of pass and fail hold for preferences as they stand: the
    exact McNemar test of gains and losses is the sign test of wins and losses.
    """
    preference = pair.preference
    if preference is None:
        none = graded(None, pair.reason or "no_majority")
        return PairGrade(none, none)
    return PairGrade(
        baseline=graded("pass" if preference == "loss" else "fail"),
        candidate=graded("pass" if preference == "win" else "fail"),
    )


def _majority(spec: JudgeSpec, votes: Sequence[Vote], *, asked: int, ours_first: bool) -> Preference | None:
    said = [preference_of(spec, vote.verdict.label, ours_first=ours_first) for vote in votes]
    winner = majority(said, asked=asked).label
    return next((preference for preference in PREFERENCES if preference == winner), None)
