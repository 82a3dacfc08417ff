"""What a pairwise judge wants of the files around it, and a judge of single answers does not."""

from collections.abc import Iterator
from typing import get_args

from harness.domain.cases import Anchor, Canary, Outcome, Preference
from harness.domain.specs import Experiment, JudgeSpec

OUTCOMES: tuple[str, ...] = get_args(Outcome)
PREFERENCES: tuple[str, ...] = get_args(Preference)


def canary_problem(canary: Canary, judge: JudgeSpec | None) -> str | None:
    """Return why the canary does not fit who grades it, or null."""
    is_pair = judge is not None and judge.mode == "pairwise" and canary.grader == "judge"
    problem = _other_problem(canary, is_pair=is_pair, grader=judge.name if judge else "the checks")
    wanted = PREFERENCES if is_pair else OUTCOMES
    if problem is None and canary.expected not in wanted:
        return f"expected: found {canary.expected!r}, wanted {_one_of(wanted)}"
    return problem


def anchor_problem(anchor: Anchor, judge: JudgeSpec) -> str | None:
    """Return why the anchor does not fit the judge, or null."""
    return _other_problem(anchor, is_pair=judge.mode == "pairwise", grader=judge.name)


def labels_of(judge: JudgeSpec) -> tuple[str, ...]:
    """Return the words people may use of an anchor: the judge's labels, or whether ``answer`` wins."""
    return PREFERENCES if judge.mode == "pairwise" else judge.labels


def setting_problems(experiment: Experiment) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the settings that mean nothing of preferences: their keys, and what is wrong."""
    gates, analysis = experiment.gates, experiment.analysis
    for key in ("judge_sensitivity", "judge_specificity"):
        if getattr(gates, key) is not None:
            yield ("gates", key), "a pairwise judge passes nothing; wanted gates.judge_agreement"
    if analysis.primary == "score":
        yield ("analysis", "primary"), 'found "score", and a preference has none; wanted "pass"'
    if analysis.missing == "fail":
        problem = 'found "fail", which would make a tie of a pair without verdict; wanted "no_verdict"'
        yield ("analysis", "missing"), problem


def _other_problem(planted: Canary | Anchor, *, is_pair: bool, grader: str) -> str | None:
    if is_pair and planted.other is None:
        return f"no other answer, and judge {grader!r} compares two; wanted the key other"
    if not is_pair and planted.other is not None:
        return f"other: found an answer, and {grader!r} grades one at a time"
    return None


def _one_of(words: tuple[str, ...]) -> str:
    return f"{', '.join(map(repr, words[:-1]))} or {words[-1]!r}"
