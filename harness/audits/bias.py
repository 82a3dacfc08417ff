"""Does the judge lean on what should not matter?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from harness.audits.answer_bias import arms_on_equal_terms, format_effects, written_answers
from harness.audits.gates import against_band, worst
from harness.audits.labels import human_outcome, is_pass, judge_outcomes, unit_of
from harness.audits.pair_bias import pair_effects
from harness.audits.position import position_effects, position_reasons
from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.audits.verbosity import length_controlled, lengths_of, verbosity, verbosity_ratio
from harness.domain.blocks import Status
from harness.domain.cases import ARMS, Anchor, Arm, Outcome
from harness.domain.findings import BiasFinding
from harness.domain.fitness import BiasEffect
from harness.domain.formats import format_of
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.stats.estimability import NotEstimable
from harness.stats.leniency import leniency_difference


class _Held(NamedTuple):
    """What of one finding on the arms' own answers decides whether it counts."""

    found: float | None
    band: float | None
    status: Status
    reason: str | None


def audit_bias(plan: Plan, reading: Reading) -> BiasFinding:
    """Compare the judge with people inside and outside groups of answers.

    A judge that passes long, formatted or related answers more often may be
    right to: what counts is how much more often at equal human label. So the
    effects come from the anchors. What goes with format and length on the
    arms' own answers to exploratory cases is shown beside it, and counts where
    the plan declares a band for it; so is what the order of two answers does,
    where they are compared.

    Returns:
        ``not_audited`` without an effect or a declared band, or where a band
        is neither shown to hold nor broken; ``fail`` with one broken.
    """
    family = judge_family(plan)
    gates = plan.experiment.gates
    find = pair_effects if plan.is_pairwise else _effects
    effects = tuple(find(plan, reading, family))
    position = position_effects(plan, reading)
    written = written_answers(plan, reading)
    formats = tuple(format_effects(written, gates.answer_bias_band))
    arms = tuple(arms_on_equal_terms(written, gates.answer_bias_band))
    length = length_controlled(plan, reading, gates.answer_bias_band)
    lengths = lengths_of(plan, reading)
    ratio = verbosity_ratio(plan, lengths, gates.verbosity_band)
    held = [_Held(row.at_equal_length.difference, row.band, row.status, row.reason) for row in formats]
    held += [_Held(row.shift.difference, row.band, row.status, row.reason) for row in arms]
    if length is not None:
        held.append(_Held(length.shift.difference, length.band, length.status, length.reason))
    if ratio is not None:
        held.append(_Held(ratio.ratio, ratio.band, ratio.status, ratio.reason))
    banded = [row for row in held if row.band is not None]
    return BiasFinding(
        status=worst(
            *(effect.status for effect in effects if effect.difference is not None),
            *(effect.status for effect in position if effect.difference is not None),
            *(row.status for row in banded if row.found is not None),
        ),
        effects=effects,
        position=position,
        on_answers=formats,
        between_arms=arms,
        length_controlled=length,
        verbosity=tuple(verbosity(lengths[arm], arm) for arm in ARMS),
        verbosity_ratio=ratio,
        same_family=same_family(plan),
        reasons=(
            *position_reasons(position),
            *_reasons(plan, effects),
            *(row.reason for row in banded if row.status != "pass" and row.reason),
        ),
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
        inside=lambda anchor: format_of(anchor.answer).markdown,
    )
    yield _effect(
        plan,
        judged,
        of="lists",
        group="answers with a list",
        inside=lambda anchor: format_of(anchor.answer).lists,
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
