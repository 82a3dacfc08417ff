"""Which plans may end early: everything a sequential plan cannot keep its word with is refused."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import chain
from typing import NamedTuple

from harness.domain.cases import Case
from harness.domain.errors import InputError
from harness.domain.files import read_text
from harness.domain.specs import SequentialSpec
from harness.inputs.coherence import Parts
from harness.inputs.complaints import dotted
from harness.inputs.toml import line_of, placed


class _Problem(NamedTuple):
    keys: tuple[str, ...]
    text: str


def refuse_unsound_stop(parts: Parts, *, held_out: Collection[str]) -> None:
    """Refuse a sequential plan with an analysis that holds at a fixed size alone.

    Raises:
        InputError: There is no evidence that may be read at any time for what is
            primary, or the batches cannot be made.
    """
    sequential = parts.experiment.sequential
    if sequential is None:
        return
    cases = [case for case in parts.gold.cases.records if case.id not in held_out]
    problem = next(chain(_of_analysis(parts), _of_cases(sequential, cases)), None)
    if problem is not None:
        place = placed(parts.path, line_of(read_text(parts.path), problem.keys))
        raise InputError(f"{place}: {dotted(problem.keys)}: {problem.text}")


def _of_analysis(parts: Parts) -> Iterator[_Problem]:
    spec = parts.experiment.analysis
    if spec.estimand == "mean" and spec.primary == "score":
        yield _Problem(
            ("analysis", "primary"),
            'found "score" with [sequential], wanted "pass": a score has no known ends to bet within',
        )
    if spec.weights:
        yield _Problem(
            ("analysis", "weights"),
            "found weights with [sequential]: a weighted difference has no interval that holds at any stop",
        )
    if any(judge.spec.mode == "pairwise" for judge in parts.judges):
        yield _Problem(("judge", "spec"), "found a pairwise judge with [sequential], wanted a single one")
    if parts.experiment.gates.routing == "segment":
        yield _Problem(
            ("gates", "routing"),
            'found "segment" with [sequential]: segments are compared at a fixed size alone',
        )


def _of_cases(sequential: SequentialSpec, cases: list[Case]) -> Iterator[_Problem]:
    if not cases:
        yield _Problem(("sequential",), "every case is held out, and none of them may decide when to stop")
        return
    heavy = next((case for case in cases if case.weight != cases[0].weight), None)
    if heavy is not None:
        yield _Problem(
            ("sequential",),
            f"case {heavy.id!r} has weight {heavy.weight:g} and {cases[0].id!r} {cases[0].weight:g}: "
            "a weighted difference has no interval that holds at any stop",
        )
    most = sequential.n_max
    name, size = Counter(case.group for case in cases).most_common(1)[0]
    if most is not None and most > len(cases):
        yield _Problem(("sequential", "n_max"), f"found {most}, wanted at most the {len(cases)} there are")
    if most is not None and most < size:
        yield _Problem(
            ("sequential", "n_max"),
            f"found {most}, wanted at least {size}: clusters are asked whole, and {name!r} has {size} cases",
        )
