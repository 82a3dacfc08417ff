"""The ledger of looks: every opening of a held-out split, in order, none taken back.

Lines taken off its end show only to someone who knows a later entry: every
report carries the one that was last when it was made.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from harness.domain.canonical import digest
from harness.domain.errors import InputError
from harness.domain.plan import Look
from harness.inputs.chain import ChainWords, append_to_chain, read_chain

Released = Literal["numbers", "decision"]

_WORDS = ChainWords(line="look", lines="looks", file="ledger")


class Opening(NamedTuple):
    """What is known of a look before it is written. ``opened_at`` is UTC, ISO 8601."""

    opened_at: str
    gold: str
    run: str
    plan_sha256: str
    released: Released
    alpha: float | None = None


def read_looks(path: Path, *, known_entries: Sequence[str] = ()) -> tuple[Look, ...]:
    """Read a ledger and check its chain.

    Args:
        path: The file; where there is none, nothing was opened yet.
        known_entries: Entries that other documents say were there.

    Raises:
        Tampered: A line was edited, added, moved or taken out, or an entry that
            is known is missing.
        InputError: The file cannot be read.
    """
    return read_chain(path, Look, _WORDS, known_entries=known_entries)


def append_look(path: Path, opening: Opening, *, at_most: int | None, past_budget: bool = False) -> Look:
    """Write one more look, on disk before it is returned.

    Args:
        path: The ledger; made where there is none.
        opening: The look.
        at_most: How many looks there may be, this one included; null for no limit.
        past_budget: Write one more all the same; there is no alpha left for it.

    Raises:
        Tampered: The ledger's chain is broken.
        InputError: The looks are used up, or the file cannot be written.
    """

    def make(looks: tuple[Look, ...]) -> Look:
        if not past_budget:
            refuse_spent(looks, at_most, path)
        spent = at_most is not None and len(looks) >= at_most
        previous = looks[-1].entry if looks else None
        affordable = opening._replace(alpha=None) if spent else opening
        return make_look(affordable, number=len(looks) + 1, previous=previous)

    return append_to_chain(path, Look, _WORDS, make)[-1]


def refuse_spent(looks: Sequence[Look], at_most: int | None, path: Path) -> None:
    """Refuse one look more than the budget allows.

    Raises:
        InputError: The looks are used up.
    """
    if at_most is not None and len(looks) >= at_most:
        raise InputError(
            f"{path}: {len(looks)} of {at_most} looks are used up; "
            "--past-budget opens all the same, and the result is then exploratory"
        )


def make_look(opening: Opening, *, number: int, previous: str | None) -> Look:
    """Return the look with its place in the chain. ``previous`` is null for the first."""
    fields = {**opening._asdict(), "number": number, "previous": previous}
    return Look(**fields, entry=digest(fields))
