"""The files of a copy that withholds texts: its lines, and what its run was committed to."""

from collections.abc import Mapping
from typing import Any, Literal

from harness.domain.record import Count, JsonObject, Positive, Record, Sha256

LineKind = Literal["plan", "canary", "anchor", "case", "record"]
Part = Literal["prompt", "reference", "answer", "templates", "judge_prompt", "request", "response", "verdict"]


class CommittedPart(Record):
    """A commitment to one part of a line."""

    part: Part
    commitment: Sha256


class CommittedLine(Record):
    """A line as it was committed to: a leaf of the signed tree. ``clear`` holds what is never withheld."""

    kind: LineKind
    clear: JsonObject
    parts: tuple[CommittedPart, ...]


class Opening(Record):
    """One part, shown: with its salt it opens its commitment."""

    part: Part
    salt: Sha256
    content: JsonObject


class RedactedLine(Record):
    """One line of ``redacted.jsonl``: a leaf, and those of its parts that are shown."""

    committed: CommittedLine
    shown: tuple[Opening, ...]

    def content(self, part: Part) -> Mapping[str, Any] | None:
        """Return what is shown of a part; null where it is withheld."""
        return next((each.content for each in self.shown if each.part == part), None)


class Commitments(Record):
    """``commitments.json``: the root over the committed lines of a run, plan first, then evidence.

    It is signed, so that a copy without texts still stands under the
    signature of the whole. The digests say what was committed to.
    """

    version: Literal["1"] = "1"
    n_lines: Positive
    n_records: Count
    merkle_root: Sha256
    plan_sha256: Sha256
    evidence_sha256: Sha256
    timings_sha256: Sha256
