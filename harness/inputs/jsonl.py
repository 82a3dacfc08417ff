"""JSON lines: one record a line, and every complaint with its line."""

from collections.abc import Iterator
from json import JSONDecodeError
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from harness.domain.canonical import strict_json
from harness.domain.errors import InputError
from harness.domain.files import MAX_LINE_BYTES, numbered_lines, open_input
from harness.domain.record import Record
from harness.inputs.complaints import complaints, one_line
from harness.inputs.portable import portable_problem

R = TypeVar("R", bound=Record)


class Row(NamedTuple):
    """One line of a file: its number from 1, its text, and the JSON value it holds."""

    line: int
    text: str
    value: object


def read_jsonl(
    path: Path, record: type[R], *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, R]]:
    """Yield every record of a file with its line number.

    A byte-order mark and CRLF ends are read as if they were not there; only LF
    ends a line. Lines with nothing but spaces and tabs are skipped and counted
    as lines.

    Args:
        path: The file.
        record: What every line holds.
        max_line_bytes: The longest line that is read.

    Raises:
        InputError: The file cannot be read, or a line is not strict JSON of
            that record; the message starts with ``path:line``.
    """
    for row in read_rows(path, max_line_bytes=max_line_bytes):
        yield row.line, to_record(row, record, path=path)


def read_rows(path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Row]:
    """Yield every line that is not blank as strict JSON.

    Raises:
        InputError: The file cannot be read, or a line is not strict JSON.
    """
    with open_input(path) as stream:
        for line, text in numbered_lines(stream, name=str(path), max_bytes=max_line_bytes):
            if not text.strip(" \t\r"):
                continue
            try:
                yield Row(line=line, text=text, value=strict_json(text))
            except ValueError as error:
                raise InputError(f"{path}:{line}: not strict JSON: {_why(error)}") from error


def to_record(row: Row, record: type[R], *, path: Path) -> R:
    """Return the record that a row holds.

    Raises:
        InputError: The row does not fit the record.
    """
    problem = portable_problem(row.value)
    if problem is not None:
        raise InputError(f"{path}:{row.line}: {problem}")
    try:
        return record.from_json(row.text)
    except ValidationError as error:
        raise InputError(f"{path}:{row.line}: {one_line(complaints(error, record))}") from error


def _why(error: ValueError) -> str:
    return f"{error.msg} (column {error.colno})" if isinstance(error, JSONDecodeError) else str(error)
