"""Deterministic checks a case may carry instead of being judged."""

from typing import Annotated, Literal

from pydantic import Field

from harness.domain.record import JsonObject, Positive, Record, Share, Text

Place = Literal["whole", "last-line", "marker"]
"""Where in an answer a value stands: all of it, its last line that is not
blank, or what follows ``marker`` at the start of the only line that has it."""


class Exact(Record):
    """The answer, white space at both ends removed, is this text."""

    kind: Literal["exact"]
    expected: str
    ignore_case: bool = False


class Contains(Record):
    """All (or any) of these texts occur in the answer."""

    kind: Literal["contains"]
    texts: Annotated[tuple[Text, ...], Field(min_length=1)]
    need: Literal["all", "any"]
    ignore_case: bool = False


class NotContains(Record):
    """All (or any) of these texts are absent from the answer."""

    kind: Literal["not-contains"]
    texts: Annotated[tuple[Text, ...], Field(min_length=1)]
    need: Literal["all", "any"]
    ignore_case: bool = False


class Matches(Record):
    """A regular expression (RE2 syntax: linear time) matches somewhere, or the whole answer."""

    kind: Literal["regex"]
    pattern: Text
    where: Literal["anywhere", "whole"] = "anywhere"


class IsJson(Record):
    """The answer is one JSON value; ``fenced`` also allows one Markdown fence around all of it."""

    kind: Literal["json"]
    fenced: bool = False


class FitsSchema(Record):
    """The answer is JSON that fits this JSON Schema."""

    kind: Literal["json-schema"]
    fits: JsonObject
    fenced: bool = False


class Number(Record):
    """The number at the stated place is within the tolerance of the expected one."""

    kind: Literal["number"]
    expected: float
    at: Place
    marker: Text | None = None
    absolute: Annotated[float, Field(ge=0)] = 0.0
    relative: Annotated[float, Field(ge=0)] = 0.0


class Choice(Record):
    """The choice label at the stated place is the expected one."""

    kind: Literal["choice"]
    expected: Text
    choices: Annotated[tuple[Text, ...], Field(min_length=2)]
    at: Place
    marker: Text | None = None


class RecallAtK(Record):
    """Share of the positives among the first k ranked items; passes from ``at_least`` on.

    ``recall`` divides by the number of positives. ``capped-recall`` divides by
    min(positives, k), which is another metric. A case without positives has no
    verdict (``not_applicable``): it is coverage, neither 0 nor 1.
    """

    kind: Literal["recall", "capped-recall"]
    positives: tuple[Text, ...]
    k: Positive
    at_least: Share
    ranked: Literal["json", "lines"]


Check = Annotated[
    Exact | Contains | NotContains | Matches | IsJson | FitsSchema | Number | Choice | RecallAtK,
    Field(discriminator="kind"),
]
