"""Does the judge lean on what should not matter?"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from harness.audits.gates import against_band, worst
from harness.audits.labels import human_outcome, is_pass, judge_outcomes, unit_of
from harness.audits.pair_bias import pair_effects
from harness.audits.position import position_effects, position_reasons
from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.domain.cases import ARMS, Anchor, Arm, Outcome
from harness.domain.fitness import BiasEffect, LengthControlled, Verbosity
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.report import BiasFinding
from harness.domain.verdicts import Graded
from harness.stats.estimability import NotEstimable
from harness.stats.length_control import length_controlled_win_rate
from harness.stats.leniency import leniency_difference

# A heading, a list item, a table row, a fence, or emphasis.
_MARKDOWN = re.compile(r"^\s{0,3}(#{1,6} |[-*+] |\d{1,3}[.)] |\||```|~~~)|\*\*[^*\n]+\*\*|`[^`\n]+`", re.M)


def audit_bias(plan: Plan, reading: Reading) -> BiasFinding:
    """Compare the judge with people inside and outside groups of answers.

    A judge that passes long, formatted or related answers more often may be
    right to: what counts is how much more often at equal human label. So the
    effects come from the anchors. The length-controlled win rate and the
    lengths come from the arms' answers to exploratory cases, and so does what
    the order of two answers does, where they are compared.

    Returns:
        ``not_audited`` without an effect or a declared band, or where a band
        is neither shown to hold nor broken; ``fail`` with one broken.
    """
    family = judge_family(plan)
    if plan.is_pairwise:
        effects = tuple(pair_effects(plan, reading, is_formatted=is_formatted, family=family))
    else:
        effects = tuple(_effects(plan, reading, family))
    position = position_effects(plan, reading)
    estimated = [effect.status for effect in effects if effect.difference is not None]
    estimated += [effect.status for effect in position if effect.difference is not None]
    return BiasFinding(
        status=worst(*estimated),
        effects=effects,
        position=position,
        length_controlled=_length_controlled(plan, reading),
        verbosity=tuple(_verbosity(plan, reading, arm) for arm in ARMS),
        same_family=same_family(plan),
        reasons=(*position_reasons(position), *_reasons(plan, effects)),
    )


def panel_bias(plan: Plan, found: BiasFinding) -> BiasFinding:
    """Return the bias of a panel's majority, with every arm that one of its judges is of the family of."""
    related = [(judge, arm) for judge in plan.judges for arm in arms_of_family(plan, judge.family)]
    told = (
        f"same_family: {judge.endpoint} and {arm} are both of family {judge.family}" for judge, arm in related
    )
    arms = {arm for _, arm in related}
    return found.model_copy(
        update={
            "same_family": tuple(arm for arm in ARMS if arm in arms),
            "reasons": (*found.reasons, *told),
        }
    )


def judge_family(plan: Plan) -> str | None:
    """Return the declared model family of the judge: its endpoint's, else its spec's."""
    if plan.experiment.judge is None:
        return None
    return plan.experiment.judge.endpoint.family or (plan.judge.family if plan.judge else None)


def same_family(plan: Plan) -> tuple[Arm, ...]:
    """Return the arms whose declared family is the judge's own."""
    return arms_of_family(plan, judge_family(plan))


def arms_of_family(plan: Plan, family: str | None) -> tuple[Arm, ...]:
    """Return the arms whose declared family is this one; none where it is unknown."""
    return tuple(arm for arm in ARMS if family is not None and plan.endpoint(arm).family == family)


def is_formatted(answer: str) -> bool:
    """Return whether an answer is written in Markdown: headings, lists, tables, code or emphasis."""
    return _MARKDOWN.search(answer) is not None


def _effects(plan: Plan, reading: Reading, family: str | None) -> Iterator[BiasEffect]:
    judged = judge_outcomes(plan, reading)
    if not plan.anchors:
        return
    middle = median(len(anchor.answer) for anchor in plan.anchors)
    yield _effect(
        plan,
        judged,
        of="length",
        group=f"answers of more than {middle:g} characters, the median",
        inside=lambda anchor: len(anchor.answer) > middle,
    )
    yield _effect(
        plan,
        judged,
        of="format",
        group="answers with Markdown",
        inside=lambda anchor: is_formatted(anchor.answer),
    )
    if family is not None:
        yield _effect(
            plan,
            judged,
            of="self_preference",
            group=f"answers of the judge's family, {family}",
            inside=lambda anchor: _is_of_family(plan, anchor, family),
        )


def _is_of_family(plan: Plan, anchor: Anchor, family: str) -> bool | None:
    if anchor.arm is None:
        return None
    declared = plan.endpoint(anchor.arm).family
    return None if declared is None else declared == family


