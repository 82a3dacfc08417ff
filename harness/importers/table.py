"""The rows of a results file, JSONL or CSV, one at a time and with their lines."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from typing import BinaryIO, NamedTuple

from harness.domain.canonical import strict_json
from harness.domain.errors import InputError
from harness.domain.files import MAX_LINE_BYTES, numbered_lines, open_input

Fields = Mapping[str, object]


_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class TableRow(NamedTuple):
    """One row: the line it starts on, and its fields. An empty CSV cell is null."""

    line: int
    fields: Fields


def read_table(path: Path) -> Iterator[TableRow]:
    """Yield the rows of a ``.csv`` file, or of any other file as JSON lines.

    CSV has a header line, commas, and double quotes around what holds one of
    them; every cell stays the text it is. Lines that are blank are skipped.

    Raises:
        InputError: The file cannot be read or a row is not of its format; the
            message starts with ``path:line``.
    """
    with open_input(path) as stream:
        rows = _csv_rows if path.suffix.lower() == ".csv" else _json_rows
        yield from rows(stream, path)


def _json_rows(stream: BinaryIO, path: Path) -> Iterator[TableRow]:
    for line, text in numbered_lines(stream, name=str(path)):
        if not text.strip(" \t\r"):
            continue
        try:
            value = strict_json(text)
        except ValueError as error:
            raise InputError(f"{path}:{line}: not strict JSON: {_why(error)}") from error
        if _HALF.search(text) and _has_half(value):
            raise InputError(f"{path}:{line}: found half of a surrogate pair, wanted whole characters")
        if not isinstance(value, dict):
            raise InputError(f"{path}:{line}: found {type(value).__name__}, wanted one JSON object a line")
        yield TableRow(line=line, fields=value)


def _has_half(value: object) -> bool:
    """Tell whether some text of a JSON value cannot be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _why(error: ValueError) -> str:
    return f"{error.msg} (column {error.colno})" if isinstance(error, JSONDecodeError) else str(error)


def _csv_rows(stream: BinaryIO, path: Path) -> Iterator[TableRow]:
    lines = (f"{text}\n" for _, text in numbered_lines(stream, name=str(path)))
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None
    start = 1
    with _wide_fields():
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise InputError(f"{path}:{reader.line_num}: not CSV: {error}") from error
            if cells and header is None:
                header = _header(cells, f"{path}:{start}")
            elif cells and header is not None:
                yield TableRow(line=start, fields=_fields(header, cells, f"{path}:{start}"))
            # A quoted cell may go over several lines: the next row starts after the last one.
            start = reader.line_num + 1


@contextmanager
def _wide_fields() -> Iterator[None]:
    """Let a cell be as long as a line may be; the module's own limit is one for the whole process."""
    before = csv.field_size_limit(MAX_LINE_BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _header(cells: list[str], place: str) -> list[str]:
    if len(cells) == 1 and (";" in cells[0] or "\t" in cells[0]):
        mark = "semicolons" if ";" in cells[0] else "tabs"
        raise InputError(f"{place}: found {mark} between the columns, wanted commas")
    twice = [name for name in cells if cells.count(name) > 1]
    if twice:
        raise InputError(f"{place}: column {twice[0]!r} occurs twice")
    return cells


def _fields(header: list[str], cells: list[str], place: str) -> Fields:
    if len(cells) != len(header):
        raise InputError(f"{place}: found {len(cells)} cells, wanted {len(header)} as in the header")
    return {name: cell or None for name, cell in zip(header, cells, strict=True)}
