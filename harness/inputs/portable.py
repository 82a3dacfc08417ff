"""Values that every JSON reader takes for the same value."""

import math
from collections.abc import Iterable, Mapping

from harness.inputs.complaints import Key, dotted

_LARGEST = 2**53 - 1


def portable_problem(value: object, keys: tuple[Key, ...] = ()) -> str | None:
    """Return why a value has no canonical JSON form, with its key, or null.

    Whole numbers beyond 2**53 lose digits in other readers, half of a
    surrogate pair is no character, and neither dates nor NaN exist in JSON.
    """
    if isinstance(value, str):
        return _text_problem(value, keys)
    if isinstance(value, Mapping):
        pairs = value.items()
        return _first(_text_problem(key, keys) or portable_problem(item, (*keys, key)) for key, item in pairs)
    if isinstance(value, list | tuple):
        return _first(portable_problem(item, (*keys, index)) for index, item in enumerate(value))
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        beyond = abs(value) > _LARGEST
        return f"{dotted(keys)}: found {value}, wanted a whole number within 2**53" if beyond else None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{dotted(keys)}: found {value}, wanted a finite number"
    return f"{dotted(keys)}: found a {type(value).__name__} ({value}), wanted text in quotes"


def _first(problems: Iterable[str | None]) -> str | None:
    return next((problem for problem in problems if problem is not None), None)


def _text_problem(text: str, keys: tuple[Key, ...]) -> str | None:
    if text.isascii():
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return f"{dotted(keys)}: half of a surrogate pair, wanted whole characters"
    return None
