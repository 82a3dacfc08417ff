"""The ledger of looks: every opening of a held-out split, in order, none taken back.

Each line names the one before by its digest, so an edit, a line taken out of
the middle, two lines that follow the same one, and a new order all show. Lines
taken off the end show only to someone who knows a later entry: every report
carries the one that was last when it was made.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, digest, strict_json
from harness.domain.errors import InputError, Tampered
from harness.domain.plan import Look
from harness.inputs.complaints import complaints, one_line

Released = Literal["numbers", "decision"]


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
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = b""
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    looks = _chained(content, path)
    there = {look.entry for look in looks}
    for entry in known_entries:
        if entry not in there:
            raise Tampered(f"{path}: the look {entry} is known and not in it; {len(looks)} looks are left")
    return looks


def append_look(path: Path, opening: Opening, *, at_most: int | None) -> Look:
    """Write one more look, on disk before it is returned.

    Two processes at once write one after the other: the file is locked while
    the chain is read and the line is written.

    Args:
        path: The ledger; made where there is none.
        opening: The look.
        at_most: How many looks there may be, this one included; null for no limit.

    Raises:
        Tampered: The ledger's chain is broken.
        InputError: The looks are used up, or the file cannot be written.
    """
    try:
        with path.open("a+b") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            return _append(stream, path, opening, at_most)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def make_look(opening: Opening, *, number: int, previous: str | None) -> Look:
    """Return the look with its place in the chain. ``previous`` is null for the first."""
    fields = {**opening._asdict(), "number": number, "previous": previous}
    return Look(**fields, entry=digest(fields))


def _append(stream: BinaryIO, path: Path, opening: Opening, at_most: int | None) -> Look:
    stream.seek(0)
    looks = _chained(stream.read(), path)
    if at_most is not None and len(looks) >= at_most:
        raise InputError(f"{path}: {len(looks)} of {at_most} looks are used up")
    previous = looks[-1].entry if looks else None
    look = make_look(opening, number=len(looks) + 1, previous=previous)
    stream.write(canonical_bytes(look) + b"\n")
    stream.flush()
    os.fsync(stream.fileno())
    if not looks:
        _sync_folder(path.parent)
    return look


def _sync_folder(folder: Path) -> None:
    """Put a new file's name on disk, as its content is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _chained(content: bytes, path: Path) -> tuple[Look, ...]:
    lines = content.split(b"\n")
    if lines.pop():
        raise Tampered(f"{path}:{len(lines) + 1}: the last line breaks off")
    looks: list[Look] = []
    for number, line in enumerate(lines, start=1):
        look = _read(line.removesuffix(b"\r"), f"{path}:{number}")
        _refuse_broken(look, looks, f"{path}:{number}")
        looks.append(look)
    return tuple(looks)


def _read(line: bytes, place: str) -> Look:
    try:
        strict_json(line)
        look = Look.from_json(line)
    except ValidationError as error:
        raise Tampered(f"{place}: no look: {one_line(complaints(error, Look))}") from error
    except ValueError as error:
        raise Tampered(f"{place}: no look: {error}") from error
    if canonical_bytes(look) != line:
        raise Tampered(f"{place}: not the bytes that were written")
    return look


def _refuse_broken(look: Look, before: Sequence[Look], place: str) -> None:
    fields = look.model_dump(mode="json", exclude={"entry"})
    if digest(fields) != look.entry:
        raise Tampered(f"{place}: edited: its entry is {look.entry}, its content has another digest")
    if look.number != len(before) + 1:
        raise Tampered(f"{place}: found look {look.number}, wanted look {len(before) + 1}")
    previous = before[-1].entry if before else None
    if look.previous != previous:
        raise Tampered(f"{place}: follows {look.previous}, wanted {previous}: the ledger forks here")
