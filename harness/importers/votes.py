"""A file of recorded votes: JSONL or CSV rows put together by item, strictly."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.domain.errors import InputError
from harness.domain.files import text_file_digest
from harness.domain.recorded_votes import Rating, RecordedVote, VoteFile, VoteItem
from harness.importers.fields import FieldProblem
from harness.importers.table import read_table
from harness.importers.vote_logs import read_vote_log
from harness.importers.vote_rows import VoteRow, read_vote_row

_VoteKey = tuple[str, str | None, bool, int]


class _Growing:
    """An item while its rows arrive; each thing that may come once is kept with its line."""

    __slots__ = ("facts", "ratings", "votes")

    def __init__(self) -> None:
        self.facts: dict[str, tuple[int, str | tuple[str, ...]]] = {}
        self.ratings: dict[str, tuple[int, str]] = {}
        self.votes: dict[_VoteKey, tuple[int, RecordedVote]] = {}


def read_votes(path: Path, *, labels: Sequence[str] | None = None, pass_at: float | None = None) -> VoteFile:
    """Read recorded votes of judges and ratings of people.

    Every row is used: nothing is dropped, merged or averaged. A null label is
    no verdict, never a category.

    Args:
        path: The file; ``.csv`` is read as CSV, a tool's log of votes by what it
            holds, everything else as JSON lines.
        labels: The labels there are, in their order. Null: those that occur.
        pass_at: The score from which an answer passes.

    Raises:
        InputError: A row cannot be read, holds a label that is not declared,
            repeats a vote or a rater's rating, or contradicts an earlier row;
            the message starts with ``path:line``.
    """
    items: dict[str, _Growing] = {}
    known = None if labels is None else frozenset(labels)
    found: dict[str, int] = {}
    n_rows = 0
    log = read_vote_log(path)
    for line, fields in read_table(path) if log is None else log:
        try:
            row = read_vote_row(fields, pass_at=pass_at)
            for label in _labels(row):
                _check_label(label, known)
                found.setdefault(label, line)
            _take(items.setdefault(row.item, _Growing()), row, line)
        except FieldProblem as problem:
            raise InputError(f"{path}:{line}: {problem}") from problem
        n_rows += 1
    if not items:
        raise InputError(f"{path}: found no row")
    return VoteFile(
        path=str(path),
        sha256=text_file_digest(path),
        n_rows=n_rows,
        labels=_in_order(found, path) if labels is None else tuple(labels),
        items=tuple(_item(name, item) for name, item in items.items()),
    )


def _labels(row: VoteRow) -> Iterator[str]:
    yield from (rating.label for rating in row.ratings)
    if row.final is not None:
        yield row.final
    if row.vote is not None:
        yield from (label for label in (row.vote.label, row.vote.first) if label is not None)


def _check_label(label: str, known: frozenset[str] | None) -> None:
    if known is not None and label not in known:
        raise FieldProblem(f"found the label {label!r}, wanted one of {', '.join(sorted(known))}")


def _take(item: _Growing, row: VoteRow, line: int) -> None:
    """Put one row to its item, which grows here and nowhere else."""
    for name in ("cluster", "tags", "arm", "final"):
        said = getattr(row, name)
        if said is None:
            continue
        before_line, before = item.facts.setdefault(name, (line, said))
        if before != said:
            raise FieldProblem(f"item {row.item!r}: {name} is {said!r}, and {before!r} on line {before_line}")
    for rater, label in row.ratings:
        if rater in item.ratings:
            raise FieldProblem(
                f"item {row.item!r}: {rater!r} has rated it already, on line {item.ratings[rater][0]}"
            )
        item.ratings[rater] = (line, label)
    if row.vote is not None:
        _take_vote(item, row.item, row.vote, line)


def _take_vote(item: _Growing, name: str, vote: RecordedVote, line: int) -> None:
    key = (vote.judge, vote.first, vote.both_orders, vote.repeat)
    if key in item.votes:
        raise FieldProblem(
            f"item {name!r}: vote {vote.repeat} of {vote.judge!r} is already on line {item.votes[key][0]}; "
            "if it is another call, give every row its repeat"
        )
    shown_first = {first for judge, first, _, _ in item.votes if judge == vote.judge and first is not None}
    if vote.first is not None and len(shown_first | {vote.first}) > 2:
        raise FieldProblem(
            f"item {name!r}: first is {vote.first!r}, and already {sorted(shown_first)}: a pair has two"
        )
    item.votes[key] = (line, vote)


def _item(name: str, item: _Growing) -> VoteItem:
    def text(field: str) -> str | None:
        said = item.facts.get(field)
        return said[1] if said is not None and isinstance(said[1], str) else None

    tags = item.facts.get("tags", (0, ()))[1]
    votes = (vote for _, vote in item.votes.values())
    return VoteItem(
        id=name,
        cluster=text("cluster"),
        tags=tags if isinstance(tags, tuple) else (),
        arm=text("arm"),
        final=text("final"),
        ratings=tuple(Rating(rater, label) for rater, (_, label) in sorted(item.ratings.items())),
        votes=tuple(sorted(votes, key=lambda vote: (vote.judge, vote.first or "", vote.repeat))),
    )


def _in_order(found: dict[str, int], path: Path) -> tuple[str, ...]:
    """Return the labels that occur: by number where all are numbers, else by name."""
    forms: dict[str, str] = {}
    for label, line in found.items():
        twin = forms.setdefault(label.strip().casefold(), label)
        if twin != label:
            raise InputError(
                f"{path}:{line}: labels {twin!r} and {label!r} are alike; declare the right ones (--labels)"
            )
    if all(label.isascii() and label.isdigit() for label in found):
        return tuple(sorted(found, key=int))
    return tuple(sorted(found))
