"""The pass rate of each arm as people would see it, from the judge's errors on anchors of that arm."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.audits.labels import human_outcome, judge_outcomes, unit_of
from harness.audits.rates import CONFIDENCE_LEVEL, block, rate
from harness.domain.blocks import Rate
from harness.domain.cases import ARMS, Anchor, Arm, Outcome
from harness.domain.fitness import CorrectedArm
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import CaseResult, Graded
from harness.stats.design_effect import design_effect
from harness.stats.estimability import NotEstimable
from harness.stats.judge_error import CorrectedRate, DesignEffects, corrected_rate


class _Share(NamedTuple):
    """Answers that are as they should be, each with its cluster, and what to say where there are none."""

    hits: tuple[bool, ...]
    clusters: tuple[str, ...]
    nothing: str

    @property
    def rate(self) -> Rate:
        return rate(sum(self.hits), len(self.hits), nothing=self.nothing)

    @property
    def effect(self) -> float:
        return design_effect(outcomes=self.hits, clusters=self.clusters)


def corrected_arms(plan: Plan, reading: Reading, judged: set[str]) -> tuple[CorrectedArm, ...]:
    """Return one corrected rate an arm, from anchors of that arm alone.

    Error rates of another arm, or pooled over arms, would carry one arm's
    errors into the other's rate.

    Args:
        plan: The plan with its anchors.
        reading: The run, read.
        judged: The cases that the judge grades on the side that is meant.
    """
    outcomes = judge_outcomes(plan, reading)
    cases = [result for result in reading.cases if result.case in judged]
    return tuple(_arm(arm, plan, cases, outcomes) for arm in ARMS)


def _arm(
    arm: Arm, plan: Plan, cases: Sequence[CaseResult], outcomes: Mapping[str, Outcome | None]
) -> CorrectedArm:
    anchors = tuple(anchor for anchor in plan.anchors if anchor.arm == arm)
    apparent, good, bad = _apparent(arm, cases), *_errors(plan, anchors, outcomes)
    found = _corrected(apparent, good, bad)
    refused = isinstance(found, NotEstimable)
    return CorrectedArm(
        arm=arm,
        apparent=apparent.rate,
        estimate=None if isinstance(found, NotEstimable) else found.estimate,
        was_cut=False if isinstance(found, NotEstimable) else found.was_cut,
        interval=None if isinstance(found, NotEstimable) else block(found.interval),
        conditions=tuple(_conditions(anchors, good, bad, [] if refused else [apparent, good, bad])),
        reason=found.reason if isinstance(found, NotEstimable) else None,
    )


def _apparent(arm: Arm, cases: Sequence[CaseResult]) -> _Share:
    first = [(answer, result.cluster) for result in cases if (answer := _first(result, arm)) is not None]
    return _Share(
        hits=tuple(answer.outcome == "pass" for answer, _ in first),
        clusters=tuple(cluster for _, cluster in first),
        nothing="no first answer of this arm is graded",
    )


def _first(result: CaseResult, arm: Arm) -> Graded | None:
    answers = result.baseline if arm == "baseline" else result.candidate
    return answers[0] if answers and answers[0].outcome is not None else None


def _errors(
    plan: Plan, anchors: Sequence[Anchor], outcomes: Mapping[str, Outcome | None]
) -> tuple[_Share, _Share]:
    """Return how often the judge passes what people pass, and fails what they fail."""
    clusters = {case.id: case.group for case in plan.cases}

    def share(truth: Outcome, nothing: str) -> _Share:
        mine = [
            (found == truth, unit_of(anchor, clusters))
            for anchor in anchors
            if human_outcome(plan, anchor) == truth and (found := outcomes.get(anchor.id)) is not None
        ]
        return _Share(tuple(hit for hit, _ in mine), tuple(cluster for _, cluster in mine), nothing)

    return (
        share("pass", "people passed none of the anchors of this arm that were judged"),
        share("fail", "people failed none of the anchors of this arm that were judged"),
    )


def _corrected(apparent: _Share, good: _Share, bad: _Share) -> CorrectedRate | NotEstimable:
    missing = [share.nothing for share in (apparent, good, bad) if not share.hits]
    if missing:
        return NotEstimable(missing[0])
    return corrected_rate(
        n_passed=sum(apparent.hits),
        n_judged=len(apparent.hits),
        true_pass=sum(good.hits),
        n_pass=len(good.hits),
        true_fail=sum(bad.hits),
        n_fail=len(bad.hits),
        design_effects=DesignEffects(apparent.effect, good.effect, bad.effect),
        confidence_level=CONFIDENCE_LEVEL,
    )


def _conditions(
    anchors: Sequence[Anchor], good: _Share, bad: _Share, counted: Sequence[_Share]
) -> Iterator[str]:
    """Yield what the number rests on. ``counted`` are the shares of a number that was given."""
    yield "the first answer to each case counts"
    yield (
        f"sensitivity {sum(good.hits)}/{len(good.hits)}, specificity {sum(bad.hits)}/{len(bad.hits)}, "
        "on anchors of this arm"
    )
    effects = [share.effect for share in counted]
    if any(effect > 1 for effect in effects):
        named = ", ".join(f"{effect:.2f}" for effect in effects)
        yield f"clusters widen it: design effects of answers, good and bad anchors {named}"
    if any(anchor.selection == "curated" for anchor in anchors):
        yield "chosen anchors are among them: they may be harder than the answers"
