"""One Markdown fence around all of a text."""

import re

_OPENING = re.compile(r"(`{3,})[A-Za-z0-9_+.-]*")


def unfenced(text: str) -> str | None:
    """Return what stands inside the one fence that spans the whole text, or null where none does.

    A fence that begins or ends in the middle, and a text of several fences,
    are no such thing: nothing is cut out of a longer text.
    """
    first, _, rest = text.strip().partition("\n")
    opening = _OPENING.fullmatch(first.rstrip())
    if opening is None:
        return None
    ticks = opening[1]
    inside, _, last = rest.rpartition("\n")
    if last.strip() != ticks or any(line.lstrip().startswith(ticks) for line in inside.splitlines()):
        return None
    return inside
