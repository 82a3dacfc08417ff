"""Do the files of an experiment fit together? Everything here is asked before any call."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.domain.cases import ARMS, Anchor, Case
from harness.domain.errors import InputError
from harness.domain.files import read_text
from harness.domain.plan import Template, Templates
from harness.domain.specs import EndpointSpec, Experiment
from harness.inputs.complaints import dotted, nearest
from harness.inputs.gold import Gold
from harness.inputs.judge import Judge
from harness.inputs.pairs import canary_problem, setting_problems
from harness.inputs.rows import Rows
from harness.inputs.rules import GraderRules
from harness.inputs.toml import line_of, placed


class Parts(NamedTuple):
    """Everything an experiment names, read."""

    path: Path
    experiment: Experiment
    gold: Gold
    judges: tuple[Judge, ...]
    anchors: Rows[Anchor] | None
    templates: Templates

    def named_judges(self) -> tuple[tuple[str, Judge], ...]:
        """Return every judge under its name in the experiment: in a panel, or its own."""
        names = [seat.name for seat in self.experiment.panel] or [judge.spec.name for judge in self.judges]
        return tuple(zip(names, self.judges, strict=True))


class _Shown(NamedTuple):
    """One item a judge is shown: its place, what it is, and its reference."""

    place: str
    name: str
    reference: str | None


def refuse_incoherent(parts: Parts, *, rules: GraderRules) -> None:
    """Refuse files that are right one by one and wrong together.

    Raises:
        InputError: A case or canary that nobody grades, a tag that no case
            has, a template that stays unfilled, a budget without prices.
    """
    _refuse_ungraded(parts)
    _refuse_unknown_tags(parts)
    _refuse_unused_texts(parts)
    _refuse_unpriced(parts)
    _refuse_unfilled_arms(parts, rules)
    for judge in parts.judges:
        _refuse_unfilled_judge(parts, judge, rules)
    _refuse_scores_on_two_scales(parts)
    _refuse_unlike_judge(parts)


def _complain(parts: Parts, keys: tuple[str, ...], problem: str) -> InputError:
    place = placed(parts.path, line_of(read_text(parts.path), keys))
    return InputError(f"{place}: {dotted(keys)}: {problem}")


def _refuse_ungraded(parts: Parts) -> None:
    if parts.judges:
        return
    for index, case in enumerate(parts.gold.cases.records):
        if not case.checks:
            place = parts.gold.cases.place(index)
            raise InputError(f"{place}: case {case.id!r} has no checks, and {parts.path} has no [judge]")
    canaries = parts.gold.canaries
    for index, canary in enumerate(canaries.records if canaries else ()):
        if canaries and canary.grader == "judge":
            place = canaries.place(index)
            raise InputError(
                f"{place}: canary {canary.id!r} is for the judge, and {parts.path} has no [judge]"
            )


def _refuse_unknown_tags(parts: Parts) -> None:
    known = sorted({tag for case in parts.gold.cases.records for tag in case.tags})
    for keys, tag in _named_tags(parts.experiment):
        if tag not in known:
            guess = nearest(tag, known)
            hint = f"; did you mean {guess!r}?" if guess else ""
            raise _complain(parts, keys, f"no case of the gold set has the tag {tag!r}{hint}")


def _named_tags(experiment: Experiment) -> Iterator[tuple[tuple[str, ...], str]]:
    for tag in experiment.analysis.slices:
        yield ("analysis", "slices"), tag
    for guardrail in experiment.analysis.guardrails:
        if guardrail.tag is not None:
            yield ("analysis", "guardrails"), guardrail.tag
    for tag in experiment.analysis.weights:
        yield ("analysis", "weights", tag), tag


def _refuse_unused_texts(parts: Parts) -> None:
    """Refuse a template or system text at a judge's endpoint: nobody would send it."""
    for keys, endpoint in endpoints(parts.experiment):
        if keys[0] == "arm":
            continue
        for key, value in (("template", endpoint.template), ("system", endpoint.system)):
            if value is not None:
                problem = "the judge's texts stand in its judge.toml; wanted no such key here"
                raise _complain(parts, (*keys, key), problem)


def _refuse_unpriced(parts: Parts) -> None:
    if parts.experiment.budget.cost is None:
        return
    for keys, endpoint in endpoints(parts.experiment):
        if endpoint.backend == "chat" and endpoint.price is None:
            problem = "found no price, wanted one: budget.cost cannot be kept without it"
            raise _complain(parts, (*keys, "price"), problem)


