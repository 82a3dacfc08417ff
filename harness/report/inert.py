"""Text that came from elsewhere, made harmless and visible on one line."""

import re
import unicodedata

NAME_LIMIT = 80
TEXT_LIMIT = 1000

# Cc: terminal escapes and line ends. Cf: bidi overrides and what has no width.
# Cs, Co, Cn: no agreed meaning. Zl, Zp: line ends to some readers.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MOST_MARKS = 2
# Copied from a page into a spreadsheet, such a cell would be run.
_FORMULA = re.compile(r"\s*(?:=|[-+@](?:.*[|!]|\s*[A-Za-z_.]+\())")


def inert(text: str, *, limit: int = TEXT_LIMIT) -> str:
    r"""Return the text as it can be shown anywhere on one line.

    Control characters, bidi overrides, characters of no width and unassigned
    ones are written out (``\x1b``, ``\u202e``); piled-up combining marks too.
    What a spreadsheet would take for a formula starts with an apostrophe. A
    text longer than ``limit`` characters is cut and says so. Markup is the
    business of the output: HTML and Markdown escape on top of this.
    """
    shown = "".join(_visible(text[:limit]))
    if _FORMULA.match(shown):
        shown = f"'{shown}"
    return shown if len(text) <= limit else f"{shown}… ({len(text):,} characters)"


def name(text: str, *, limit: int = NAME_LIMIT) -> str:
    """Return an id, a tag or a model name as it can be shown anywhere."""
    return inert(text, limit=limit)


def width(text: str) -> int:
    """Return how many columns of a terminal an inert text takes."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _visible(text: str) -> list[str]:
    shown, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        unseen = unicodedata.category(character) in _UNSEEN or marks > _MOST_MARKS
        shown.append(_written_out(character) if unseen else character)
    return shown


def _written_out(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
