"""What is withheld: which kinds of text, and of which cases."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from harness.domain.redacted import CommittedLine, Part

Field = Literal["prompts", "references", "answers", "replies", "templates", "judge-prompt"]
FIELDS: tuple[Field, ...] = get_args(Field)
CASE_FIELDS: frozenset[Field] = frozenset({"prompts", "references", "answers", "replies"})
"""The texts of cases, and of the canaries and anchors beside them."""

_PLAN_PARTS: Mapping[Field, Part] = {"templates": "templates", "judge-prompt": "judge_prompt"}
_ITEM_PARTS: Mapping[Field, Part] = {"prompts": "prompt", "references": "reference", "answers": "answer"}


class Selection(NamedTuple):
    """What is withheld.

    ``fields`` are withheld from the ``cases`` (null: from all), and from every
    canary and anchor, which may repeat a case's texts. Of the cases in
    ``closed`` every text is withheld, and every verdict.
    """

    fields: frozenset[Field]
    cases: frozenset[str] | None
    closed: frozenset[str]

    @property
    def withholds_of_the_plan(self) -> bool:
        """Whether any text is withheld that stands in the plan."""
        return bool(self.closed or self.fields - {"replies"})

    def withheld(self, line: CommittedLine) -> frozenset[Part]:
        """Return the parts of a line that are withheld."""
        if line.kind == "plan":
            return frozenset(part for field, part in _PLAN_PARTS.items() if field in self.fields)
        if line.kind == "record":
            return self._of_record(line)
        fields = self._of(line.kind, line.clear["fields"]["id"])
        return frozenset(part for field, part in _ITEM_PARTS.items() if field in fields)

    def _of(self, kind: str, item: str) -> frozenset[Field]:
        if kind == "case" and item in self.closed:
            return CASE_FIELDS
        if kind == "case" and self.cases is not None and item not in self.cases:
            return frozenset()
        return self.fields & CASE_FIELDS

    def _of_record(self, line: CommittedLine) -> frozenset[Part]:
        subject = line.clear["subject"]
        fields = self._of(subject["kind"], subject["id"])
        text: Field = "answers" if line.clear["role"] == "answer" else "replies"
        hidden: set[Part] = {"response"} if text in fields else set()
        if subject["kind"] == "case" and subject["id"] in self.closed:
            hidden.add("verdict")
        # A request is named by a digest of what it holds: a short prompt could be guessed from it.
        if fields or self.fields - CASE_FIELDS:
            hidden.add("request")
        return frozenset(hidden)
