"""TOML files into records, and every complaint with its line and key."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from harness.domain.errors import InputError
from harness.domain.files import read_text
from harness.domain.record import Record
from harness.inputs.complaints import Key, complaints, one_line
from harness.inputs.portable import portable_problem

R = TypeVar("R", bound=Record)

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*\[(\[)?\s*({_DOTTED})\s*\]")
_PAIR = re.compile(rf"\s*({_DOTTED})\s*=")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_TEXT = re.compile(r'"""|' + "'''")


def read_toml(path: Path, record: type[R]) -> R:
    """Return the record that a TOML file holds.

    Raises:
        InputError: The file cannot be read, is not TOML, or does not fit the
            record; the message starts with ``path:line``.
    """
    text = read_text(path)
    values = _parsed(path, text)
    problem = portable_problem(values)
    if problem is not None:
        line = line_of(text, _keys(problem.partition(":")[0]))
        raise InputError(f"{placed(path, line)}: {problem}")
    try:
        # JSON is the one strict door: there a list becomes a tuple, and "3" stays text.
        return record.from_json(json.dumps(values))
    except ValidationError as error:
        told = complaints(error, record)
        line = line_of(text, told[0].keys)
        raise InputError(f"{placed(path, line)}: {one_line(told)}") from error


def placed(path: Path, line: int | None) -> str:
    """Return ``path:line``, or the path alone where no line is known."""
    return str(path) if line is None else f"{path}:{line}"


def line_of(text: str, keys: Sequence[Key]) -> int | None:
    """Return the line on which the value under these keys is written.

    Where the key itself is not there, as for one that is missing, it is the
    line of the closest table around it; null where there is none.

    Args:
        text: A TOML document.
        keys: The keys from the top; positions in lists are passed over.
    """
    wanted = tuple(key for key in keys if isinstance(key, str))
    best: tuple[int, int] | None = None
    for number, written in _written_keys(text):
        depth = len(written)
        if written == wanted[:depth] and (best is None or depth > best[0]):
            best = (depth, number)
    return None if best is None else best[1]


def _parsed(path: Path, text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        place = _PLACE.search(said)
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        column = f" (column {place[2]})" if place and place[2] else ""
        raise InputError(f"{path}:{line}: not TOML: {_PLACE.sub('', said)}{column}") from error
    except RecursionError as error:
        raise InputError(f"{path}: not TOML: nested too deeply") from error


def _written_keys(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return every key of the document with its line, from the top table down.

    What stands inside a text of many lines is no key. A key inside an inline
    table is not looked for: the line of its table is close enough.
    """
    found: list[tuple[int, tuple[str, ...]]] = []
    table: tuple[str, ...] = ()
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        header, pair = _HEADER.match(line), _PAIR.match(line)
        if not inside and header:
            table = _keys(header[2])
            found.append((number, table))
        elif not inside and pair:
            found.append((number, (*table, *_keys(pair[1]))))
        if len(_LONG_TEXT.findall(line)) % 2:
            inside = not inside
    return found


def _keys(written: str) -> tuple[str, ...]:
    bare = re.sub(r"\[\d+\]", "", written)
    return tuple(key.strip("\"'") for key in re.findall(_KEY, bare))
