"""Does a judge that compares two answers prefer the longer, the formatted, or its relative's?"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from harness.audits.gates import against_band
from harness.audits.labels import human_label, judge_labels, unit_of
from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.domain.cases import ARMS, Anchor, Arm
from harness.domain.fitness import BiasEffect
from harness.domain.formats import format_of
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.stats.estimability import NotEstimable
from harness.stats.leniency import leniency_difference

_SCORES = {"win": 1.0, "tie": 0.5, "loss": 0.0}
Belongs = Callable[[Anchor, str, Arm | None], float | None]
"""How much an answer of an anchor, given by an arm, has of what is looked at; null where it is not known."""


class _Row(NamedTuple):
    judge: float
    human: float
    inside: bool
    cluster: str


def pair_effects(plan: Plan, reading: Reading, family: str | None) -> Iterator[BiasEffect]:
    """Yield how much more often the judge prefers some answers, at equal preference of people.

    An anchor counts where one of its two answers is longer, is formatted, or is
    of the judge's family, and the other is not.

    Args:
        plan: The plan with its anchors.
        reading: The run, read.
        family: The judge's model family, where one is declared.
    """
    if not plan.anchors:
        return
    judged = judge_labels(plan, reading)

    def of_family(anchor: Anchor, answer: str, arm: Arm | None) -> float | None:
        declared = None if arm is None else plan.endpoint(arm).family
        return None if declared is None else float(declared == family)

    yield _effect(plan, judged, "length", "the longer of two answers", lambda _a, text, _arm: len(text))
    yield _effect(
        plan,
        judged,
        "format",
        "the one of two answers with Markdown",
        lambda _a, text, _arm: float(format_of(text).markdown),
    )
    yield _effect(
        plan,
        judged,
        "lists",
        "the one of two answers with a list",
        lambda _a, text, _arm: float(format_of(text).lists),
    )
    if family is not None:
        group = f"the one of two answers of the judge's family, {family}"
        yield _effect(plan, judged, "self_preference", group, of_family)


def _rows(plan: Plan, judged: Mapping[str, str | None], belongs: Belongs) -> Iterator[_Row]:
    """Yield one row a pair, told from the answer that people prefer.

    So a judge that goes by length is right where that answer is the longer one
    and wrong where it is the shorter, and a judge that errs at random is as
    often wrong in both.
    """
    clusters = {case.id: case.group for case in plan.cases}
    for anchor in plan.anchors:
        verdict, truth = judged.get(anchor.id), human_label(anchor)
        if verdict is None or truth is None or anchor.other is None:
            continue
        has = belongs(anchor, anchor.answer, anchor.arm)
        other_has = belongs(anchor, anchor.other, _other(anchor.arm))
        if has is None or other_has is None or has == other_has:
            continue
        judge, human, cluster = _SCORES[verdict], _SCORES[truth], unit_of(anchor, clusters)
        told_from_answer = truth != "loss"
        yield _Row(
            judge if told_from_answer else 1.0 - judge,
            human if told_from_answer else 1.0 - human,
            (has > other_has) == told_from_answer,
            cluster,
        )


def _other(arm: Arm | None) -> Arm | None:
    return None if arm is None else next(other for other in ARMS if other != arm)


def _effect(
    plan: Plan, judged: Mapping[str, str | None], of: str, group: str, belongs: Belongs
) -> BiasEffect:
    rows, band = list(_rows(plan, judged, belongs)), plan.experiment.gates.bias_band
    n_pairs = len(rows)
    known = [a for a in plan.anchors if judged.get(a.id) is not None and human_label(a) is not None]
    empty = BiasEffect(
        of=of,
        group=group,
        n_inside=n_pairs,
        n_outside=len(known) - n_pairs,
        difference=None,
        interval=None,
        pvalue=None,
        band=band,
        status="not_audited",
    )
    if not rows:
        reason = "no anchor with a preference of people and of the judge has one such answer beside another"
        return empty.model_copy(update={"reason": reason})
    found = leniency_difference(
        judge=[row.judge for row in rows],
        human=[row.human for row in rows],
        in_group=np.array([row.inside for row in rows], dtype=np.bool_),
        clusters=[row.cluster for row in rows],
        confidence_level=CONFIDENCE_LEVEL,
    )
    if isinstance(found, NotEstimable):
        return empty.model_copy(update={"reason": found.reason})
    interval = block(found.interval)
    ruled = None if band is None else against_band(f"bias_{of}", found.difference, interval, band)
    return empty.model_copy(
        update={
            "difference": found.difference,
            "interval": interval,
            "pvalue": found.pvalue,
            "status": "not_audited" if ruled is None else ruled.status,
            "reason": None if ruled is None else ruled.reason or None,
        }
    )