def _effect(
    plan: Plan,
    judged: Mapping[str, Outcome | None],
    *,
    of: str,
    group: str,
    inside: Callable[[Anchor], bool | None],
) -> BiasEffect:
    clusters = {case.id: case.group for case in plan.cases}
    rows = [
        (is_pass(verdict), is_pass(truth), member, unit_of(anchor, clusters))
        for anchor in plan.anchors
        if (verdict := judged.get(anchor.id)) is not None
        and (truth := human_outcome(plan, anchor)) is not None
        and (member := inside(anchor)) is not None
    ]
    n_inside = sum(member for _, _, member, _ in rows)
    band = plan.experiment.gates.bias_band
    empty = BiasEffect(
        of=of,
        group=group,
        n_inside=n_inside,
        n_outside=len(rows) - n_inside,
        difference=None,
        interval=None,
        pvalue=None,
        band=band,
        status="not_audited",
    )
    if n_inside in (0, len(rows)):
        where = "no anchor with a human and a judge outcome is" if n_inside == 0 else "all anchors are"
        return empty.model_copy(update={"reason": f"{where} among them: there is nothing to compare"})
    found = leniency_difference(
        judge=[row[0] for row in rows],
        human=[row[1] for row in rows],
        in_group=np.array([row[2] for row in rows], dtype=np.bool_),
        clusters=[row[3] for row in rows],
        confidence_level=CONFIDENCE_LEVEL,
    )
    if isinstance(found, NotEstimable):
        return empty.model_copy(update={"reason": found.reason})
    interval = block(found.interval)
    ruled = None if band is None else against_band(f"bias_{of}", found.difference, interval, band)
    return BiasEffect(
        of=of,
        group=group,
        n_inside=found.n_inside,
        n_outside=found.n_outside,
        difference=found.difference,
        interval=interval,
        pvalue=found.pvalue,
        band=band,
        status="not_audited" if ruled is None else ruled.status,
        reason=None if ruled is None else ruled.reason or None,
    )


def _reasons(plan: Plan, effects: Sequence[BiasEffect]) -> Iterator[str]:
    if plan.judge is None:
        yield "no_judge: the plan has no judge"
        return
    if not effects:
        yield "no_anchors: bias is told by anchors, answers that people reviewed"
    elif plan.experiment.gates.bias_band is None:
        yield "no_band: the plan declares no gates.bias_band to hold the effects against"
    for effect in effects:
        if effect.status != "pass" and effect.reason:
            told = effect.difference is not None
            yield effect.reason if told else f"bias_{effect.of}_not_estimable: {effect.reason}"
    if not plan.is_pairwise:
        yield "position_not_asked: the judge sees one answer at a time, so none is shown first"
    for arm in same_family(plan):
        yield f"same_family: judge and {arm} are both of family {judge_family(plan)}"


def _length_controlled(plan: Plan, reading: Reading) -> LengthControlled | None:
    """Return the win rate at equal length over exploratory cases graded by the judge on both arms."""
    judged = {case.id for case in plan.cases if not case.checks}
    lengths = {arm: _mean_chars(reading, arm) for arm in ARMS}
    wins, differences = [], []
    for result in reading.cases:
        if result.case not in judged or result.split != "exploratory":
            continue
        baseline, candidate = _share(result.baseline), _share(result.candidate)
        if baseline is None or candidate is None or any(result.case not in lengths[arm] for arm in ARMS):
            continue
        wins.append(0.5 + (candidate > baseline) / 2 - (candidate < baseline) / 2)
        differences.append(lengths["candidate"][result.case] - lengths["baseline"][result.case])
    if not wins:
        return None
    found = length_controlled_win_rate(
        wins=wins, length_differences=differences, confidence_level=CONFIDENCE_LEVEL
    )
    if isinstance(found, NotEstimable):
        return LengthControlled(
            n_pairs=len(wins),
            raw_win_rate=sum(wins) / len(wins),
            win_rate=None,
            interval=None,
            slope_pvalue=None,
            reason=found.reason,
        )
    return LengthControlled(
        n_pairs=found.n_pairs,
        raw_win_rate=found.raw_win_rate,
        win_rate=found.win_rate,
        interval=block(found.interval),
        slope_pvalue=found.slope_pvalue,
    )


def _share(answers: Sequence[Graded]) -> float | None:
    """Return the share of graded answers that pass; null where none is graded."""
    graded = [answer.outcome == "pass" for answer in answers if answer.outcome is not None]
    return sum(graded) / len(graded) if graded else None


def _mean_chars(reading: Reading, arm: Arm) -> dict[str, float]:
    found: dict[str, list[int]] = {}
    for note in reading.answers:
        if note.arm == arm:
            found.setdefault(note.case, []).append(note.n_chars)
    return {case: sum(lengths) / len(lengths) for case, lengths in found.items()}


def _verbosity(plan: Plan, reading: Reading, arm: Arm) -> Verbosity:
    side = plan.split_of()
    lengths = [
        note.n_chars for note in reading.answers if note.arm == arm and side.get(note.case) == "exploratory"
    ]
    return Verbosity(
        arm=arm,
        n_answers=len(lengths),
        mean_chars=sum(lengths) / len(lengths) if lengths else None,
        median_chars=float(median(lengths)) if lengths else None,
    )
