"""The lines of a redacted copy: what everybody sees, a commitment to every text, and the texts shown."""

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import Tampered
from harness.domain.redacted import CommittedLine, CommittedPart, LineKind, Opening, Part, RedactedLine
from harness.redaction.commitments import commitment, salt_of


class Draft(NamedTuple):
    """A line before it is committed to: what everybody will see, and its texts by part."""

    kind: LineKind
    clear: Mapping[str, Any]
    texts: Mapping[Part, Mapping[str, Any]]


def committed(draft: Draft, *, secret: bytes, index: int) -> RedactedLine:
    """Return the line with this index, with a commitment to every part; all of them are shown."""
    salts = {part: salt_of(secret, index=index, part=part) for part in draft.texts}
    return RedactedLine(
        committed=CommittedLine(
            kind=draft.kind,
            clear=draft.clear,
            parts=tuple(
                CommittedPart(part=part, commitment=commitment(salts[part], content))
                for part, content in draft.texts.items()
            ),
        ),
        shown=tuple(
            Opening(part=part, salt=salts[part].hex(), content=content)
            for part, content in draft.texts.items()
        ),
    )


def without(line: RedactedLine, parts: Set[Part]) -> RedactedLine:
    """Return the line with these parts withheld."""
    return line.model_copy(update={"shown": tuple(each for each in line.shown if each.part not in parts)})


def n_texts_of(line: RedactedLine) -> tuple[int, int]:
    """Return how many texts a line has, and how many of them it shows. A verdict is no text."""
    n_all = sum(each.part != "verdict" for each in line.committed.parts)
    return n_all, sum(each.part != "verdict" for each in line.shown)


def leaf(line: RedactedLine) -> bytes:
    """Return the bytes that stand in the tree: the same whatever is shown."""
    return canonical_bytes(line.committed)


def leaf_of(draft: Draft, *, secret: bytes, index: int) -> bytes:
    """Return the leaf of a line with this index, without making the line: a large run has millions."""
    parts = [
        {"part": part, "commitment": commitment(salt_of(secret, index=index, part=part), content)}
        for part, content in draft.texts.items()
    ]
    return canonical_bytes({"kind": draft.kind, "clear": draft.clear, "parts": parts})


def problem(line: RedactedLine) -> str | None:
    """Return what is wrong with the parts that a line shows, or null."""
    wanted = {each.part: each.commitment for each in line.committed.parts}
    if len(wanted) < len(line.committed.parts) or len({each.part for each in line.shown}) < len(line.shown):
        return "a part stands there twice"
    for each in line.shown:
        if each.part not in wanted:
            return f"{each.part}: shown, and nobody committed to it"
        if commitment(bytes.fromhex(each.salt), each.content) != wanted[each.part]:
            return (
                f"{each.part}: does not open its commitment: it is another text, or the salt is the wrong one"
            )
    return None


def read_line(content: bytes, *, place: str) -> RedactedLine:
    """Read one line, in the bytes that were written and no others.

    Raises:
        Tampered: It is no such line.
    """
    try:
        strict_json(content)
        found = RedactedLine.from_json(content)
    except (ValidationError, ValueError) as cause:
        raise Tampered(f"{place}: not a line of a redacted run") from cause
    if canonical_bytes(found) != content:
        raise Tampered(f"{place}: not in the bytes that the harness wrote")
    if not _says_what_it_is(found.committed):
        raise Tampered(f"{place}: says not what it is about")
    return found


def _says_what_it_is(line: CommittedLine) -> bool:
    """Return whether a line has what is looked at before it is known to be the one committed to."""
    about = line.clear.get("subject" if line.kind == "record" else "fields")
    if not isinstance(about, Mapping):
        return False
    if line.kind == "record":
        return isinstance(about.get("kind"), str) and isinstance(about.get("id"), str)
    return line.kind == "plan" or isinstance(about.get("id"), str)
