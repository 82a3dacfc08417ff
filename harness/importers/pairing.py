"""Two results files become cases with both arms; what has no partner stays and is named."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from harness.domain.cases import Split
from harness.domain.errors import InputError
from harness.domain.verdicts import CaseResult, Graded, graded
from harness.importers.results import ResultCase, ResultFile

V = TypeVar("V")

_NOT_RUN = graded(None, "not_run")


class Pairing(NamedTuple):
    """The cases of both files: those of the first in its order, then what only the second has.

    A case that one file lacks was not run there. ``n_paired`` counts those that
    are in both.
    """

    cases: tuple[CaseResult, ...]
    n_paired: int
    only_in_baseline: tuple[str, ...]
    only_in_candidate: tuple[str, ...]
    notes: tuple[str, ...]


def pair_results(*, baseline: ResultFile, candidate: ResultFile, other_questions: bool = False) -> Pairing:
    """Return every case of the two files; ids pair when they are the same text.

    A cluster, weight, split or tags that one file says hold for both.

    Args:
        baseline: The first file.
        candidate: The second.
        other_questions: Pair by id although the files say that a case asks
            something else; the notes say how many do.

    Raises:
        InputError: The files disagree about what a case asks, its cluster,
            weight or split, or something else gave the grades.
    """
    refuse_other_grader(baseline, candidate)
    first = {case.id: case for case in baseline.cases}
    second = {case.id: case for case in candidate.cases}
    differing = [name for name, case in first.items() if name in second and _asks_else(case, second[name])]
    if differing and not other_questions:
        raise InputError(
            f"case {differing[0]!r} asks something else in {candidate.path} than in {baseline.path} "
            f"({len(differing)} such cases): wanted the same content under one id; where the question "
            "is meant to differ, pair by id with --questions-differ"
        )
    ids = tuple(dict.fromkeys((*first, *second)))
    cases = tuple(_paired(name, first.get(name), second.get(name), baseline, candidate) for name in ids)
    only_first = tuple(name for name in first if name not in second)
    only_second = tuple(name for name in second if name not in first)
    n_paired = len(ids) - len(only_first) - len(only_second)
    notes = [f"{n_paired} of {len(ids)} cases are in both files"]
    notes += _notes(baseline, candidate, only_first=only_first, only_second=only_second)
    if differing:
        notes.append(
            f"{len(differing)} cases ask something else in the second file: paired by id all the same"
        )
    n_tags = sum(_tags_differ(first[name], second[name]) for name in first if name in second)
    if n_tags:
        notes.append(f"{n_tags} cases have other tags in the second file: both are kept")
    return Pairing(
        cases=cases,
        n_paired=n_paired,
        only_in_baseline=only_first,
        only_in_candidate=only_second,
        notes=tuple(notes),
    )


def refuse_other_grader(first: ResultFile, second: ResultFile) -> None:
    """Refuse two files whose grades are not on one scale.

    Raises:
        InputError: Both logs say what graded them, and it is not the same.
    """
    was, now = first.graded_by, second.graded_by
    if was is not None and now is not None and was != now:
        raise InputError(f"not comparable: graded by {was} in {first.path} and by {now} in {second.path}")


def _asks_else(first: ResultCase, second: ResultCase) -> bool:
    return first.content is not None and second.content is not None and first.content != second.content


def _paired(
    name: str,
    baseline: ResultCase | None,
    candidate: ResultCase | None,
    first: ResultFile,
    second: ResultFile,
) -> CaseResult:
    sides = [case for case in (baseline, candidate) if case is not None]
    cluster = _one([case.cluster for case in sides], name=name, field="cluster")
    weight = _one([case.weight for case in sides], name=name, field="weight")
    split: Split | None = _one([case.split for case in sides], name=name, field="split")
    return CaseResult(
        case=name,
        cluster=name if cluster is None else cluster,
        tags=tuple(dict.fromkeys(tag for case in sides for tag in case.tags or ())),
        weight=1.0 if weight is None else weight,
        split="exploratory" if split is None else split,
        baseline=_answers(baseline, first),
        candidate=_answers(candidate, second),
    )


def _answers(case: ResultCase | None, file: ResultFile) -> tuple[Graded, ...]:
    return (_NOT_RUN,) * len(file.repeats) if case is None else case.answers


def _one(said: Sequence[V | None], *, name: str, field: str) -> V | None:
    known = [value for value in said if value is not None]
    if len(known) == 2 and known[0] != known[1]:
        raise InputError(
            f"case {name!r}: {field} is {known[0]!r} in the first file and {known[1]!r} in the second"
        )
    return known[0] if known else None


def _tags_differ(baseline: ResultCase, candidate: ResultCase) -> bool:
    if baseline.tags is None or candidate.tags is None:
        return False
    return set(baseline.tags) != set(candidate.tags)


def _notes(
    baseline: ResultFile, candidate: ResultFile, *, only_first: Sequence[str], only_second: Sequence[str]
) -> Iterable[str]:
    for file, only in ((baseline, only_first), (candidate, only_second)):
        if only:
            yield f"{len(only)} cases are only in {file.path}, such as {only[0]!r}: not run in the other"
    if len(baseline.repeats) != len(candidate.repeats):
        first_k, second_k = len(baseline.repeats), len(candidate.repeats)
        yield f"{first_k} answers a case in the first file, {second_k} in the second"
    forms = {_form(name): name for name in only_first}
    alike = [(forms[_form(name)], name) for name in only_second if _form(name) in forms]
    if alike:
        first, second = alike[0]
        yield f"{len(alike)} ids are alike and another text, such as {first!r} and {second!r}: not paired"
    for file in (baseline, candidate):
        yield from (f"{file.path}: {note}" for note in file.notes)


def _form(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
