"""Does the judge give the same answer the same label twice?"""

from collections import Counter
from collections.abc import Mapping, Sequence

from harness.audits.answer_stability import answer_stability
from harness.audits.gates import Ruled, against_ceiling, worst
from harness.audits.rates import CONFIDENCE_LEVEL, block, rate
from harness.audits.stability import SHIFT_ALPHA, shared, shift, slices, stability, votes_by_item
from harness.domain.blocks import Rate
from harness.domain.findings import RepeatabilityFinding
from harness.domain.fitness import EarlyLateShift, Stability
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Vote
from harness.stats.estimability import NotEstimable
from harness.stats.means import paired_mean, paired_mean_plus_two

_MOST_LISTED = 10


def audit_repeatability(plan: Plan, reading: Reading) -> RepeatabilityFinding:
    """Compare every two votes of the judge on one anchor.

    The anchor is the unit: its share of agreeing pairs counts once, however
    many votes it had, so asking more where the judge wavers changes nothing.

    Returns:
        ``not_audited`` where no anchor has two readable votes, or where a rule
        of the plan is neither shown to hold nor broken; ``fail`` with a rule
        broken, or with a judge that moved during the run; else ``pass``.
    """
    votes = votes_by_item(reading.anchor_votes)
    units = {item: found[0].subject.id for item, found in votes.items()}
    silent = Counter(vote.verdict.no_verdict for vote in reading.anchor_votes if vote.verdict.no_verdict)
    labels = {
        anchor: [vote.verdict.label for vote in found if vote.verdict.label]
        for anchor, found in votes.items()
    }
    repeated = {anchor: found for anchor, found in labels.items() if len(found) > 1}
    if not repeated:
        return RepeatabilityFinding(
            status="not_audited",
            n_anchors=len(set(units.values())),
            n_votes=len(reading.anchor_votes),
            on_answers=answer_stability(plan, reading),
            no_verdicts=tuple(sorted(silent.items())),
            reasons=(_why_not(plan),),
        )
    agreement = self_agreement(repeated, [units[item] for item in repeated])
    moved = shift(plan, votes.values())
    flips = (
        stability("anchors", votes, labels=plan.judge.labels, clusters=shared(units)) if plan.judge else None
    )
    ruled = [*_rules(plan, agreement, flips), *_moved(moved)]
    return RepeatabilityFinding(
        status=worst("pass", *(rule.status for rule in ruled)),
        n_anchors=len({units[item] for item in repeated}),
        n_votes=sum(map(len, labels.values())),
        self_agreement=agreement,
        unanimous=_share_of_anchors(
            {item: len(set(found)) == 1 for item, found in repeated.items()}, units, nothing="no anchors"
        ),
        early_late=_early_late(votes, units),
        shift=moved,
        flip_rate=flips,
        slices=slices(plan, reading),
        on_answers=answer_stability(plan, reading),
        least_stable=_least_stable(repeated),
        no_verdicts=tuple(sorted(silent.items())),
        reasons=tuple(rule.reason for rule in ruled if rule.reason),
    )


def pairs_agreeing(labels: Sequence[str]) -> tuple[int, int]:
    """Return how many pairs of these labels agree, and how many pairs there are."""
    agreeing = sum(count * (count - 1) // 2 for count in Counter(labels).values())
    return agreeing, len(labels) * (len(labels) - 1) // 2


def self_agreement(labels: Mapping[str, Sequence[str]], anchors: Sequence[str]) -> Rate:
    """Return the mean over items of the share of agreeing pairs of votes, the anchor being the unit.

    Args:
        labels: At least two labels an item: an anchor, or an anchor in one order of its two answers.
        anchors: The anchor of each item.
    """
    clusters = list(anchors) if len(set(anchors)) < len(anchors) else None
    pairs = [pairs_agreeing(found) for found in labels.values()]
    shares = [agreeing / of for agreeing, of in pairs]
    mean = paired_mean(
        differences=shares, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=(0.0, 1.0)
    )
    interval = (
        paired_mean_plus_two(
            differences=shares, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=(0.0, 1.0)
        )
        if isinstance(mean, NotEstimable)
        else mean.interval
    )
    return Rate(
        n=sum(agreeing for agreeing, _ in pairs),
        of=sum(of for _, of in pairs),
        rate=sum(shares) / len(shares),
        interval=None if isinstance(interval, NotEstimable) else block(interval),
        reason=interval.reason if isinstance(interval, NotEstimable) else None,
    )


def _why_not(plan: Plan) -> str:
    if plan.judge is None:
        return "the plan has no judge"
    if not plan.anchors:
        return "the plan names no anchors"
    if plan.experiment.repeats.votes < 2:
        return "the judge is asked once about each anchor (repeats.votes = 1)"
    return "no anchor has two readable votes"


def _rules(plan: Plan, agreement: Rate, flips: Stability | None) -> list[Ruled]:
    gates = plan.experiment.gates
    ruled = []
    if gates.judge_repeatability is not None and agreement.rate is not None:
        low = agreement.rate < gates.judge_repeatability
        found = f"self_agreement {agreement.rate:.3f} is below the floor {gates.judge_repeatability:.3f}"
        ruled.append(Ruled("fail", found) if low else Ruled("pass"))
    if gates.judge_flip_rate is not None and flips is not None and flips.flip_rate is not None:
        ruled.append(against_ceiling("flip_rate", flips.flip_rate, flips.interval, gates.judge_flip_rate))
    return ruled


def _moved(found: EarlyLateShift | None) -> list[Ruled]:
    if found is None or found.pvalue >= SHIFT_ALPHA:
        return []
    changed = f"{found.to_pass} anchors went to pass and {found.to_fail} to fail"
    return [Ruled("fail", f"drift_within_run: from first to last vote {changed} (p = {found.pvalue:.2g})")]


def _early_late(votes: Mapping[str, Sequence[Vote]], units: Mapping[str, str]) -> Rate:
    """Return how often the first and the last readable vote on an anchor agree, in order of time."""
    same = {}
    for item, found in votes.items():
        readable = sorted((v for v in found if v.verdict.label), key=lambda v: (v.started_ms, v.repeat))
        if len(readable) > 1:
            same[item] = readable[0].verdict.label == readable[-1].verdict.label
    return _share_of_anchors(same, units, nothing="no anchor has two readable votes")


def _share_of_anchors(hits: Mapping[str, bool], units: Mapping[str, str], *, nothing: str) -> Rate:
    """Return how many anchors hit with every item of theirs: in both orders, where there are two."""
    by_anchor: dict[str, bool] = {}
    for item, hit in hits.items():
        by_anchor[units[item]] = by_anchor.get(units[item], True) and hit
    return rate(sum(by_anchor.values()), len(by_anchor), nothing=nothing)


def _least_stable(labels: Mapping[str, Sequence[str]]) -> tuple[tuple[str, float], ...]:
    shares = [(anchor, pairs_agreeing(found)) for anchor, found in labels.items()]
    wavering = [(anchor, agreeing / of) for anchor, (agreeing, of) in shares if agreeing < of]
    return tuple(sorted(wavering, key=lambda item: (item[1], item[0]))[:_MOST_LISTED])
