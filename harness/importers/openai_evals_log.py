"""An event log of OpenAI evals: a line with ``spec``, one with ``final_report``, and events.

Source: https://github.com/openai/evals, ``evals/record.py``.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import Json, Part, ToolLog, chosen, read_part

_MATCH = "match"


class _Spec(Part):
    eval_name: str
    completion_fns: tuple[str, ...] = ()


class _Event(Part):
    type: str | None = None
    sample_id: str | None = None
    data: dict[str, Any] | None = None


def is_openai_evals(row: Json) -> bool:
    """Return whether the first row of a file is that of such a log."""
    return isinstance(row.get("spec"), Mapping) and "eval_name" in row["spec"]


def read_openai_evals(path: Path, rows: Sequence[TableRow], *, metric: str | None) -> ToolLog:
    """Turn the grading events of a log into rows of a results file.

    ``match`` events say whether an answer is correct; ``metrics`` events carry
    numbers by name. One of them is chosen.

    Raises:
        InputError: There is no such event, or several kinds and none is named.
    """
    spec = read_part(_Spec, rows[0].fields["spec"], where=f"{path}:{rows[0].line}: spec")
    events = [(row.line, read_part(_Event, row.fields, where=f"{path}:{row.line}")) for row in rows]
    names = list(dict.fromkeys(name for _, event in events for name in _grades(event)))
    name = chosen(names, metric, path=path, what="grades", option="--metric")
    graded = tuple(TableRow(line, _fields(event, name)) for line, event in events if name in _grades(event))
    return ToolLog("OpenAI evals", graded, f"{spec.eval_name}: {name}", tuple(_notes(spec)))


def _grades(event: _Event) -> Json:
    found = event.data or {}
    if event.type == _MATCH:
        return {_MATCH: found.get("correct")}
    if event.type == "metrics":
        return {name: value for name, value in found.items() if isinstance(value, int | float)}
    return {}


def _fields(event: _Event, name: str) -> Fields:
    value = _grades(event)[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"id": event.sample_id, "score" if is_number else "passed": value}


def _notes(spec: _Spec) -> Iterator[str]:
    functions = ", ".join(spec.completion_fns) or "not named"
    yield f"OpenAI evals log: {spec.eval_name}, completion function {functions}"
    yield "the log names its samples by number alone: whether two logs asked the same is not checked"
