"""Where in an answer a value stands, and reading it as a number or a choice.

A check is a statement about the text of an answer: it holds, or it does not.
What stands at the place in another form than the one asked for (a unit, a
separator of thousands, two candidates) is not guessed at, and the check fails.
"""

import re
from fractions import Fraction

from harness.domain.checks import Choice, Number, Place
from harness.graders.folding import folded, trimmed

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
MAX_NUMBER_CHARS = 400


def value_at(answer: str, *, at: Place, marker: str | None) -> str | None:
    """Return the text at the place, white space removed, or null where there is none.

    ``whole`` is all of the answer, ``last-line`` its last line that is not
    blank, ``marker`` what follows the marker on the only line that starts with
    it (spelled as it is, after white space).
    """
    if at == "whole":
        return answer.strip()
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if at == "last-line":
        return lines[-1] if lines else None
    marked = [line for line in lines if marker is not None and line.startswith(marker)]
    return marked[0].removeprefix(marker or "").strip() if len(marked) == 1 else None


def number_is_near(check: Number, answer: str) -> bool:
    """Return whether the number at the place is within the tolerance of the expected one.

    The tolerance is the larger of ``absolute`` and ``relative`` times the size
    of the expected value, both ends included; it is compared exactly, in
    fractions of the decimal numbers as they are written.
    """
    value = number_in(value_at(answer, at=check.at, marker=check.marker))
    if value is None:
        return False
    expected = exact(check.expected)
    allowed = max(exact(check.absolute), exact(check.relative) * abs(expected))
    return abs(value - expected) <= allowed


def number_in(text: str | None) -> Fraction | None:
    """Return the number that the text is, or null.

    The written rule: ASCII digits with an optional sign, decimal point and
    exponent, nothing else beside Markdown emphasis, quotes and one full stop
    around it. No unit, no separator of thousands, no decimal comma, no digit of
    another script, no nan, no infinity.
    """
    if text is None or len(text) > MAX_NUMBER_CHARS:
        return None
    bare = trimmed(text)
    return Fraction(bare) if _NUMBER.fullmatch(bare) else None


def exact(number: float) -> Fraction:
    """Return the decimal number as it is written: 0.1 is one tenth."""
    return Fraction(repr(number))


def choice_is_right(check: Choice, answer: str) -> bool:
    """Return whether the choice at the place is the expected one.

    The text at the place, without Markdown emphasis, quotes and one full stop
    around it, must be one of the choices; case does not count.
    """
    value = value_at(answer, at=check.at, marker=check.marker)
    if value is None:
        return False
    given = [choice for choice in check.choices if folded(choice) in {folded(value), folded(trimmed(value))}]
    return given == [check.expected]


def place_problem(check: Number | Choice) -> str | None:
    """Return why the place cannot be found, or null."""
    if check.at == "marker" and not (check.marker or "").strip():
        return 'marker: wanted with at = "marker"'
    if check.at != "marker" and check.marker is not None:
        return f'marker: given, and at = "{check.at}" does not look for one'
    return None


def choice_problem(check: Choice) -> str | None:
    """Return why the choices cannot be told apart or the expected one is missing, or null."""
    if check.expected not in check.choices:
        return f"expected: {check.expected!r} is not one of the choices {list(check.choices)}"
    if len({folded(choice) for choice in check.choices}) != len(check.choices):
        return "choices: two of them are one word, apart from case and width"
    return place_problem(check)
