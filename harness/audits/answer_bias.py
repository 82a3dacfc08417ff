"""Does the judge go by how the arms' own answers are written? Format, and the arms on equal terms."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from harness.audits.gates import Ruled, against_band
from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.domain.cases import ARMS, Arm
from harness.domain.fitness import AnswerFormatEffect, ArmsOnEqualTerms, Effect
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Graded
from harness.stats.equal_terms import EqualTerms, Part, difference_on_equal_terms
from harness.stats.estimability import NotEstimable
from harness.stats.format_effect import FormatDifference, format_difference
from harness.stats.means import paired_mean

Format = Literal["markdown", "lists"]
FORMATS: tuple[Format, ...] = ("markdown", "lists")


class WrittenAnswer(NamedTuple):
    """One answer of an arm that the judge graded: how it is written, and whether it passed."""

    case: str
    cluster: str
    n_chars: int
    markdown: bool
    lists: bool
    passed: bool


def written_answers(plan: Plan, reading: Reading) -> dict[Arm, tuple[WrittenAnswer, ...]]:
    """Return the answers to exploratory cases that the judge passed or failed, by arm."""
    open_cases = {result.case: result for result in reading.cases if result.split == "exploratory"}
    judged = {case.id: case.group for case in plan.cases if not case.checks and case.id in open_cases}
    found: dict[Arm, list[WrittenAnswer]] = {arm: [] for arm in ARMS}
    for note in reading.answers:
        if note.case not in judged:
            continue
        result = open_cases[note.case]
        graded: Graded = (result.baseline if note.arm == "baseline" else result.candidate)[note.repeat]
        if graded.outcome is not None:
            found[note.arm].append(
                WrittenAnswer(
                    note.case,
                    judged[note.case],
                    note.n_chars,
                    note.format.markdown,
                    note.format.lists,
                    graded.outcome == "pass",
                )
            )
    return {arm: tuple(answers) for arm, answers in found.items()}


def format_effects(
    answers: Mapping[Arm, Sequence[WrittenAnswer]], band: float | None
) -> Iterator[AnswerFormatEffect]:
    """Yield, for each format and arm with a judged answer, how much more often formatted answers pass."""
    for of in FORMATS:
        for arm in ARMS:
            if answers[arm]:
                yield _format_effect(of, arm, answers[arm], band)


def _format_effect(
    of: Format, arm: Arm, answers: Sequence[WrittenAnswer], band: float | None
) -> AnswerFormatEffect:
    inside = np.array([_has(of, answer) for answer in answers], dtype=np.bool_)
    raw, equal = (
        format_difference(
            passed=[answer.passed for answer in answers],
            formatted=inside,
            lengths=lengths,
            clusters=[answer.cluster for answer in answers],
            confidence_level=CONFIDENCE_LEVEL,
        )
        for lengths in (None, [answer.n_chars for answer in answers])
    )
    controlled = _effect(equal)
    ruled = ruled_by_band(f"answer_format_{of}_{arm}", controlled, band)
    return AnswerFormatEffect(
        of=of,
        arm=arm,
        n_formatted=int(inside.sum()),
        n_plain=int((~inside).sum()),
        raw=_effect(raw),
        at_equal_length=controlled,
        band=band,
        status=ruled.status,
        reason=ruled.reason or None,
    )


def _has(of: Format, answer: WrittenAnswer) -> bool:
    return answer.markdown if of == "markdown" else answer.lists


def arms_on_equal_terms(
    answers: Mapping[Arm, Sequence[WrittenAnswer]], band: float | None
) -> Iterator[ArmsOnEqualTerms]:
    """Yield the difference of the arms where their answers are equally formatted and equally long."""
    cases = _by_case(answers)
    if not cases:
        return
    for of in FORMATS:
        yield _equal_terms(of, cases, band)


class _Case(NamedTuple):
    cluster: str
    baseline: tuple[WrittenAnswer, ...]
    candidate: tuple[WrittenAnswer, ...]


def _by_case(answers: Mapping[Arm, Sequence[WrittenAnswer]]) -> list[_Case]:
    found: dict[str, dict[Arm, list[WrittenAnswer]]] = {}
    for arm in ARMS:
        for answer in answers[arm]:
            found.setdefault(answer.case, {arm: [] for arm in ARMS})[arm].append(answer)
    return [
        _Case(arms["baseline"][0].cluster, tuple(arms["baseline"]), tuple(arms["candidate"]))
        for arms in found.values()
        if all(arms.values())
    ]


def _equal_terms(of: Format, cases: Sequence[_Case], band: float | None) -> ArmsOnEqualTerms:
    shares = [
        tuple(_mean(_has(of, answer) for answer in side) for side in (case.baseline, case.candidate))
        for case in cases
    ]
    differences = [_passes(case.candidate) - _passes(case.baseline) for case in cases]
    clusters = [case.cluster for case in cases]
    found = _controlled(of, cases, differences, [candidate - baseline for baseline, candidate in shares])
    equal, shift = (
        (Effect(reason=found.reason),) * 2
        if isinstance(found, NotEstimable)
        else (_part(found.equal), _part(found.shift))
    )
    ruled = ruled_by_band(f"arms_by_{of}", shift, band)
    return ArmsOnEqualTerms(
        terms=f"equally often {'Markdown' if of == 'markdown' else 'lists'}, and equally long",
        n_cases=len(cases),
        baseline_share=_mean(baseline for baseline, _ in shares),
        candidate_share=_mean(candidate for _, candidate in shares),
        raw=_raw(differences, clusters),
        equal=equal,
        shift=shift,
        band=band,
        status=ruled.status,
        reason=ruled.reason or None,
    )


def _controlled(
    of: Format, cases: Sequence[_Case], differences: Sequence[float], formats: Sequence[float]
) -> EqualTerms | NotEstimable:
    if not any(formats):
        return NotEstimable(f"{of}: no case's answers are written otherwise in one arm than in the other")
    lengths = [_log_length(case.candidate) - _log_length(case.baseline) for case in cases]
    return difference_on_equal_terms(
        differences=differences,
        # Lengths that are equal everywhere are held equal already.
        covariates=[formats, *([lengths] if any(lengths) else [])],
        clusters=[case.cluster for case in cases],
        confidence_level=CONFIDENCE_LEVEL,
    )


def _raw(differences: Sequence[float], clusters: Sequence[str]) -> Effect:
    found = paired_mean(
        differences=differences, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=(-1.0, 1.0)
    )
    if isinstance(found, NotEstimable):
        return Effect(difference=_mean(differences), reason=found.reason)
    return Effect(difference=found.difference, interval=block(found.interval), pvalue=found.pvalue)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def _passes(answers: Sequence[WrittenAnswer]) -> float:
    return _mean(float(answer.passed) for answer in answers)


def _log_length(answers: Sequence[WrittenAnswer]) -> float:
    return math.log(_mean(max(answer.n_chars, 1) for answer in answers))


def ruled_by_band(name: str, effect: Effect, band: float | None) -> Ruled:
    """Hold an effect against a band; without either there is nothing to hold."""
    if effect.difference is None:
        return Ruled("not_audited", f"{name}_not_estimable: {effect.reason}")
    if band is None:
        return Ruled("not_audited")
    return against_band(name, effect.difference, effect.interval, band)


def _effect(found: FormatDifference | NotEstimable) -> Effect:
    if isinstance(found, NotEstimable):
        return Effect(reason=found.reason)
    return Effect(difference=found.difference, interval=block(found.interval), pvalue=found.pvalue)


def _part(part: Part) -> Effect:
    return Effect(difference=part.estimate, interval=block(part.interval), pvalue=part.pvalue)
