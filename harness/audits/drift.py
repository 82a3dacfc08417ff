"""Is the judge the one it was? The same anchors then and now, and who answered."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from harness.audits.drift_evidence import attribution, compared_endpoints
from harness.audits.labels import human_label, judge_labels, outcome_of
from harness.audits.rates import block, rate
from harness.audits.score_moves import score_moves
from harness.domain.blocks import Rate, Status
from harness.domain.cases import Anchor
from harness.domain.fitness import Compared, DriftFinding, DriftFlip, DriftVerdict
from harness.domain.manifest import Reading
from harness.domain.plan import Plan, plan_digest
from harness.stats.agreement import cohen_kappa, confusion
from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.proportions import clopper_pearson_interval
from harness.stats.tango_binomial import tango_binomial_interval, tango_binomial_noninferiority

# Two tests look for a movement in one direction; together they keep 5%.
_ALPHA_EACH = 0.025
_ALPHA = 0.05
_STATUS: dict[DriftVerdict, Status] = {
    "drift": "fail",
    "stable": "pass",
    "not_shown": "not_audited",
    "not_audited": "not_audited",
}


class Audited(NamedTuple):
    """One run, read, as far as it tells of its judge."""

    plan: Plan
    reading: Reading


class _Both(NamedTuple):
    anchor: str
    then: str
    now: str
    human: str | None


def audit_drift(then: Audited, now: Audited, *, compared: Sequence[Compared] | None = None) -> DriftFinding:
    """Compare the judge's majorities on the anchors that both runs hold, word for word.

    A judge has drifted when more majorities differ than ``gates.drift`` allows,
    beyond doubt, or when those that differ go one way. It is stable when the
    flips are shown to be as few as allowed and accuracy is shown not to have
    fallen by the margin. Kappa plays no part: at equal kappa any number of
    anchors may have changed sides.

    Args:
        then: The earlier run; a panel's as its majority is seen.
        now: This run.
        compared: Who answered then and now, with which settings, where ``then`` and
            ``now`` are views of a panel that no longer say it; none: taken from them.

    Returns:
        ``not_audited`` where neither is shown, or no anchor can be compared.
    """
    both, n_not = _both(then, now)
    compared = compared_endpoints(then, now) if compared is None else tuple(compared)
    scores = score_moves(then, now)
    against = plan_digest(then.plan)
    if not both or now.plan.judge is None:
        moves = attribution("not_audited", compared, scores, judged=now.plan.judge is not None)
        return DriftFinding(
            status="not_audited",
            against=against,
            n_not_comparable=n_not,
            scores=scores,
            compared=compared,
            attribution=moves.attribution,
            evidence=moves.evidence,
            reasons=(_nothing_in_common(now.plan),),
        )
    flips = [each for each in both if each.then != each.now]
    share = rate(len(flips), len(both), nothing="no anchors")
    moved = _outcomes(now.plan, both)
    right = _rights(both)
    accuracy = mcnemar_exact(gain=right.only_now, loss=right.only_then)
    outcome = mcnemar_exact(gain=moved.to_pass, loss=moved.to_fail)
    margin, tolerance = now.plan.experiment.analysis.margin, now.plan.experiment.gates.drift
    kept = (
        tango_binomial_noninferiority(
            gain=right.only_now, loss=right.only_then, n_cases=right.n, margin=margin
        ).pvalue
        if right.n
        else None
    )
    reasons = tuple(_drifts(share, tolerance, accuracy.pvalue, outcome.pvalue))
    verdict: DriftVerdict = (
        "drift" if reasons else "stable" if _is_stable(share, tolerance, kept) else "not_shown"
    )
    moves = attribution(verdict, compared, scores, judged=True)
    return DriftFinding(
        status=_STATUS[verdict],
        verdict=verdict,
        against=against,
        n_anchors=len(both),
        n_not_comparable=n_not,
        flip_share=share,
        tolerance=tolerance,
        flips=tuple(DriftFlip(anchor=e.anchor, then=e.then, now=e.now, human=e.human) for e in flips),
        both_correct=right.both,
        only_then_correct=right.only_then,
        only_now_correct=right.only_now,
        neither_correct=right.neither,
        accuracy_change=(right.only_now - right.only_then) / right.n if right.n else None,
        accuracy_interval=block(
            tango_binomial_interval(
                gain=right.only_now, loss=right.only_then, n_cases=right.n, confidence_level=1 - _ALPHA
            )
        )
        if right.n
        else None,
        accuracy_pvalue=accuracy.pvalue,
        to_pass=moved.to_pass,
        to_fail=moved.to_fail,
        outcome_pvalue=None if now.plan.is_pairwise else outcome.pvalue,
        margin=margin,
        noninferiority_pvalue=kept,
        kappa_then=_kappa(both, [each.then for each in both]),
        kappa_now=_kappa(both, [each.now for each in both]),
        scores=scores,
        compared=compared,
        attribution=moves.attribution,
        evidence=moves.evidence,
        reasons=reasons or _not_shown(verdict, share, tolerance),
    )


def _nothing_in_common(plan: Plan) -> str:
    if plan.judge is None:
        return "no_judge: the plan has no judge"
    return "no_common_anchors: the two runs judged no anchor in common"


def _both(then: Audited, now: Audited) -> tuple[list[_Both], int]:
    earlier = {anchor.id: _shown(anchor) for anchor in then.plan.anchors}
    old, new = judge_labels(then.plan, then.reading), judge_labels(now.plan, now.reading)
    both = [
        _Both(anchor.id, was, found, human_label(anchor))
        for anchor in now.plan.anchors
        if earlier.get(anchor.id) == _shown(anchor)
        and (was := old.get(anchor.id)) is not None
        and (found := new.get(anchor.id)) is not None
    ]
    return both, len(now.plan.anchors) - len(both)


def _shown(anchor: Anchor) -> tuple[str, str, str | None, str | None]:
    """Return what the judge sees of the anchor: another text is another anchor."""
    return anchor.prompt, anchor.answer, anchor.other, anchor.reference


class _Moved(NamedTuple):
    to_pass: int
    to_fail: int


def _outcomes(plan: Plan, both: Sequence[_Both]) -> _Moved:
    moves = [(outcome_of(plan, each.then), outcome_of(plan, each.now)) for each in both]
    return _Moved(moves.count(("fail", "pass")), moves.count(("pass", "fail")))


class _Rights(NamedTuple):
    both: int
    only_then: int
    only_now: int
    neither: int

    @property
    def n(self) -> int:
        return sum(self)


def _rights(both: Sequence[_Both]) -> _Rights:
    known = [(e.then == e.human, e.now == e.human) for e in both if e.human is not None]
    return _Rights(
        both=known.count((True, True)),
        only_then=known.count((True, False)),
        only_now=known.count((False, True)),
        neither=known.count((False, False)),
    )


def _limits(share: Rate) -> tuple[float, float]:
    """Return the exact limits of the flip share, each at 95% alone."""
    found = clopper_pearson_interval(count=share.n, n_cases=share.of, confidence_level=1 - 2 * _ALPHA)
    return found.low, found.high


def _drifts(share: Rate, tolerance: float, accuracy: float, outcome: float) -> Iterator[str]:
    low, _ = _limits(share)
    if low > tolerance:
        yield f"judge_flipped: {share.n} of {share.of} majorities differ, {tolerance:.0%} may"
    if accuracy < _ALPHA_EACH:
        yield f"accuracy_moved: right and wrong changed places in one direction (p = {accuracy:.2g})"
    if outcome < _ALPHA_EACH:
        yield f"leniency_moved: verdicts changed in one direction (p = {outcome:.2g})"


def _is_stable(share: Rate, tolerance: float, kept: float | None) -> bool:
    return _limits(share)[1] <= tolerance and kept is not None and kept < _ALPHA


def _not_shown(verdict: DriftVerdict, share: Rate, tolerance: float) -> tuple[str, ...]:
    if verdict == "stable":
        return ()
    high = _limits(share)[1]
    found = f"{share.n} of {share.of} majorities differ, which may be {high:.0%} of such answers"
    return (
        f"stability_not_shown: {found}, wanted at most {tolerance:.0%} and accuracy kept within the margin",
    )


def _kappa(both: Sequence[_Both], judged: Sequence[str]) -> float | None:
    pairs = [(each.human, label) for each, label in zip(both, judged, strict=True) if each.human is not None]
    labels = sorted({label for pair in pairs for label in pair})
    if len(labels) < 2:
        return None
    numbers = {label: number for number, label in enumerate(labels)}
    table = confusion(
        first=np.array([numbers[human] for human, _ in pairs]),
        second=np.array([numbers[label] for _, label in pairs]),
        n_labels=len(labels),
    ).table
    found = cohen_kappa(table=table, weighting="nominal", confidence_level=1 - _ALPHA)
    return None if isinstance(found, NotEstimable) else found.estimate
