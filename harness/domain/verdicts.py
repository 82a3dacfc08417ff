"""Votes become verdicts, verdicts majorities, and cases pairs."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import msgspec

from harness.domain.calls import Subject
from harness.domain.cases import Arm, Outcome, Split
from harness.domain.formats import PLAIN, AnswerFormat

NoVerdict = Literal[
    "unreadable",
    "refused",
    "truncated",
    "filtered",
    "failed",
    "not_run",
    "not_applicable",
    "no_majority",
    "unpaired",
]
NO_VERDICTS: tuple[NoVerdict, ...] = get_args(NoVerdict)


class Verdict(NamedTuple):
    """One vote, read: a label, or the reason why there is none."""

    label: str | None
    no_verdict: NoVerdict | None
    detail: str = ""


class Majority(NamedTuple):
    """The label held by more than half of the votes asked for, if one is.

    ``tally`` counts the votes by label, sorted; votes without a verdict are
    among those asked for and hold no label.
    """

    label: str | None
    n_asked: int
    tally: tuple[tuple[str, int], ...]


def majority(labels: Sequence[str | None], *, asked: int) -> Majority:
    """Return the majority label of the votes.

    Args:
        labels: One entry a vote that came; null where it has no verdict.
        asked: How many votes were asked for, at least as many as came.

    Raises:
        ValueError: More votes came than were asked for.
    """
    if len(labels) > asked:
        raise ValueError(f"{len(labels)} votes came, {asked} were asked for")
    counts = Counter(label for label in labels if label is not None)
    tally = tuple(sorted(counts.items()))
    # Missing votes count among those asked for: silence never tips a verdict.
    winner = next((label for label, count in tally if 2 * count > asked), None)
    return Majority(label=winner, n_asked=asked, tally=tally)


class Graded(NamedTuple):
    """One answer, graded: its outcome, or why it has none; a score where the grader gives one."""

    outcome: Outcome | None
    reason: NoVerdict | None
    score: float | None = None


@lru_cache(maxsize=4096)
def graded(outcome: Outcome | None, reason: NoVerdict | None = None, score: float | None = None) -> Graded:
    """Return the one shared value: a million answers have few distinct grades.

    Raises:
        ValueError: Neither an outcome nor a reason, or both.
    """
    if (outcome is None) == (reason is None):
        raise ValueError("a graded answer has an outcome or a reason, and not both")
    return Graded(outcome=outcome, reason=reason, score=score)


class CaseResult(NamedTuple):
    """Both arms on one case; the position of an answer is its repeat."""

    case: str
    cluster: str
    tags: tuple[str, ...]
    weight: float
    split: Split
    baseline: tuple[Graded, ...]
    candidate: tuple[Graded, ...]


class Vote(NamedTuple):
    """One vote of a judge, read, with where it stands in time (Unix milliseconds)."""

    subject: Subject
    repeat: int
    verdict: Verdict
    started_ms: int
    endpoint: str = "judge"


class CallIdentity(msgspec.Struct, frozen=True, gc=False):
    """Who answered one call, and when."""

    endpoint: str
    subject: Subject
    repeat: int
    model: str | None
    fingerprint: str | None
    started_ms: int
    provider: str | None = None


class AnswerNote(msgspec.Struct, frozen=True, gc=False):
    """What the audits need of one answer beside its grade; its format where a judge is shown it."""

    case: str
    arm: Arm
    repeat: int
    n_chars: int
    text_sha256: str
    prompt_tokens: int | None
    expected_prompt_chars: int
    format: AnswerFormat = PLAIN
