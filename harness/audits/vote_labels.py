"""What people and a judge say of each item, by the rules that a comparison may follow."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.audits.vote_shares import share
from harness.domain.blocks import Rate
from harness.domain.recorded_votes import RecordedVote, VoteFile, VoteItem
from harness.domain.verdicts import majority
from harness.domain.vote_audit import Estimate, Reference
from harness.stats.alpha_bootstrap import alpha_interval
from harness.stats.estimability import NotEstimable
from harness.stats.multirater import Level, krippendorff_alpha
from harness.stats.samples import IntArray

_N_RESAMPLES = 1000
_SEED = 20


def human_label(item: VoteItem, reference: Reference) -> str | None:
    """Return what people settled on, by one rule; null where they did not."""
    if reference == "final":
        return item.final
    labels = [rating.label for rating in item.ratings]
    if reference == "majority":
        return majority(labels, asked=len(labels)).label
    if len(labels) < 2:
        return None
    (label, n), *others = Counter(labels).most_common(2)
    return label if not others or others[0][1] < n else None


def votes_of(item: VoteItem, judge: str) -> tuple[RecordedVote, ...]:
    """Return the judge's votes on the item, in the order of the repeats."""
    return tuple(vote for vote in item.votes if vote.judge == judge)


def judge_label(item: VoteItem, judge: str) -> str | None:
    """Return the label of more than half of the judge's votes; silence counts among them."""
    votes = votes_of(item, judge)
    return majority([vote.label for vote in votes], asked=len(votes)).label


def codes(labels: Sequence[str | None], known: Sequence[str]) -> IntArray:
    """Return the place of each label among the known ones, -1 for none."""
    numbers = {label: number for number, label in enumerate(known)}
    return np.array([-1 if label is None else numbers[label] for label in labels], dtype=np.int64)


def rating_matrix(items: Sequence[VoteItem], raters: Sequence[str], labels: Sequence[str]) -> IntArray:
    """Return people's labels as numbers, -1 where missing. Shape (n_items, n_raters)."""
    rows = [dict(item.ratings) for item in items]
    table = [codes([row.get(rater) for rater in raters], labels) for row in rows]
    return np.array(table, dtype=np.int64).reshape(len(items), len(raters))


def label_pairs(rows: Sequence[tuple[str, Sequence[str]]], *, without: str | None, nothing: str) -> Rate:
    """Return how many pairs of labels of one item agree.

    Args:
        rows: The cluster of each item, and its labels.
        without: A label whose pairs are left out.
        nothing: Why there is no rate, where there are no pairs.
    """
    pairs = [
        (first == second, group)
        for group, labels in rows
        for first, second in combinations(labels, 2)
        if without is None or without not in (first, second)
    ]
    return share([hit for hit, _ in pairs], [group for _, group in pairs], nothing=nothing)


def alphas(table: IntArray, groups: Sequence[str], *, ordered: bool) -> tuple[Estimate, ...]:
    """Return Krippendorff's alpha of labels, and for ordered labels also its ordinal form.

    Args:
        table: Labels as numbers, -1 where missing. Shape (n_items, n_raters).
        groups: The cluster of each item.
        ordered: Whether the labels have an order.
    """
    levels: tuple[Level, ...] = ("nominal", "ordinal") if ordered else ("nominal",)
    return tuple(_alpha(table, groups, level) for level in levels)


def _alpha(table: IntArray, groups: Sequence[str], level: Level) -> Estimate:
    name = f"krippendorff_alpha_{level}"
    if table.size == 0:
        return Estimate(of=name, estimate=None, reason="no item has two ratings")
    found = krippendorff_alpha(ratings=table, present=table >= 0, level=level)
    if isinstance(found, NotEstimable):
        return Estimate(of=name, estimate=None, reason=found.reason)
    interval = alpha_interval(
        ratings=table,
        present=table >= 0,
        level=level,
        clusters=list(groups),
        confidence_level=CONFIDENCE_LEVEL,
        n_resamples=_N_RESAMPLES,
        rng=np.random.default_rng(_SEED),
    )
    if isinstance(interval, NotEstimable):
        return Estimate(of=name, estimate=found, reason=interval.reason)
    return Estimate(of=name, estimate=found, interval=block(interval))


def raters_of(file: VoteFile) -> tuple[str, ...]:
    """Return the people of the file, by name."""
    return tuple(sorted({rating.rater for item in file.items for rating in item.ratings}))


def main_reference(file: VoteFile) -> Reference | None:
    """Return what the judge is held against first: settled labels, else the people's majority."""
    if any(item.final is not None for item in file.items):
        return "final"
    return "majority" if any(item.ratings for item in file.items) else None
