"""A plan as committed lines, and a plan again from lines that withhold some of its texts.

Where a text is withheld, a stand-in takes its place that leads to the same
numbers: an answer of people's as long and as formatted, checks that grade a
canary alike.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from harness.domain.canonical import canonical_bytes
from harness.domain.cases import Anchor, Canary, Outcome
from harness.domain.errors import Tampered
from harness.domain.formats import format_of
from harness.domain.plan import Plan
from harness.domain.record import Record, thaw
from harness.domain.redacted import LineKind, Part, RedactedLine
from harness.domain.verdicts import Graded, NoVerdict
from harness.redaction.lines import Draft

_R = TypeVar("_R", bound=Record)

_WITHHELD = "withheld"
# No check looks at a text of this length.
_TOO_LONG = 2_000_001
# A stand-in takes as much memory as the text it stands for; whoever wrote the line may ask for any.
_LONGEST = 10_000_000


class TextReading(Record):
    """The length of a text, whether it is Markdown, and whether it has lists."""

    n_chars: Annotated[int, Field(ge=0, le=_LONGEST)] = 0
    markdown: bool = False
    lists: bool = False


class ItemReading(TextReading):
    """What numbers need of an item beside its fields.

    Whether checks grade it, and what they came to; the length of an anchor's
    answer, and how it is written; the same of its ``other`` answer.
    """

    is_checked: bool = False
    outcome: Outcome | None = None
    reason: NoVerdict | None = None
    other: TextReading | None = None


ITEM_TEXTS: Mapping[Literal["canary", "anchor", "case"], Mapping[Part, tuple[str, ...]]] = {
    "case": {"prompt": ("prompt", "messages"), "reference": ("reference", "checks", "why")},
    "canary": {
        "prompt": ("prompt",),
        "answer": ("answer", "other"),
        "reference": ("reference", "checks", "why"),
    },
    "anchor": {"prompt": ("prompt",), "answer": ("answer", "other"), "reference": ("reference",)},
}
"""Which fields of an item are texts that can be withheld, by part. The others are always shown."""

_LISTS: Mapping[str, str] = {"canary": "canaries", "anchor": "anchors", "case": "cases"}


def plan_drafts(plan: Plan, *, grade: Callable[[Canary], Graded | None]) -> Iterator[Draft]:
    """Yield the plan's lines: its settings, then canaries, anchors and cases in their order.

    Args:
        plan: The plan.
        grade: The grade of a canary of the checks; null for the judge's.
    """
    settings = plan.model_dump(mode="json", exclude={"canaries", "anchors", "cases"})
    texts: dict[Part, Mapping[str, Any]] = {"templates": {"templates": settings.pop("templates")}}
    if plan.judge is not None:
        texts["judge_prompt"] = {
            "judge_prompt": settings.pop("judge_prompt"),
            "system": settings["judge"].pop("system"),
        }
    if plan.panel:
        texts["judge_prompt"] = {
            "panel": [
                {"prompt": judge.pop("prompt"), "system": judge["spec"].pop("system")}
                for judge in settings["panel"]
            ]
        }
    yield Draft("plan", {"fields": settings}, texts)
    for canary in plan.canaries:
        graded = grade(canary)
        outcome, reason = (None, None) if graded is None else (graded.outcome, graded.reason)
        checked = ItemReading(is_checked=graded is not None, outcome=outcome, reason=reason)
        yield _item("canary", canary, checked)
    for anchor in plan.anchors:
        yield _item("anchor", anchor, _measured(anchor))
    for case in plan.cases:
        yield _item("case", case, ItemReading(is_checked=bool(case.checks)))


def _measured(anchor: Anchor) -> ItemReading:
    other = anchor.other
    return ItemReading(
        n_chars=len(anchor.answer),
        **format_of(anchor.answer)._asdict(),
        other=None if other is None else TextReading(n_chars=len(other), **format_of(other)._asdict()),
    )


def _item(kind: Literal["canary", "anchor", "case"], item: Record, reading: ItemReading) -> Draft:
    fields = item.model_dump(mode="json")
    texts = {part: {name: fields.pop(name) for name in names} for part, names in ITEM_TEXTS[kind].items()}
    return Draft(kind, {"fields": fields, "reading": reading.model_dump(mode="json")}, texts)


def plan_again(lines: Iterable[RedactedLine]) -> Plan:
    """Return the plan of these lines, with stand-ins where a text is withheld.

    Raises:
        Tampered: They are not the lines of a plan, in order.
    """
    given = iter(lines)
    first = next(given, None)
    if first is None or first.committed.kind != "plan":
        raise Tampered("the lines of a redacted run start with its plan")
    items: dict[LineKind, list[dict[str, Any]]] = {"canary": [], "anchor": [], "case": []}
    for line in given:
        if line.committed.kind not in items:
            raise Tampered("the lines of a redacted run have their plan once, before the records")
        items[line.committed.kind].append(_fields(line))
    return _valid(Plan, _settings(first) | {_LISTS[kind]: found for kind, found in items.items()})


def _settings(line: RedactedLine) -> dict[str, Any]:
    fields: dict[str, Any] = thaw(line.committed.clear["fields"])
    stand_in = {arm: {"prompt": "$prompt", "system": None} for arm in ("baseline", "candidate")}
    fields |= thaw(line.content("templates") or {"templates": stand_in})
    shown = line.content("judge_prompt") or {"judge_prompt": "$answer"}
    if isinstance(fields.get("judge"), dict):
        fields["judge_prompt"] = shown.get("judge_prompt")
        fields["judge"]["system"] = shown.get("system")
    if isinstance(fields.get("panel"), list):
        texts = shown.get("panel") or [{"prompt": "$answer"}] * len(fields["panel"])
        fields["panel"] = [_judge(*each) for each in zip(fields["panel"], texts, strict=False)]
    return fields


def _judge(fields: object, texts: object) -> object:
    """Return a judge of a panel with its texts; what is none stays, and fits no plan."""
    if not (isinstance(fields, dict) and isinstance(fields.get("spec"), dict) and isinstance(texts, Mapping)):
        return fields
    spec = {**fields["spec"], "system": texts.get("system")}
    return {**fields, "prompt": texts.get("prompt"), "spec": spec}


def _fields(line: RedactedLine) -> dict[str, Any]:
    fields: dict[str, Any] = thaw(line.committed.clear["fields"])
    reading = _valid(ItemReading, line.committed.clear.get("reading"))
    for part in line.committed.parts:
        shown = line.content(part.part)
        fields |= _stand_in(line.committed.kind, part.part, reading) if shown is None else thaw(shown)
    if line.committed.kind == "canary" and reading.is_checked and _hides_a_check(line):
        fields |= _graded_alike(reading)
    return fields


def _stand_in(kind: LineKind, part: Part, reading: ItemReading) -> dict[str, Any]:
    if part == "prompt":
        return {"prompt": _WITHHELD, "messages": []} if kind == "case" else {"prompt": _WITHHELD}
    if part == "answer":
        if kind != "anchor":
            return {"answer": _WITHHELD, "other": None}
        other = reading.other
        return {"answer": _answer(reading), "other": None if other is None else _answer(other)}
    if kind == "anchor":
        return {"reference": None}
    checks = [{"kind": "json"}] if kind == "case" and reading.is_checked else []
    return {"reference": None, "checks": checks, "why": _WITHHELD}


def _answer(reading: TextReading) -> str:
    """Return a text of this length and this format: a list item, a line of a table, or plain."""
    start = "- " if reading.lists else "|" if reading.markdown else ""
    return f"{start}{'x' * reading.n_chars}"[: reading.n_chars]


def _hides_a_check(line: RedactedLine) -> bool:
    return line.content("answer") is None or line.content("reference") is None


def _graded_alike(reading: ItemReading) -> dict[str, Any]:
    """Return a check and an answer that come to this outcome, or to none for this reason."""
    if reading.reason == "not_applicable":
        empty = {"kind": "recall", "positives": [], "k": 1, "at_least": 1, "ranked": "lines"}
        return {"checks": [empty], "answer": _WITHHELD}
    wanted = _WITHHELD if reading.outcome == "pass" else "another"
    answer = "x" * _TOO_LONG if reading.reason == "unreadable" else _WITHHELD
    return {"checks": [{"kind": "contains", "texts": [wanted], "need": "all"}], "answer": answer}


def _valid(kind: type[_R], fields: object) -> _R:
    try:
        return kind.from_json(canonical_bytes(thaw(fields)))
    except ValidationError as cause:
        error = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, error["loc"]))
        raise Tampered(
            f"the lines of the plan do not make a {kind.__name__}: {place}: {error['msg']}"
        ) from cause
