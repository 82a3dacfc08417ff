"""The panel's part of a report: its judges side by side, and what the headline owes to each."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from harness.analysis import Anytime
from harness.analysis.panel import (
    answers_of,
    judged_arms,
    judges_agreement,
    panel_estimate,
    verdict_on_what_is_there,
)
from harness.cli.panel import AuditedJudge
from harness.domain.cases import ARMS, Split
from harness.domain.panel_blocks import JudgeBlock, PanelBlock
from harness.domain.report import Section
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult
from harness.graders.panel import SeenRun


class Side(NamedTuple):
    """One side of the split, as the panel's majority has it. ``spec`` is at the alpha of that side."""

    name: Split
    section: Section
    spec: AnalysisSpec
    anytime: Anytime | None


def panel_block(seen: SeenRun, judges: Sequence[AuditedJudge], side: Side) -> PanelBlock | None:
    """Return the judges side by side; null where there is no panel."""
    if not judges:
        return None
    cases = {case.id for case in seen.plan.cases if not case.checks}
    here = [_on(side, judged.view.reading.cases) for judged in judges]
    whole = _on(side, seen.reading.cases)
    blocks = tuple(_judge(seen, judged, cases, side) for judged in judges)
    return PanelBlock(
        basis=side.name,
        **judges_agreement(here, cases, seed=side.spec.seed)._asdict(),
        n_no_majority=sum(
            answer.reason == "no_majority" for arm in ARMS for answer in answers_of(whole, cases, arm)
        ),
        judges=blocks,
        reasons=(*_related(judges), *_rests_on_one(blocks, side.section)),
    )


def _judge(seen: SeenRun, judged: AuditedJudge, cases: set[str], side: Side) -> JudgeBlock:
    judge, view, audits = judged
    alone = _on(side, view.reading.cases)
    estimated = partial(
        panel_estimate, spec=side.spec, headline=side.section.primary.difference, anytime=side.anytime
    )
    return JudgeBlock(
        name=judge.name,
        endpoint=judge.endpoint,
        spec=judge.spec.name,
        version=judge.spec.version,
        family=judge.family,
        same_family=audits.bias.same_family,
        fitness=audits.judge,
        arms=judged_arms(alone, cases),
        alone=estimated(alone),
        without=estimated(_on(side, seen.cases_without(judge))),
        canaries=audits.canaries,
        repeatability=audits.repeatability,
        human_agreement=audits.human_agreement,
        bias=audits.bias,
        differential=audits.differential,
    )


def _on(side: Side, cases: Sequence[CaseResult]) -> list[CaseResult]:
    return [case for case in cases if case.split == side.name]


def _related(judges: Sequence[AuditedJudge]) -> Iterator[str]:
    """Yield which judges are of an arm's model family, and which of one another's: they may err together."""
    for judged in judges:
        for arm in judged.audits.bias.same_family:
            yield f"same_family: {judged.judge.endpoint} and {arm} are both of family {judged.judge.family}"
    for first, second in combinations([judged.judge for judged in judges], 2):
        if first.family is not None and first.family == second.family:
            yield (
                f"judges_of_one_family: {first.endpoint} and {second.endpoint} are both of family "
                f"{first.family}"
            )


def _rests_on_one(judges: Sequence[JudgeBlock], section: Section) -> Iterator[str]:
    found = verdict_on_what_is_there(section.primary.verdict, section.primary.reasons)
    for judge in judges:
        without = verdict_on_what_is_there(judge.without.verdict, judge.without.reasons)
        if without != found:
            yield (
                f"rests_on_one_judge: with {judge.endpoint} the verdict is {found}, without it {without}, "
                "what is missing left out"
            )
