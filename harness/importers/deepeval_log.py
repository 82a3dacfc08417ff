"""A test run of deepeval, as it is saved in JSON.

Source: https://deepeval.com/docs/evaluation-introduction.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import Json, Part, ToolLog, chosen, content_digest, read_part

_ALL = "all metrics"


class _Metric(Part):
    name: str
    success: bool | None = None
    score: float | None = None
    model: str | None = Field(None, alias="evaluationModel")
    error: Any = None


class _Test(Part):
    name: str
    input: Any = None
    expected: Any = Field(None, alias="expectedOutput")
    metrics: tuple[_Metric, ...] | None = Field(None, alias="metricsData")


class _Run(Part):
    tests: tuple[_Test, ...] = Field(alias="testCases")


def is_deepeval(document: Json) -> bool:
    """Return whether a JSON document is a test run of deepeval."""
    return {"testCases", "metricsScores"} <= document.keys()


def read_deepeval(path: Path, document: Json, *, metric: str | None) -> ToolLog:
    """Read one metric of a test run; without a name, whether all of them passed.

    Raises:
        InputError: There is no test case, or no metric of that name.
    """
    tests = read_part(_Run, document, where=str(path)).tests
    names = list(dict.fromkeys(found.name for test in tests for found in test.metrics or ()))
    only = names[0] if len(names) == 1 else _ALL
    name = (
        only
        if metric is None and names
        else chosen(names, metric, path=path, what="metrics", option="--metric")
    )
    rows = tuple(TableRow(number, _fields(test, name)) for number, test in enumerate(tests, start=1))
    judges = sorted({found.model for test in tests for found in _counted(test, name) if found.model})
    by = ", ".join(judges) or "no model"
    return ToolLog("deepeval", rows, f"{name} by {by}", tuple(_notes(name, names, by)))


def _counted(test: _Test, name: str) -> Sequence[_Metric]:
    return [found for found in test.metrics or () if name in (_ALL, found.name)]


def _fields(test: _Test, name: str) -> Fields:
    counted = _counted(test, name)
    silent = not counted or any(found.success is None for found in counted)
    return {
        "id": test.name,
        "passed": None if silent else all(found.success for found in counted),
        "score": counted[0].score if len(counted) == 1 else None,
        "error": any(found.error for found in counted) or None,
        "content": content_digest([test.input, test.expected]),
    }


def _notes(name: str, names: Sequence[str], by: str) -> Iterator[str]:
    yield f"deepeval test run: {name}, judged by {by}"
    if name == _ALL:
        yield f"a case passes where {', '.join(names)} all pass; --metric NAME reads one of them"
