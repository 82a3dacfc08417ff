"""Flip rates: how often two votes of the judge on one item differ, for groups of items."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from harness.audits.labels import human_label, outcome_of
from harness.audits.rates import CONFIDENCE_LEVEL, block_or_none
from harness.domain.fitness import EarlyLateShift, Stability
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Vote
from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.repeatability import vote_repeatability

# A shift in time is a fault of the run, not an estimate: it must be beyond doubt.
SHIFT_ALPHA = 0.01
_FEWEST_TO_LIST = 2


def stability(
    of: str,
    votes: Mapping[str, Sequence[Vote]],
    *,
    labels: Sequence[str],
    clusters: Mapping[str, str] | None = None,
) -> Stability:
    """Return the flip rate of a group of items, each item counting once.

    Where items were asked a different number of times, only the first two
    votes of each count: votes that were added because the first ones differed
    would make the judge look steadier than it is.

    Args:
        of: What the group is called.
        votes: The votes of each item, in any order.
        labels: The judge's labels.
        clusters: The cluster of each item; none: all items are independent.
    """
    items = list(votes)
    asked = [[vote for vote in _in_order(votes[item]) if _was_asked(vote)] for item in items]
    width = max((len(found) for found in asked), default=0)
    if width < _FEWEST_TO_LIST:
        return Stability(of=of, n_items=0, flip_rate=None, interval=None, reason="no item has two votes")
    numbers = {label: number for number, label in enumerate(labels)}
    matrix = np.full((len(items), width), -1, dtype=np.int64)
    for row, found in enumerate(asked):
        for column, vote in enumerate(found):
            matrix[row, column] = -1 if vote.verdict.label is None else numbers[vote.verdict.label]
    uneven = len({len(found) for found in asked if found}) > 1
    found_rate = vote_repeatability(
        votes=matrix,
        n_first=2 if uneven else None,
        clusters=None if clusters is None else [clusters[item] for item in items],
        confidence_level=CONFIDENCE_LEVEL,
    )
    if isinstance(found_rate, NotEstimable):
        return Stability(of=of, n_items=0, flip_rate=None, interval=None, reason=found_rate.reason)
    interval = found_rate.flip_rate_interval
    return Stability(
        of=of,
        n_items=found_rate.n_items,
        flip_rate=found_rate.flip_rate,
        interval=block_or_none(interval),
        reason=interval.reason if isinstance(interval, NotEstimable) else None,
    )


def votes_by_item(votes: Iterable[Vote]) -> dict[str, list[Vote]]:
    """Return the votes that were asked with one text: those on an anchor, in one order of its two answers."""
    found: dict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        subject = vote.subject
        found[subject.id if subject.first is None else f"{subject.id} ({subject.first} first)"].append(vote)
    return dict(found)


def shared(units: Mapping[str, str]) -> Mapping[str, str] | None:
    """Return the unit of each item where items share one; null where each is its own."""
    return units if len(set(units.values())) < len(units) else None


def slices(plan: Plan, reading: Reading) -> tuple[Stability, ...]:
    """Return the flip rate by what people said of the anchor, and by tag."""
    if plan.judge is None:
        return ()
    votes = votes_by_item(reading.anchor_votes)
    units = {item: found[0].subject.id for item, found in votes.items()}
    groups: dict[str, set[str]] = defaultdict(set)
    for anchor in plan.anchors:
        outcome = outcome_of(plan, human_label(anchor))
        names = ([f"people: {outcome}"] if outcome is not None else []) + [f"tag: {t}" for t in anchor.tags]
        for name in names:
            groups[name].add(anchor.id)
    found = []
    for of in sorted(groups):
        mine = {item: votes[item] for item, unit in units.items() if unit in groups[of]}
        clusters = shared({item: units[item] for item in mine})
        found.append(stability(of, mine, labels=plan.judge.labels, clusters=clusters))
    return tuple(found)


def shift(plan: Plan, votes: Iterable[Sequence[Vote]]) -> EarlyLateShift | None:
    """Set the first readable vote on each anchor against the last, in order of time, by direction.

    Null also for pairs: which of two answers is named first in an anchor is no direction.
    """
    if plan.is_pairwise:
        return None
    n = to_pass = to_fail = 0
    for found in votes:
        readable = [vote for vote in found if vote.verdict.label is not None]
        ordered = sorted(readable, key=lambda vote: (vote.started_ms, vote.repeat))
        if len(ordered) < _FEWEST_TO_LIST:
            continue
        first, last = (outcome_of(plan, vote.verdict.label) for vote in (ordered[0], ordered[-1]))
        n += 1
        to_pass += (first, last) == ("fail", "pass")
        to_fail += (first, last) == ("pass", "fail")
    if n == 0:
        return None
    return EarlyLateShift(
        n_anchors=n,
        to_pass=to_pass,
        to_fail=to_fail,
        pvalue=mcnemar_exact(gain=to_pass, loss=to_fail).pvalue,
    )


def _in_order(votes: Iterable[Vote]) -> list[Vote]:
    return sorted(votes, key=lambda vote: vote.repeat)


def _was_asked(vote: Vote) -> bool:
    return vote.verdict.no_verdict not in ("not_run", "failed")
