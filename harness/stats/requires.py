"""What the functions of this room accept: each check names the value it refuses."""

from __future__ import annotations

import math
from numbers import Integral, Real


def require_count(name: str, value: object) -> int:
    """Return a count as an int.

    Args:
        name: What the count is called, for the message.
        value: The count. Integers only, of Python or of numpy; a bool is no count.

    Raises:
        ValueError: The value is not an integer, or below 0.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole count, got {value!r} of type {type(value).__name__}")
    count = int(value)
    if count < 0:
        raise ValueError(f"{name} must not be negative, got {count}")
    return count


def require_positive_count(name: str, value: object) -> int:
    """Return a count of at least one as an int.

    Raises:
        ValueError: The value is not an integer, or below 1.
    """
    count = require_count(name, value)
    if count == 0:
        raise ValueError(f"{name} must be at least 1, got 0")
    return count


def require_part(name: str, part: int, whole_name: str, whole: int) -> None:
    """Refuse a part that is larger than its whole.

    Raises:
        ValueError: `part` exceeds `whole`.
    """
    if part > whole:
        raise ValueError(f"{name} = {part} must not exceed {whole_name} = {whole}")


def require_number(name: str, value: object) -> float:
    """Return a finite real number as a float.

    Raises:
        ValueError: The value is a bool, no real number, NaN or infinite.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} must be a number, got {value!r} of type {type(value).__name__}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    return number


def require_inside(name: str, value: object, low: float, high: float) -> float:
    """Return a number strictly between two limits as a float.

    Raises:
        ValueError: The value is no finite number, or not inside (low, high).
    """
    number = require_number(name, value)
    if not low < number < high:
        raise ValueError(f"{name} must lie strictly between {low:g} and {high:g}, got {number:g}")
    return number


def require_within(name: str, value: object, low: float, high: float) -> float:
    """Return a number between two limits, limits included, as a float.

    Raises:
        ValueError: The value is no finite number, or not within [low, high].
    """
    number = require_number(name, value)
    if not low <= number <= high:
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {number:g}")
    return number
