"""What every foreign log becomes: rows of a results file, and what the log cannot tell."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.domain.errors import InputError
from harness.domain.files import numbered_lines, open_input, read_text
from harness.importers.table import TableRow

MAX_LOG_BYTES = 512 * 2**20
"""The largest log that is read as one JSON document, in bytes."""

Json = Mapping[str, Any]


class Part(BaseModel):
    """The part of a foreign record that is read; what else stands there is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


P = TypeVar("P", bound=Part)


class ToolLog(NamedTuple):
    """A peer tool's log, read.

    Attributes:
        tool: Whose log it is.
        rows: One an answer, with the fields of a results file; the line is that
            of the log, or the number of the row where the log has no lines.
        graded_by: What gave the grades, as far as the log tells. Two logs that
            were graded by something else are not comparable.
        notes: What was left out, and what the log cannot tell.
    """

    tool: str
    rows: tuple[TableRow, ...]
    graded_by: str | None
    notes: tuple[str, ...]


def read_part(kind: type[P], value: object, *, where: str) -> P:
    """Return the part of a record that is wanted.

    Args:
        kind: What is wanted.
        value: The record, as JSON has it.
        where: Its file and place, for the message.

    Raises:
        InputError: It is not of that form.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise InputError(f"{where}: {place}: {first['msg']}") from error


def log_json(text: str) -> Any:
    """Read JSON as these tools write it.

    Python's NaN and Infinity become null, which is no score. A key that occurs
    twice is refused: two readers could take it for two values.

    Raises:
        ValueError: The text is not such JSON.
    """
    try:
        return json.loads(text, parse_constant=lambda _: None, object_pairs_hook=_once)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def read_document(path: Path) -> Any:
    """Return the one JSON value of a file.

    Raises:
        InputError: The file cannot be read, is too large, or is not JSON.
    """
    if path.is_file() and path.stat().st_size > MAX_LOG_BYTES:
        raise InputError(
            f"{path}: found more than {MAX_LOG_BYTES} bytes, the largest log read as one document"
        )
    try:
        return log_json(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error


def first_line(path: Path) -> Any:
    """Return the value of the first line that is not blank; null where it is not one by itself.

    Raises:
        InputError: The file cannot be read.
    """
    with open_input(path) as stream:
        try:
            for _, text in numbered_lines(stream, name=str(path)):
                if text.strip(" \t\r"):
                    return log_json(text)
        except (InputError, ValueError):
            # Too long for a line, or the start of a document: whoever reads it whole complains.
            return None
    return None


def log_rows(path: Path) -> tuple[TableRow, ...]:
    """Return the rows of a log that has one JSON object a line.

    Raises:
        InputError: The file cannot be read, or a line is not such an object.
    """
    rows = []
    with open_input(path) as stream:
        for line, text in numbered_lines(stream, name=str(path)):
            if not text.strip(" \t\r"):
                continue
            try:
                value = log_json(text)
            except ValueError as error:
                raise InputError(f"{path}:{line}: not JSON: {error}") from error
            if not isinstance(value, dict):
                raise InputError(
                    f"{path}:{line}: found {type(value).__name__}, wanted one JSON object a line"
                )
            rows.append(TableRow(line, value))
    return tuple(rows)


def chosen(names: Sequence[str], wanted: str | None, *, path: Path, what: str, option: str) -> str:
    """Return the one of the names that is wanted, or the only one there is.

    Args:
        names: What the log has, in its order.
        wanted: What the user named; null where nothing was.
        path: The log, for the message.
        what: What the names are, such as ``scorers``.
        option: How one is named on the command line.

    Raises:
        InputError: Several stand there and none was named, or the named one does not.
    """
    listed = ", ".join(names)
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"{path}: {option}: found {wanted!r}, wanted one of its {what}: {listed}")
        return wanted
    if len(names) > 1:
        raise InputError(f"{path}: found {len(names)} {what}, wanted one by {option}: {listed}")
    if not names:
        raise InputError(f"{path}: found no score in this log")
    return names[0]


def content_digest(asked: object) -> str:
    """Return the digest of what a case asks, by which two logs are held together."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} occurs twice")
    return found
