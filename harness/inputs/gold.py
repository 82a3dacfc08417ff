"""A gold set: its settings, its cases, its canaries."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.domain.cases import Canary, Case, Split
from harness.domain.checks import Check
from harness.domain.errors import InputError
from harness.domain.specs import GoldSpec, SplitSpec
from harness.inputs.content import content_of
from harness.inputs.rows import Rows, read_identified, refuse_two_spellings
from harness.inputs.similar import near_duplicates
from harness.inputs.split import side, straddling_pair
from harness.inputs.toml import read_toml

CheckProblem = Callable[[Check], str | None]


class Gold(NamedTuple):
    """A gold set, read. ``paths`` are the files it was read from."""

    spec: GoldSpec
    cases: Rows[Case]
    canaries: Rows[Canary] | None
    paths: tuple[Path, ...]


def read_gold(folder: Path, *, check_problem: CheckProblem) -> Gold:
    """Read ``set.toml``, ``cases.jsonl`` and, where there is one, ``canaries.jsonl``.

    Args:
        folder: The folder of the set.
        check_problem: Tells why a check cannot work, or null.

    Raises:
        InputError: One of the files is wrong; the message says where, what was
            found and what was wanted.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: found a file, wanted the folder of a gold set")
    spec = read_toml(folder / "set.toml", GoldSpec)
    cases = read_identified(folder / "cases.jsonl", Case)
    refuse_bad_cases(cases, split=spec.split, check_problem=check_problem)
    paths = [folder / "set.toml", cases.path]
    canaries = None
    if (folder / "canaries.jsonl").exists():
        canaries = read_identified(folder / "canaries.jsonl", Canary)
        _refuse_bad_canaries(canaries, check_problem)
        paths.append(canaries.path)
    return Gold(spec=spec, cases=cases, canaries=canaries, paths=tuple(paths))


def refuse_bad_cases(cases: Rows[Case], *, split: SplitSpec, check_problem: CheckProblem) -> None:
    """Refuse cases that cannot be asked, graded or kept on one side of the split.

    Raises:
        InputError: The first such case, with its line.
    """
    if not cases.records:
        raise InputError(f"{cases.path}: found no case")
    for index, case in enumerate(cases.records):
        problem = _case_problem(case) or _check_problem(case.checks, check_problem)
        if problem is not None:
            raise InputError(f"{cases.place(index)}: case {case.id!r}: {problem}")
    refuse_two_spellings(cases, lambda case: (case.group,), word="cluster")
    refuse_two_spellings(cases, lambda case: case.tags, word="tag")
    sides = tuple(side(case, split) for case in cases.records)
    _refuse_straddling(cases, sides)
    _refuse_same_content(cases, sides)
    if split.similarity is not None:
        _refuse_near_duplicates(cases, sides, at_least=split.similarity)


def _case_problem(case: Case) -> str | None:
    if case.prompt is not None and case.messages:
        return "found both prompt and messages, wanted one of them"
    if case.prompt is None and not case.messages:
        return "found neither prompt nor messages, wanted one of them"
    if len(set(case.tags)) < len(case.tags):
        return f"tags: one of {list(case.tags)} is named twice"
    return None


def _check_problem(checks: Sequence[Check], problem_of: CheckProblem) -> str | None:
    for index, check in enumerate(checks):
        problem = problem_of(check)
        if problem is not None:
            return f"checks[{index}] ({check.kind}): {problem}"
    return None


def _refuse_bad_canaries(canaries: Rows[Canary], problem_of: CheckProblem) -> None:
    for index, canary in enumerate(canaries.records):
        problem = _canary_problem(canary) or _check_problem(canary.checks, problem_of)
        if problem is not None:
            raise InputError(f"{canaries.place(index)}: canary {canary.id!r}: {problem}")


def _canary_problem(canary: Canary) -> str | None:
    if canary.grader == "checks" and not canary.checks:
        return 'grader is "checks" and there are none; write the checks that must tell it'
    if canary.grader == "judge" and canary.checks:
        return 'grader is "judge", so its checks would never run; leave them out or write grader "checks"'
    return None


def _refuse_straddling(cases: Rows[Case], sides: Sequence[Split]) -> None:
    pair = straddling_pair(cases.records, sides)
    if pair is None:
        return
    first, second = pair
    earlier, case = cases.records[first], cases.records[second]
    remedy = 'name one split on all its cases, or split by = "cluster"'
    raise InputError(
        f"{cases.place(second)}: cluster {case.group!r} is on both sides of the split: "
        f"case {case.id!r} is {sides[second]}, case {earlier.id!r} on line {cases.lines[first]} "
        f"is {sides[first]}; {remedy}"
    )


def _refuse_same_content(cases: Rows[Case], sides: Sequence[Split]) -> None:
    """Refuse equal content that counts as two cases, or stands on both sides of the split.

    Content is compared after folding. Nothing is dropped: whoever wrote the
    file says whether the two are one cluster or one too many.
    """
    prompts: dict[str, int] = {}
    contents: dict[tuple[str, str], int] = {}
    for index, case in enumerate(cases.records):
        prompt, reference = content_of(case)
        same = contents.setdefault((prompt, reference), index)
        if cases.records[same].group != case.group:
            raise InputError(_same(cases, same, index, what="prompt and reference"))
        alike = prompts.setdefault(prompt, index)
        if sides[alike] != sides[index]:
            raise InputError(_same(cases, alike, index, what="prompt, on the other side of the split,"))


def _refuse_near_duplicates(cases: Rows[Case], sides: Sequence[Split], *, at_least: float) -> None:
    """Refuse two prompts on both sides of the split that are nearly one.

    Nothing is joined or moved: a case that is added must never move an old
    one, so whoever adds it gives it the cluster of the one that is there.
    """
    for first, second in near_duplicates(cases.records, sides, at_least=at_least):
        earlier, case = cases.records[first], cases.records[second]
        raise InputError(
            f"{cases.place(second)}: case {case.id!r} ({sides[second]}) is nearly case {earlier.id!r} "
            f"on line {cases.lines[first]} ({sides[first]}), and split.similarity is {at_least:g}; "
            f"give the newer one the cluster of the other ({earlier.group!r} or {case.group!r}), "
            "or take it out"
        )


def _same(cases: Rows[Case], first: int, second: int, *, what: str) -> str:
    earlier, case = cases.records[first], cases.records[second]
    return (
        f"{cases.place(second)}: case {case.id!r} has the same {what} as case {earlier.id!r} "
        f"on line {cases.lines[first]}; give both one cluster, or take one out"
    )