def _refuse_unfilled_arms(parts: Parts, rules: GraderRules) -> None:
    for arm in ARMS:
        template: Template = getattr(parts.templates, arm)
        written = getattr(parts.experiment.arm, arm).template
        problem = rules.arm_template_problem(template, None)
        if problem is not None:
            raise InputError(f"{parts.path.parent / written}: {problem}")
        for index, case in enumerate(parts.gold.cases.records):
            # A template always fits a plain prompt, so only messages are asked about one by one.
            problem = rules.arm_template_problem(template, case) if case.messages else None
            if problem is not None:
                raise InputError(f"{parts.gold.cases.place(index)}: case {case.id!r}: arm {arm}: {problem}")


def _refuse_scores_on_two_scales(parts: Parts) -> None:
    """Refuse to compare scores that the judges of a panel give on scales of their own."""
    scales = {(judge.spec.labels, judge.spec.scores) for judge in parts.judges}
    if parts.experiment.analysis.primary == "score" and len(scales) > 1:
        problem = 'found "score" and judges of other labels or scores, wanted "pass" or one scale for all'
        raise _complain(parts, ("analysis", "primary"), problem)


def _refuse_unfilled_judge(parts: Parts, judge: Judge, rules: GraderRules) -> None:
    """Refuse a judge's prompt that itself is wrong, or that some item leaves a gap in."""
    unreadable = rules.judge_problem(judge.spec)
    if unreadable is not None:
        raise InputError(f"{judge.paths[0]}: {unreadable}")
    path, shown = judge.paths[-1], _shown(parts)
    problem = rules.judge_prompt_problem(judge.prompt, mode=judge.spec.mode)
    if problem is not None:
        first = next(shown, None)
        where = f" ({first.name} is the first to be judged with it)" if first else ""
        raise InputError(f"{path}: {problem}{where}")
    gap = rules.judge_value_problem(judge.prompt, reference=None)
    if gap is None:
        return
    for item in shown:
        if item.reference is None:
            raise InputError(f"{item.place}: {item.name}: {gap} ({path})")


def _refuse_unlike_judge(parts: Parts) -> None:
    """Refuse what a judge of this mode cannot grade, or settings that mean nothing of its verdicts."""
    pairwise = next((judge.spec for judge in parts.judges if judge.spec.mode == "pairwise"), None)
    if pairwise is not None and parts.experiment.panel:
        problem = f"judge {pairwise.name!r} compares two answers, wanted judges of one answer, or one [judge]"
        raise _complain(parts, ("panel",), problem)
    canaries = parts.gold.canaries
    for index, canary in enumerate(canaries.records if canaries else ()):
        wrong = canary_problem(canary, parts.judges[0].spec if parts.judges else None)
        if canaries and wrong is not None:
            raise InputError(f"{canaries.place(index)}: canary {canary.id!r}: {wrong}")
    if pairwise is None:
        return
    for keys, problem in setting_problems(parts.experiment):
        raise _complain(parts, keys, problem)
    for index, case in enumerate(parts.gold.cases.records):
        if case.checks:
            problem = f"has checks, and judge {pairwise.name!r} compares pairs: a pass is no preference"
            raise InputError(f"{parts.gold.cases.place(index)}: case {case.id!r} {problem}")


def _shown(parts: Parts) -> Iterator[_Shown]:
    cases, canaries, anchors = parts.gold.cases, parts.gold.canaries, parts.anchors
    for index, case in enumerate(cases.records):
        if not case.checks:
            yield _Shown(cases.place(index), f"case {case.id!r}", case.reference)
    for index, canary in enumerate(canaries.records if canaries else ()):
        if canaries and canary.grader == "judge":
            yield _Shown(canaries.place(index), f"canary {canary.id!r}", canary.reference)
    for index, anchor in enumerate(anchors.records if anchors else ()):
        if anchors:
            yield _Shown(anchors.place(index), f"anchor {anchor.id!r}", anchor.reference)


def endpoints(experiment: Experiment) -> Iterator[tuple[tuple[str, ...], EndpointSpec]]:
    """Yield every endpoint with the keys it stands under in the experiment file."""
    yield ("arm", "baseline"), experiment.arm.baseline
    yield ("arm", "candidate"), experiment.arm.candidate
    if experiment.judge is not None:
        yield ("judge", "endpoint"), experiment.judge.endpoint
    for seat in experiment.panel:
        yield ("panel", "endpoint"), seat.endpoint


def judged(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return the cases that the judge grades: those without checks."""
    return tuple(case for case in cases if not case.checks)
