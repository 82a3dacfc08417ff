"""Checks of the answer's text: exact, contains, not-contains, regular expression."""

from functools import lru_cache
from typing import Any

import re2

from harness.domain.checks import Contains, Exact, Matches, NotContains

MAX_PATTERN_CHARS = 10_000


def is_exactly(check: Exact, answer: str) -> bool:
    """Return whether the answer, white space at both ends removed, is the expected text."""
    return _cased(answer.strip(), ignore_case=check.ignore_case) == _cased(
        check.expected, ignore_case=check.ignore_case
    )


def contains(check: Contains, answer: str) -> bool:
    """Return whether all (or any) of the texts occur in the answer."""
    return _hold(check, [_occurs(text, answer, ignore_case=check.ignore_case) for text in check.texts])


def lacks(check: NotContains, answer: str) -> bool:
    """Return whether all (or any) of the texts are absent from the answer."""
    return _hold(check, [not _occurs(text, answer, ignore_case=check.ignore_case) for text in check.texts])


def matches(check: Matches, answer: str) -> bool:
    """Return whether the pattern matches somewhere, or all of the answer without white space at its ends.

    RE2 takes time linear in the length of the answer, whatever the pattern.

    References:
        https://github.com/google/re2/wiki/Syntax
    """
    pattern = compiled(check.pattern)
    # Bytes, which RE2 works on anyway: of a text its wrapper would count every character before a match.
    if check.where == "whole":
        return pattern.fullmatch(answer.strip().encode("utf-8")) is not None
    return pattern.search(answer.encode("utf-8")) is not None


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """Return the compiled RE2 pattern.

    Raises:
        re2.error: RE2 cannot take the pattern.
    """
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def pattern_problem(pattern: str) -> str | None:
    """Return why RE2 cannot take the pattern, or null."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"a pattern of {len(pattern)} characters, at most {MAX_PATTERN_CHARS} are taken"
    try:
        compiled(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if error.args else error
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        return f"RE2 cannot take {pattern!r}: {text}"
    return None


def exact_problem(check: Exact) -> str | None:
    """Return why no answer could be the expected text, or null."""
    if check.expected != check.expected.strip():
        return f"expected: {check.expected!r} has white space at its ends, and an answer is read without it"
    return None


def _hold(check: Contains | NotContains, facts: list[bool]) -> bool:
    return all(facts) if check.need == "all" else any(facts)


def _occurs(text: str, answer: str, *, ignore_case: bool) -> bool:
    return _cased(text, ignore_case=ignore_case) in _cased(answer, ignore_case=ignore_case)


def _cased(text: str, *, ignore_case: bool) -> str:
    return text.casefold() if ignore_case else text
