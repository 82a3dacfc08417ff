"""Does the place of an answer move a judge that compares two?"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.audits.gates import against_band
from harness.audits.labels import anchor_pairs, unit_of
from harness.audits.rates import CONFIDENCE_LEVEL, block_or_none
from harness.audits.vote_shares import mean_interval, share
from harness.domain.fitness import PositionEffect
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.preferences import Pair, pairs_of
from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.means import paired_mean

_MOST_LISTED = 10
_SUPPORT = (-1.0, 1.0)
_NO_PAIR = "no pair was settled in both orders"


class _Settled(NamedTuple):
    """A pair that both orders settled, and the cluster it counts with."""

    pair: Pair
    cluster: str


def position_effects(plan: Plan, reading: Reading) -> tuple[PositionEffect, ...]:
    """Return what the order does on the anchors, and on the arms' answers to exploratory cases.

    No human label is needed: whoever is right, the order is not to matter.

    Returns:
        Nothing where answers are judged one at a time, and no entry for a group without a pair.
    """
    if plan.judge is None or not plan.is_pairwise:
        return ()
    groups = (("anchors", *_anchors(plan, reading)), ("answers", *_answers(plan, reading)))
    return tuple(
        _effect(of, pairs, clusters, band=plan.experiment.gates.bias_band)
        for of, pairs, clusters in groups
        if pairs
    )


def position_reasons(effects: Sequence[PositionEffect]) -> Iterator[str]:
    """Yield what failed, or was not shown."""
    for effect in effects:
        if effect.difference is None:
            yield f"bias_position_not_estimable: {effect.of}: {effect.reason}"
        elif effect.status != "pass" and effect.reason:
            yield effect.reason


def _anchors(plan: Plan, reading: Reading) -> tuple[list[Pair], list[str]]:
    pairs, clusters = anchor_pairs(plan, reading), {case.id: case.group for case in plan.cases}
    mine = [(pairs[a.id], unit_of(a, clusters)) for a in plan.anchors if a.id in pairs]
    return [pair for pair, _ in mine], [cluster for _, cluster in mine]


def _answers(plan: Plan, reading: Reading) -> tuple[list[Pair], list[str]]:
    if plan.judge is None:
        return [], []
    side, cluster = plan.split_of(), {case.id: case.group for case in plan.cases}
    votes = [vote for vote in reading.case_votes if side.get(vote.subject.id) == "exploratory"]
    pairs = list(pairs_of(plan.judge, votes, asked=plan.experiment.repeats.votes))
    return pairs, [cluster[pair.subject.id] for pair in pairs]


def _effect(of: str, pairs: Sequence[Pair], clusters: Sequence[str], *, band: float | None) -> PositionEffect:
    settled = [_Settled(p, c) for p, c in zip(pairs, clusters, strict=True) if p.preference is not None]
    groups = [each.cluster for each in settled]
    slots = [each.pair.slot for each in settled]
    turned = [(each.pair.slot > 0, each.cluster) for each in settled if each.pair.slot]
    value = sum(slots) / len(slots) if slots else None
    interval = (
        block_or_none(mean_interval(list(map(float, slots)), groups, support=_SUPPORT)) if slots else None
    )
    ruled = None if band is None or value is None else against_band("bias_position", value, interval, band)
    return PositionEffect(
        of=of,
        n_pairs=len(settled),
        n_incomplete=len(pairs) - len(settled),
        consistent=share([bool(each.pair.is_consistent) for each in settled], groups, nothing=_NO_PAIR),
        reversed=share([each.pair.slot != 0 for each in settled], groups, nothing=_NO_PAIR),
        to_first=share(
            [first for first, _ in turned],
            [cluster for _, cluster in turned],
            nothing="no pair was reversed by the order",
        ),
        difference=value,
        interval=interval,
        pvalue=_pvalue(slots, groups),
        band=band,
        status="not_audited" if ruled is None else ruled.status,
        reason=_NO_PAIR if value is None else ruled.reason or None if ruled else None,
        flipped=tuple(_name(each.pair) for each in settled if each.pair.slot)[:_MOST_LISTED],
    )


def _pvalue(slots: Sequence[int], groups: Sequence[str]) -> float | None:
    """Return the exact sign test of the reversed pairs; by clusters where pairs share them."""
    if not slots:
        return None
    if len(set(groups)) == len(groups):
        return mcnemar_exact(gain=slots.count(1), loss=slots.count(-1)).pvalue
    found = paired_mean(
        differences=[float(slot) for slot in slots],
        clusters=list(groups),
        confidence_level=CONFIDENCE_LEVEL,
        support=_SUPPORT,
    )
    return None if isinstance(found, NotEstimable) else found.pvalue


def _name(pair: Pair) -> str:
    repeat = pair.subject.answer
    return pair.subject.id if repeat is None else f"{pair.subject.id}, repeat {repeat}"
