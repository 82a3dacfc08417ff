"""Append-only files whose lines name one another: each line holds the digest of the one before.

An edited line, a line taken out of the middle, two lines that follow the same
one, and a new order all show. Lines taken off the end show only to someone
who knows a later entry.
"""

import fcntl
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, digest, strict_json
from harness.domain.errors import InputError, Tampered
from harness.domain.record import Chained
from harness.inputs.complaints import complaints, one_line

Line = TypeVar("Line", bound=Chained)


class ChainWords(NamedTuple):
    """What complaints call a line, several of them, and the file."""

    line: str
    lines: str
    file: str


def read_chain(
    path: Path, kind: type[Line], words: ChainWords, *, known_entries: Sequence[str]
) -> tuple[Line, ...]:
    """Read a chained file and check it.

    Args:
        path: The file; where there is none, nothing was written yet.
        kind: The record of a line.
        words: What complaints call things.
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
    lines = _chained(content, path, kind, words)
    there = {line.entry for line in lines}
    for entry in known_entries:
        if entry not in there:
            left = f"{len(lines)} {words.lines} are left"
            raise Tampered(f"{path}: the {words.line} {entry} is known and not in it; {left}")
    return lines


def append_to_chain(
    path: Path, kind: type[Line], words: ChainWords, make: Callable[[tuple[Line, ...]], Line | None]
) -> tuple[Line, ...]:
    """Write one more line, on disk before it is returned.

    Two processes at once write one after the other: the file is locked while
    the chain is read and the line is written.

    Args:
        path: The file; made where there is none.
        kind: The record of a line.
        words: What complaints call things.
        make: Returns the new line from those that are there, or null for none; it may refuse.

    Returns:
        All lines, the new one last.

    Raises:
        Tampered: The chain is broken.
        InputError: The file cannot be written, or ``make`` refuses.
    """
    try:
        with path.open("a+b") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            stream.seek(0)
            before = _chained(stream.read(), path, kind, words)
            line = make(before)
            if line is None:
                return before
            _write(stream, line)
            if not before:
                _sync_folder(path.parent)
            return (*before, line)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def _write(stream: BinaryIO, line: Chained) -> None:
    stream.write(canonical_bytes(line) + b"\n")
    stream.flush()
    os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    """Put a new file's name on disk, as its content is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _chained(content: bytes, path: Path, kind: type[Line], words: ChainWords) -> tuple[Line, ...]:
    rows = content.split(b"\n")
    if rows.pop():
        raise Tampered(f"{path}:{len(rows) + 1}: the last line breaks off")
    lines: list[Line] = []
    for number, row in enumerate(rows, start=1):
        line = _read(row.removesuffix(b"\r"), f"{path}:{number}", kind, words)
        _refuse_broken(line, lines, f"{path}:{number}", words)
        lines.append(line)
    return tuple(lines)


def _read(row: bytes, place: str, kind: type[Line], words: ChainWords) -> Line:
    try:
        strict_json(row)
        line = kind.from_json(row)
    except ValidationError as error:
        raise Tampered(f"{place}: no {words.line}: {one_line(complaints(error, kind))}") from error
    except ValueError as error:
        raise Tampered(f"{place}: no {words.line}: {error}") from error
    if canonical_bytes(line) != row:
        raise Tampered(f"{place}: not the bytes that were written")
    return line


def _refuse_broken(line: Chained, before: Sequence[Chained], place: str, words: ChainWords) -> None:
    fields = line.model_dump(mode="json", exclude={"entry"})
    if digest(fields) != line.entry:
        raise Tampered(f"{place}: edited: its entry is {line.entry}, its content has another digest")
    if line.number != len(before) + 1:
        raise Tampered(f"{place}: found {words.line} {line.number}, wanted {words.line} {len(before) + 1}")
    previous = before[-1].entry if before else None
    if line.previous != previous:
        raise Tampered(f"{place}: follows {line.previous}, wanted {previous}: the {words.file} forks here")
