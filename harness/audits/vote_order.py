"""Does the place of an answer move a recorded judge?"""

from typing import NamedTuple

from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.audits.vote_labels import votes_of
from harness.audits.vote_repeats import MOST_LISTED
from harness.audits.vote_shares import mean_estimate, missing, share
from harness.domain.blocks import Rate
from harness.domain.recorded_votes import INCONSISTENT, RecordedVote, VoteFile, VoteItem
from harness.domain.verdicts import majority
from harness.domain.vote_audit import OrderBlock
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.proportions import clopper_pearson_interval

_NO_PAIR = "no pair has a label in both orders"
_PUT_TOGETHER = "the file holds verdicts put together from both orders, not the two verdicts"


class _Pair(NamedTuple):
    """One item in both orders: its labels, and what was shown first in each."""

    item: VoteItem
    labels: tuple[str, str]
    first: tuple[str, str]

    @property
    def slot(self) -> int:
        """1 where both orders go to the answer shown first, -1 to the second, else 0."""
        if self.labels == self.first:
            return 1
        return -1 if self.labels == self.first[::-1] else 0


def order_block(file: VoteFile, judge: str) -> OrderBlock | None:
    """Compare the two orders of each pair; null where no pair was asked in both."""
    together = [(item, vote) for item in file.items for vote in votes_of(item, judge) if vote.both_orders]
    asked = [(item, votes) for item in file.items if len(votes := _by_first(item, judge)) == 2]
    if together or not asked:
        return _put_together(together) if together else None
    pairs = [pair for item, votes in asked if (pair := _pair(item, votes)) is not None]
    groups = [pair.item.group for pair in pairs]
    inconsistent = [pair.labels[0] != pair.labels[1] for pair in pairs]
    n_first = sum(pair.slot > 0 for pair in pairs)
    n_second = sum(pair.slot < 0 for pair in pairs)
    return OrderBlock(
        n_pairs=len(pairs),
        n_incomplete=len(asked) - len(pairs),
        inconsistent=share(inconsistent, groups, nothing=_NO_PAIR),
        reversed=share([pair.slot != 0 for pair in pairs], groups, nothing=_NO_PAIR),
        to_first=_to_first(n_first, n_first + n_second),
        pvalue=mcnemar_exact(gain=n_first, loss=n_second).pvalue if pairs else None,
        slot_effect=mean_estimate(
            "slot_effect", [float(pair.slot) for pair in pairs], groups, support=(-1.0, 1.0), nothing=_NO_PAIR
        ),
        flipped=tuple(pair.item.id for pair in pairs if pair.slot)[:MOST_LISTED],
    )


def _by_first(item: VoteItem, judge: str) -> dict[str, list[RecordedVote]]:
    found: dict[str, list[RecordedVote]] = {}
    for vote in votes_of(item, judge):
        if vote.first is not None:
            found.setdefault(vote.first, []).append(vote)
    return found


def _pair(item: VoteItem, votes: dict[str, list[RecordedVote]]) -> _Pair | None:
    (one, first_votes), (other, second_votes) = sorted(votes.items())
    labels = [
        majority([v.label for v in mine], asked=len(mine)).label for mine in (first_votes, second_votes)
    ]
    if labels[0] is None or labels[1] is None:
        return None
    return _Pair(item, (labels[0], labels[1]), (one, other))


def _put_together(votes: list[tuple[VoteItem, RecordedVote]]) -> OrderBlock:
    read = [(item, vote) for item, vote in votes if vote.label is not None or vote.reason == INCONSISTENT]
    unlike = [vote.reason == INCONSISTENT for _, vote in read]
    return OrderBlock(
        n_pairs=len(read),
        n_incomplete=len(votes) - len(read),
        inconsistent=share(unlike, [item.group for item, _ in read], nothing=_NO_PAIR),
        reversed=None,
        to_first=None,
        pvalue=None,
        slot_effect=missing("slot_effect", _PUT_TOGETHER),
        flipped=tuple(item.id for item, vote in read if vote.reason == INCONSISTENT)[:MOST_LISTED],
    )


def _to_first(n: int, of: int) -> Rate:
    if of == 0:
        return Rate(n=0, of=0, rate=None, reason="no pair was reversed by the order")
    interval = clopper_pearson_interval(count=n, n_cases=of, confidence_level=CONFIDENCE_LEVEL)
    return Rate(n=n, of=of, rate=n / of, interval=block(interval))
