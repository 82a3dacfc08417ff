"""A plan as committed lines, and a plan again from lines that withhold some of its texts.

Where a text is withheld, a stand-in takes its place that leads to the same
numbers: an answer of people's as long and as formatted, checks that grade a
canary alike.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes
from harness.domain.cases import Canary
from harness.domain.errors import Tampered
from harness.domain.plan import Plan
from harness.domain.record import Record, thaw
from harness.domain.redacted import LineKind, Part, RedactedLine
from harness.domain.verdicts import Graded
from harness.redaction.lines import Draft

PLAN_TEXTS: Mapping[Part, tuple[str, ...]] = {"templates": ("templates",), "judge_prompt": ("judge_prompt",)}
ITEM_TEXTS: Mapping[Literal["canary", "anchor", "case"], Mapping[Part, tuple[str, ...]]] = {
    "case": {"prompt": ("prompt", "messages"), "reference": ("reference", "checks", "why")},
    "canary": {"prompt": ("prompt",), "answer": ("answer",), "reference": ("reference", "checks", "why")},
    "anchor": {"prompt": ("prompt",), "answer": ("answer",), "reference": ("reference",)},
}
"""Which fields of an item are texts that can be withheld, by part. The others are always shown."""

_LISTS: Mapping[str, str] = {"canary": "canaries", "anchor": "anchors", "case": "cases"}
_WITHHELD = "withheld"
# No check looks at a text of this length.
_TOO_LONG = 2_000_001


def plan_drafts(
    plan: Plan, *, is_formatted: Callable[[str], bool], grade: Callable[[Canary], Graded | None]
) -> Iterator[Draft]:
    """Yield the plan's lines: its settings, then canaries, anchors and cases in their order.

    Args:
        plan: The plan.
        is_formatted: Whether the audit of bias takes an answer for formatted.
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
        reading = None if graded is None else {"outcome": graded.outcome, "reason": graded.reason}
        yield _item("canary", canary, reading)
    for anchor in plan.anchors:
        measured = {"n_chars": len(anchor.answer), "is_formatted": is_formatted(anchor.answer)}
        yield _item("anchor", anchor, measured)
    for case in plan.cases:
        yield _item("case", case, {"has_checks": bool(case.checks)})


def _item(
    kind: Literal["canary", "anchor", "case"], item: Record, reading: Mapping[str, Any] | None
) -> Draft:
    fields = item.model_dump(mode="json")
    texts = {part: {name: fields.pop(name) for name in names} for part, names in ITEM_TEXTS[kind].items()}
    return Draft(kind, {"fields": fields, "reading": reading}, texts)


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
        items[line.committed.kind].append(_fields(line))
    whole = _settings(first) | {_LISTS[kind]: found for kind, found in items.items()}
    try:
        return Plan.from_json(canonical_bytes(whole))
    except ValidationError as cause:
        error = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, error["loc"]))
        raise Tampered(f"the lines of the plan do not make a plan: {place}: {error['msg']}") from cause


def _settings(line: RedactedLine) -> dict[str, Any]:
    fields: dict[str, Any] = thaw(line.committed.clear["fields"])
    templates = line.content("templates")
    stand_in = {arm: {"prompt": "$prompt", "system": None} for arm in ("baseline", "candidate")}
    fields["templates"] = stand_in if templates is None else thaw(templates["templates"])
    if fields.get("judge") is not None:
        judge = line.content("judge_prompt") or {"judge_prompt": "$answer", "system": None}
        fields["judge_prompt"], fields["judge"]["system"] = judge["judge_prompt"], judge["system"]
    shown = line.content("judge_prompt") or {}
    for number, judge in enumerate(fields.get("panel", ())):
        texts = shown["panel"][number] if shown else {"prompt": "$answer", "system": None}
        judge["prompt"], judge["spec"]["system"] = texts["prompt"], texts["system"]
    return fields


def _fields(line: RedactedLine) -> dict[str, Any]:
    fields: dict[str, Any] = thaw(line.committed.clear["fields"])
    reading = line.committed.clear["reading"]
    for part in line.committed.parts:
        shown = line.content(part.part)
        fields |= _stand_in(line.committed.kind, part.part, reading) if shown is None else thaw(shown)
    if line.committed.kind == "canary" and reading is not None and _hides_a_check(line):
        fields |= _graded_alike(reading)
    return fields


def _stand_in(kind: LineKind, part: Part, reading: Mapping[str, Any] | None) -> dict[str, Any]:
    if part == "prompt":
        return {"prompt": _WITHHELD, "messages": []} if kind == "case" else {"prompt": _WITHHELD}
    if part == "answer":
        return {"answer": _answer(reading) if kind == "anchor" and reading else _WITHHELD}
    if kind == "anchor":
        return {"reference": None}
    checks = [{"kind": "json"}] if kind == "case" and reading and reading["has_checks"] else []
    return {"reference": None, "checks": checks, "why": _WITHHELD}


def _answer(reading: Mapping[str, Any]) -> str:
    """Return a text of this length that is Markdown where the withheld one was: a line of a table."""
    n_chars = int(reading["n_chars"])
    return ("|" + "x" * (n_chars - 1)) if reading["is_formatted"] else "x" * n_chars


def _hides_a_check(line: RedactedLine) -> bool:
    return line.content("answer") is None or line.content("reference") is None


def _graded_alike(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return a check and an answer that come to this outcome, or to none for this reason."""
    if reading["reason"] == "not_applicable":
        empty = {"kind": "recall", "positives": [], "k": 1, "at_least": 1, "ranked": "lines"}
        return {"checks": [empty], "answer": _WITHHELD}
    wanted = _WITHHELD if reading["outcome"] == "pass" else "another"
    answer = "x" * _TOO_LONG if reading["reason"] == "unreadable" else _WITHHELD
    return {"checks": [{"kind": "contains", "texts": [wanted], "need": "all"}], "answer": answer}
