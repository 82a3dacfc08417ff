"""From the votes on one answer to its grade."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import fsum

from harness.domain.cases import Outcome
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import Graded, Verdict, graded, majority


def grade_by_votes(spec: JudgeSpec, verdicts: Sequence[Verdict]) -> Graded:
    """Return the grade of an answer from all votes asked for, missing ones included.

    Labels become pass or fail before the majority, so 7, 8 and 9 with
    ``passing = ["7", "8", "9"]`` are three passes. Without a majority the
    reason is ``no_majority``, or the one reason that all votes share. The score
    is the mean of the labels' scores where every vote has one.

    Args:
        spec: The judge.
        verdicts: One entry for each vote asked for. Length n_votes, at least 1.
    """
    outcomes = [_outcome(spec, verdict.label) for verdict in verdicts]
    winner = majority(outcomes, asked=len(outcomes)).label
    if winner is not None:
        return graded("pass" if winner == "pass" else "fail", None, mean_score(spec, verdicts))
    reasons = {verdict.no_verdict for verdict in verdicts}
    shared = reasons.pop() if len(reasons) == 1 else None
    return graded(None, shared or "no_majority", mean_score(spec, verdicts))


def grade_by_panel(judges: Sequence[Graded], *, scored: bool) -> Graded:
    """Return the grade of an answer from what each judge of a panel came to.

    More than half of the judges asked decide. A judge without a majority is one
    of them and says nothing, and an even panel can be split: then nobody wins,
    and the reason is the one that all judges share, or ``no_majority``.

    Args:
        judges: One entry for each judge. One judge's grade is the panel's.
        scored: Whether all judges score on one scale; then the score is the mean of theirs.
    """
    return judges[0] if len(judges) == 1 else _together(tuple(judges), scored)


@lru_cache(maxsize=4096)
def _together(judges: tuple[Graded, ...], scored: bool) -> Graded:
    winner = majority([judge.outcome for judge in judges], asked=len(judges)).label
    scores = [judge.score for judge in judges if judge.score is not None]
    score = fsum(scores) / len(scores) if scored and len(scores) == len(judges) else None
    if winner is not None:
        return graded("pass" if winner == "pass" else "fail", None, score)
    reasons = {judge.reason for judge in judges}
    shared = reasons.pop() if len(reasons) == 1 else None
    return graded(None, shared or "no_majority", score)


def votes_grader(spec: JudgeSpec) -> Callable[[tuple[Verdict, ...]], Graded]:
    """Return `grade_by_votes` for one spec; it remembers, as a million answers have few sets of votes."""
    return lru_cache(maxsize=4096)(partial(grade_by_votes, spec))


def mean_score(spec: JudgeSpec, verdicts: Sequence[Verdict]) -> float | None:
    """Return the mean score of the votes, or null where a vote has no label or the labels no scores."""
    if spec.scores is None:
        return None
    values = dict(zip(spec.labels, spec.scores, strict=True))
    scores = [values[verdict.label] for verdict in verdicts if verdict.label is not None]
    return fsum(scores) / len(scores) if len(scores) == len(verdicts) else None


def _outcome(spec: JudgeSpec, label: str | None) -> Outcome | None:
    if label is None:
        return None
    return "pass" if label in spec.passing else "fail"
