"""How an answer is written: as plain text, in Markdown, with lists."""

import re
from typing import NamedTuple

# A list item at the start of a line: a bullet, or a number with a point or a bracket.
_LIST = re.compile(r"^\s{0,3}(?:[-*+] |\d{1,3}[.)] )", re.MULTILINE)
# Or a heading, a table row, a fence, or emphasis.
_MARKDOWN = re.compile(
    r"^\s{0,3}(?:#{1,6} |[-*+] |\d{1,3}[.)] |\||```|~~~)|\*\*[^*\n]+\*\*|`[^`\n]+`", re.MULTILINE
)


class AnswerFormat(NamedTuple):
    """Whether an answer has Markdown of any kind, and whether it has list items."""

    markdown: bool
    lists: bool


PLAIN = AnswerFormat(markdown=False, lists=False)


def format_of(answer: str) -> AnswerFormat:
    """Return how an answer is written. Lists are Markdown too."""
    if _MARKDOWN.search(answer) is None:
        return PLAIN
    return AnswerFormat(markdown=True, lists=_LIST.search(answer) is not None)
