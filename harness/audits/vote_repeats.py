"""Does a recorded judge give the same item the same label, or the same score, twice?"""

from collections.abc import Sequence

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block_or_none
from harness.audits.vote_labels import codes, votes_of
from harness.audits.vote_shares import coefficient, flip_rate, mean_estimate, missing, share
from harness.domain.recorded_votes import RecordedVote, VoteFile, VoteItem
from harness.domain.vote_audit import Estimate, RepeatBlock, ScoreBlock
from harness.stats.estimability import NotEstimable
from harness.stats.multirater import fleiss_kappa, label_counts
from harness.stats.repeatability import vote_repeatability
from harness.stats.samples import IntArray

MOST_LISTED = 10
_NOT_READABLE = "no item has two votes with a label"

_Repeated = tuple[VoteItem, tuple[RecordedVote, ...]]


def repeat_block(file: VoteFile, judge: str) -> RepeatBlock | None:
    """Compare every two votes on one item in one order; null where nothing was asked twice.

    Where items differ in their number of votes, each item's first two are
    used: votes that were added because the first ones differed would make the
    judge look steadier, or less so, than it is.
    """
    repeated = _repeated(file, judge)
    if not repeated:
        return None
    numbers = [len(votes) for _, votes in repeated]
    used = [(item, votes[: _n_used(numbers)]) for item, votes in repeated]
    labels = [[vote.label for vote in votes] for _, votes in used]
    table = np.array([codes(row, file.labels) for row in labels], dtype=np.int64)
    groups = [item.group for item, _ in used]
    readable = np.sum(table >= 0, axis=1) >= 2
    flips = [len({label for label in row if label is not None}) > 1 for row in labels]
    found = vote_repeatability(votes=table, n_first=None, clusters=groups, confidence_level=CONFIDENCE_LEVEL)
    pairs = [(flip, group) for flip, group, read in zip(flips, groups, readable, strict=True) if read]
    return RepeatBlock(
        n_items=int(readable.sum()),
        n_votes_an_item=(min(numbers), max(numbers)),
        with_a_flip=share([f for f, _ in pairs], [g for _, g in pairs], nothing=_NOT_READABLE),
        flip_rate=missing("flip_rate", found.reason)
        if isinstance(found, NotEstimable)
        else flip_rate(
            found.flip_rate,
            block_or_none(found.flip_rate_interval),
            found.flip_rate_interval.reason if isinstance(found.flip_rate_interval, NotEstimable) else None,
        ),
        fleiss_kappa=_fleiss(table, len(file.labels)),
        n_now_and_then_silent=sum(None in row and any(label is not None for label in row) for row in labels),
        flipped=tuple(item.id for (item, _), flip in zip(used, flips, strict=True) if flip)[:MOST_LISTED],
    )


def score_block(file: VoteFile, judge: str, *, pass_at: float | None) -> ScoreBlock | None:
    """Compare the first two scores of each item; null where no item has two."""
    pairs = [
        (scores[0], scores[1], item.group)
        for item, votes in _repeated(file, judge)
        if len(scores := [vote.score for vote in votes if vote.score is not None]) > 1
    ]
    if not pairs:
        return None
    groups = [group for _, _, group in pairs]
    every = [vote.score for item in file.items for vote in votes_of(item, judge) if vote.score is not None]
    flips = None
    if pass_at is not None:
        crossed = [(first >= pass_at) != (second >= pass_at) for first, second, _ in pairs]
        flips = share(crossed, groups, nothing="no item has two scores")
    return ScoreBlock(
        n_items=len(pairs),
        changed=share([a != b for a, b, _ in pairs], groups, nothing="no item has two scores"),
        change=mean_estimate(
            "mean_absolute_change",
            [abs(a - b) for a, b, _ in pairs],
            groups,
            support=(0.0, max(max(every) - min(every), 1.0)),
            nothing="no item has two scores",
        ),
        pass_flips=flips,
    )


def _repeated(file: VoteFile, judge: str) -> list[_Repeated]:
    """Return the votes of each item and order that the judge was asked about twice or more."""
    found: list[_Repeated] = []
    for item in file.items:
        votes = [vote for vote in votes_of(item, judge) if not vote.both_orders]
        for first in sorted({vote.first or "" for vote in votes}):
            mine = tuple(vote for vote in votes if (vote.first or "") == first)
            if len(mine) > 1:
                found.append((item, mine))
    return found


def _n_used(numbers: Sequence[int]) -> int:
    return numbers[0] if len(set(numbers)) == 1 else 2


def _fleiss(table: IntArray, n_labels: int) -> Estimate:
    if n_labels < 2:
        return missing("fleiss_kappa", "the file has one label alone")
    whole = table[np.all(table >= 0, axis=1)]
    if whole.size == 0:
        return missing("fleiss_kappa", _NOT_READABLE)
    counted = label_counts(ratings=whole, n_labels=n_labels)
    return coefficient("fleiss_kappa", fleiss_kappa(table=counted, confidence_level=CONFIDENCE_LEVEL))
