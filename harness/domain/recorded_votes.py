"""Votes of judges, and labels of people, as somebody else's file recorded them."""

from typing import NamedTuple

INCONSISTENT = "inconsistent"
"""Why a verdict from both orders is none: the orders did not agree."""


class RecordedVote(NamedTuple):
    """One vote of a judge: a label, or the reason why there is none; a score where it gave one.

    ``first`` is the label of the answer that was shown first. ``both_orders``
    marks a verdict that was already put together from the two orders.
    """

    judge: str
    repeat: int
    label: str | None
    reason: str | None
    score: float | None
    first: str | None
    both_orders: bool


class Rating(NamedTuple):
    """The label that one person gave to an item."""

    rater: str
    label: str


class VoteItem(NamedTuple):
    """One thing that was judged: an answer, or a pair of them.

    ``final`` is the label that people settled on, where they did. Items of one
    ``cluster`` are not independent; ``arm`` says whose answer it is.
    """

    id: str
    cluster: str | None
    tags: tuple[str, ...]
    arm: str | None
    final: str | None
    ratings: tuple[Rating, ...]
    votes: tuple[RecordedVote, ...]

    @property
    def group(self) -> str:
        """The cluster, or the item itself where the file names none."""
        return self.id if self.cluster is None else self.cluster


class VoteFile(NamedTuple):
    """A file of recorded votes, read. ``labels`` stand in their order where they have one."""

    path: str
    sha256: str
    n_rows: int
    labels: tuple[str, ...]
    items: tuple[VoteItem, ...]
