"""Records that have an id: no two of one file may be taken for each other."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from harness.domain.cases import Anchor, Canary, Case
from harness.domain.errors import InputError
from harness.inputs.jsonl import Row, read_rows, to_record

T = TypeVar("T", Case, Canary, Anchor)

# Marks that turn the direction of writing: they make one id look like another.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_ENDS = frozenset("\u2028\u2029")


class Rows(NamedTuple, Generic[T]):
    """The records of one file, in its order, with the line of each."""

    path: Path
    lines: tuple[int, ...]
    records: tuple[T, ...]

    def place(self, index: int) -> str:
        """Return ``path:line`` of the record at this position."""
        return f"{self.path}:{self.lines[index]}"


def read_identified(path: Path, record: type[T]) -> Rows[T]:
    """Read the records of a file, each with an id of its own.

    Two ids are one when they are equal after NFKC normalisation, without
    invisible characters, and with every run of white space as one space.
    Upper and lower case stay two.

    Raises:
        InputError: The file cannot be read, a line does not fit, an id is a
            number or holds a control character, or two ids are one.
    """
    lines: list[int] = []
    records: list[T] = []
    first: dict[str, int] = {}
    for row in read_rows(path):
        _refuse_number_id(path, row)
        read = to_record(row, record, path=path)
        _refuse_control(path, row.line, read.id)
        earlier = first.setdefault(folded(read.id), len(records))
        if earlier < len(records):
            raise InputError(_same_id(path, row.line, read.id, lines[earlier], records[earlier].id))
        lines.append(row.line)
        records.append(read)
    return Rows(path=path, lines=tuple(lines), records=tuple(records))


def folded(text: str) -> str:
    """Return the text as it is compared: NFKC, nothing invisible, white space as single spaces."""
    if not text.isascii():
        normal = unicodedata.normalize("NFKC", text)
        text = "".join(char for char in normal if unicodedata.category(char) != "Cf")
    return " ".join(text.split())


def refuse_two_spellings(rows: Rows[Case], names: Callable[[Case], Iterable[str]], *, word: str) -> None:
    """Refuse names that are one after folding and are written in two ways.

    Raises:
        InputError: Two such names, with both lines.
    """
    seen: dict[str, tuple[str, int]] = {}
    for index, record in enumerate(rows.records):
        for name in names(record):
            written, earlier = seen.setdefault(folded(name), (name, index))
            if written != name:
                raise InputError(
                    f"{rows.place(index)}: {word} {name!r} is written {written!r} "
                    f"on line {rows.lines[earlier]}"
                )


def _same_id(path: Path, line: int, found: str, first_line: int, first: str) -> str:
    spelling = "" if found == first else f", written {first!r}"
    return f"{path}:{line}: id {found!r} is already on line {first_line}{spelling}"


def _refuse_control(path: Path, line: int, text: str) -> None:
    for char in text:
        if unicodedata.category(char) == "Cc" or char in _TURNING or char in _LINE_ENDS:
            raise InputError(
                f"{path}:{line}: id: found the control character U+{ord(char):04X}, wanted text without any"
            )


def _refuse_number_id(path: Path, row: Row) -> None:
    found = row.value.get("id") if isinstance(row.value, dict) else None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return
    others = [line for line in _lines_with_id(path, str(found)) if line != row.line]
    also = f"; line {others[0]} has the same id" if others else ""
    raise InputError(f'{path}:{row.line}: id: found the number {found}, wanted text such as "{found}"{also}')


def _lines_with_id(path: Path, text: str) -> Iterator[int]:
    for row in read_rows(path):
        if isinstance(row.value, dict) and str(row.value.get("id")) == text:
            yield row.line
