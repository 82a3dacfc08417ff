"""A results file of promptfoo (``promptfoo eval -o output.json``), versions 2 and 3.

Source: https://www.promptfoo.dev/docs/configuration/outputs/.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from harness.domain.errors import InputError
from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import Json, Part, ToolLog, chosen, content_digest, read_part

# promptfoo's own code for "the call failed"; 1 is an assertion that does not hold.
_CALL_FAILED = 2
_N_SHOWN = 40


class _Grading(Part):
    assertions: tuple[Any, ...] | None = Field(None, alias="componentResults")


class _Test(Part):
    assertions: Any = Field(None, alias="assert")


class _Result(Part):
    """A result of version 3."""

    column: int = Field(alias="promptIdx")
    variables: Any = Field(None, alias="vars")
    test: _Test | None = Field(None, alias="testCase")
    grading: _Grading | None = Field(None, alias="gradingResult")
    failure: int | None = Field(None, alias="failureReason")
    passed: bool = Field(alias="success")
    score: float | None = None
    error: Any = None


class _Cell(Part):
    """An output of version 2."""

    grading: _Grading | None = Field(None, alias="gradingResult")
    passed: bool = Field(alias="pass")
    score: float | None = None
    error: Any = None


class _TableRow(Part):
    outputs: tuple[_Cell, ...]
    variables: Any = Field(None, alias="vars")
    test: _Test | None = None


class _Prompt(Part):
    provider: str | None = None
    label: str | None = None
    display: str | None = None
    raw: str | None = None


class _Head(Part):
    prompts: tuple[_Prompt, ...] = ()


class _Table(Part):
    head: _Head = _Head()
    body: tuple[_TableRow, ...]


class _Results(Part):
    version: int
    prompts: tuple[_Prompt, ...] = ()
    table: _Table | None = None


class _Results3(Part):
    results: tuple[_Result, ...]


class _Output(NamedTuple):
    """One output. ``passed`` is null where nothing was asserted."""

    column: int
    name: str
    asked: str
    passed: bool | None
    score: float | None
    failed: bool


def is_promptfoo(document: Json) -> bool:
    """Return whether a JSON document holds results of promptfoo."""
    results = document.get("results")
    return isinstance(results, Mapping) and {"results", "version"} <= results.keys()


def read_promptfoo(path: Path, document: Json, *, column: str | None) -> ToolLog:
    """Read one column, a prompt with a provider, of a results file.

    Tests with the same variables and assertions are repeats of one case. An
    output that nothing was asserted about has no verdict; promptfoo calls it a
    success.

    Args:
        path: The file, for messages.
        document: What it holds.
        column: The column's number; null where there is one only.

    Raises:
        InputError: It cannot be read, or has several columns and none is named.
    """
    results = read_part(_Results, document["results"], where=f"{path}: results")
    outputs = list(_outputs(path, results, document["results"]))
    columns = [str(number) for number in sorted({output.column for output in outputs})]
    number = chosen(columns, column, path=path, what="columns (prompts with providers)", option="FILE@NUMBER")
    kept = [output for output in outputs if output.column == int(number)]
    if all(output.passed is None and not output.failed for output in kept):
        raise InputError(f"{path}: column {number}: found no assertion, so nothing was scored")
    rows = tuple(TableRow(place, fields) for place, fields in enumerate(_rows(kept), start=1))
    return ToolLog("promptfoo", rows, None, tuple(_notes(results, int(number), kept)))


def _outputs(path: Path, results: _Results, found: Json) -> Iterator[_Output]:
    if results.version == 2 and results.table is not None:
        for row in results.table.body:
            for column, cell in enumerate(row.outputs):
                yield _output(column, row.variables, row.test, cell)
        return
    for result in read_part(_Results3, found, where=f"{path}: results").results:
        yield _output(result.column, result.variables, result.test, result)


def _output(column: int, variables: object, test: _Test | None, cell: _Cell | _Result) -> _Output:
    asked = content_digest([variables, test.assertions if test else None])
    failed = bool(cell.error) and cell.grading is None
    if isinstance(cell, _Result) and cell.failure is not None:
        failed = cell.failure == _CALL_FAILED
    asserted = cell.grading is not None and bool(cell.grading.assertions)
    return _Output(
        column=column,
        name=f"{_shown(variables)} #{asked[:12]}",
        asked=asked,
        passed=cell.passed if asserted else None,
        score=cell.score if asserted else None,
        failed=failed,
    )


def _shown(variables: object) -> str:
    """Return the start of a test's variables, by which a reader knows it."""
    values = variables.values() if isinstance(variables, Mapping) else [variables]
    return " ".join(" ".join(str(value).split()) for value in values)[:_N_SHOWN]


def _rows(outputs: Sequence[_Output]) -> Iterator[Fields]:
    seen: Counter[str] = Counter()
    for output in outputs:
        yield {
            "id": output.name,
            "repeat": seen[output.asked],
            "passed": output.passed,
            "score": output.score,
            "error": output.failed or None,
            "content": output.asked,
        }
        seen[output.asked] += 1


def _notes(results: _Results, number: int, outputs: Sequence[_Output]) -> Iterator[str]:
    yield f"promptfoo results version {results.version}, column {number}{_label(results, number)}"
    yield "promptfoo's tests have no names: a case is named by its variables and assertions"
    n_free = sum(output.passed is None and not output.failed for output in outputs)
    if n_free:
        yield f"{n_free} outputs were asserted nothing: no verdict, not a success"


def _label(results: _Results, number: int) -> str:
    prompts = results.prompts or (results.table.head.prompts if results.table else ())
    if not 0 <= number < len(prompts):
        return ""
    prompt = prompts[number]
    label = prompt.label or prompt.display or prompt.raw or ""
    return f" ({prompt.provider or 'provider not named'}, {' '.join(label.split())[:_N_SHOWN]!r})"
