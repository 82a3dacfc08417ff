"""A plain results file: one row an answer, with an id and what came of it."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.domain.cases import Split
from harness.domain.errors import InputError
from harness.domain.files import text_file_digest
from harness.domain.verdicts import Graded, graded
from harness.importers.fields import (
    FLAGGED,
    KNOWN_FIELDS,
    SKIPPED,
    About,
    FieldProblem,
    nearest_field,
    read_about,
    read_answer,
    read_id,
    read_repeat,
    said_of_case,
)
from harness.importers.table import Fields, TableRow, read_table
from harness.importers.tool_log import ToolLog
from harness.importers.tools import read_tool_log

_KNOWN = frozenset(KNOWN_FIELDS)
_NOT_RUN = graded(None, "not_run")
_NOT_SAID = About(cluster=None, tags=None, weight=None, split=None, content=None)
_NOTHING_SAID: tuple[object, ...] = (None, None, None, None, None)
_N_LINES_TOLD = 5


class ResultCase(NamedTuple):
    """One case of a file. What the file does not say is null.

    ``answers`` stand by the file's repeats, in rising order; where the case
    lacks one, it was not run. ``content`` is the digest of what the case asks.
    """

    id: str
    cluster: str | None
    tags: tuple[str, ...] | None
    weight: float | None
    split: Split | None
    answers: tuple[Graded, ...]
    content: str | None = None


class ResultFile(NamedTuple):
    """A results file, read. ``notes`` say what was left out, and what the file cannot tell.

    ``graded_by`` is what gave the grades, where a tool's log tells it.
    """

    path: str
    sha256: str
    n_rows: int
    repeats: tuple[int, ...]
    n_skipped: int
    n_flagged: int
    cases: tuple[ResultCase, ...]
    notes: tuple[str, ...]
    graded_by: str | None = None


class _SameAnswer(Exception):
    """A row that is the same answer as an earlier one."""

    def __init__(self, name: str, repeat: int) -> None:
        super().__init__(name, repeat)
        self.name = name
        self.repeat = repeat


class _Growing:
    """A case while its rows arrive: what they said of it, and its answers by repeat."""

    # Lines are not kept: half a million of them cost as much as the reading, and only a
    # complaint wants one.
    __slots__ = ("about", "answers", "line", "said")

    def __init__(self, line: int) -> None:
        self.line = line
        self.said = _NOTHING_SAID
        self.about = _NOT_SAID
        self.answers: dict[int, Graded] = {}


class _Seen:
    """What is noted of all rows while they are read."""

    def __init__(self) -> None:
        self.n_rows = 0
        self.shapes: set[tuple[str, ...]] = set()
        self.skipped: list[int] = []
        self.flagged: list[int] = []
        self.negative: Counter[float] = Counter()

    def note(self, line: int, fields: Fields, answer: Graded) -> None:
        self.n_rows += 1
        self.shapes.add(tuple(fields))
        if answer is SKIPPED:
            self.skipped.append(line)
        elif answer is FLAGGED:
            self.flagged.append(line)
        elif answer.score is not None and answer.score < 0:
            self.negative[answer.score] += 1


def read_results(
    path: Path, *, pass_at: float | None = None, metric: str | None = None, column: str | None = None
) -> ResultFile:
    """Read per-case results: a JSONL or CSV file, or the log of a peer tool.

    Ids stay as they are written. A case may have several rows when each has its
    own ``repeat``. Every row is used or named: nothing is dropped, merged or
    averaged.

    Args:
        path: The file; ``.csv`` is read as CSV, a peer tool's log by what it
            holds, everything else as JSON lines.
        pass_at: The score from which an answer passes, for rows without
            ``passed``.
        metric: Which grade of a log counts, where it has several.
        column: Which prompt or model of a log is meant, where it has several.

    Raises:
        InputError: A row cannot be read, two rows are the same answer, or rows
            of one case disagree about it; the message starts with ``path:line``.
    """
    log = read_tool_log(path, metric=metric, column=column)
    cases: dict[str, _Growing] = {}
    seen = _Seen()
    for line, fields in _rows_of(path, log):
        try:
            answer = _take(cases, line, fields, pass_at)
        except _SameAnswer as same:
            raise InputError(f"{path}:{line}: {_same_answer(path, log, fields, same)}") from same
        except FieldProblem as problem:
            raise InputError(f"{path}:{line}: {problem}") from problem
        seen.note(line, fields, answer)
    if not cases:
        raise InputError(f"{path}: found no row")
    return _result(path, log, cases, seen)


def _rows_of(path: Path, log: ToolLog | None) -> Iterable[TableRow]:
    return read_table(path) if log is None else log.rows


def _take(cases: dict[str, _Growing], line: int, fields: Fields, pass_at: float | None) -> Graded:
    """Put one row to its case, which grows here and nowhere else."""
    name, repeat = read_id(fields), read_repeat(fields)
    answer = read_answer(fields, pass_at=pass_at)
    case = cases.get(name)
    if case is None:
        case = cases[name] = _Growing(line)
    said = said_of_case(fields)
    if said != case.said:
        case.about = _merged(case.about, read_about(said), name=name, first_line=case.line)
        case.said = said
    if repeat in case.answers:
        raise _SameAnswer(name, repeat)
    case.answers[repeat] = answer
    return answer


def _result(path: Path, log: ToolLog | None, cases: dict[str, _Growing], seen: _Seen) -> ResultFile:
    repeats = tuple(sorted({repeat for case in cases.values() for repeat in case.answers}))
    read = tuple(
        ResultCase(
            id=name,
            cluster=case.about.cluster,
            tags=case.about.tags,
            weight=case.about.weight,
            split=case.about.split,
            answers=tuple(case.answers.get(repeat, _NOT_RUN) for repeat in repeats),
            content=case.about.content,
        )
        for name, case in cases.items()
    )
    n_missing = len(repeats) * len(cases) - seen.n_rows
    return ResultFile(
        path=str(path),
        sha256=_digest(path),
        n_rows=seen.n_rows,
        repeats=repeats,
        n_skipped=len(seen.skipped),
        n_flagged=len(seen.flagged),
        cases=read,
        notes=(
            *(() if log is None else log.notes),
            *_notes(seen, n_missing=n_missing, n_repeats=len(repeats)),
        ),
        graded_by=None if log is None else log.graded_by,
    )


def _digest(path: Path) -> str:
    """Return the digest of a file: of its text, or of its bytes where it is an archive."""
    if path.suffix.lower() != ".eval":
        return text_file_digest(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _merged(known: About, said: About, *, name: str, first_line: int) -> About:
    """Return what is known of a case after one more row of it."""
    values: list[object] = []
    for field, before, now in zip(About._fields, known, said, strict=True):
        if before is not None and now is not None and before != now:
            raise FieldProblem(
                f"case {name!r}: {field} {now!r}, and {before!r} on an earlier row "
                f"(the first is line {first_line})"
            )
        values.append(before if now is None else now)
    return About._make(values)


def _same_answer(path: Path, log: ToolLog | None, fields: Fields, same: _SameAnswer) -> str:
    """Return the complaint; the earlier row is looked up in the file once more."""
    first_line = next(
        line
        for line, earlier in _rows_of(path, log)
        if read_id(earlier) == same.name and read_repeat(earlier) == same.repeat
    )
    if "repeat" in fields:
        return f"case {same.name!r}, repeat {same.repeat} is already on line {first_line}"
    return (
        f"case {same.name!r} is already on line {first_line}; "
        "if it is another answer to the case, give every row its repeat"
    )


def _notes(seen: _Seen, *, n_missing: int, n_repeats: int) -> Iterable[str]:
    skipped, flagged = seen.skipped, seen.flagged
    if skipped:
        yield f"{_rows(len(skipped))} without passed and score ({_lines(skipped)}): no verdict, not 0"
    if flagged:
        yield f"{_rows(len(flagged))} with an error for an answer ({_lines(flagged)}): no verdict; review"
    fields = {name for shape in seen.shapes for name in shape}
    if "repeat" not in fields:
        yield "one row a case: the file does not say whether answers were repeated"
    if n_missing:
        yield f"{n_missing} answers are missing: not every case has all {n_repeats} repeats"
    if set(seen.negative) == {-1.0}:
        n_marked = _rows(seen.negative[-1.0])
        yield f"the only score below 0 is -1, on {n_marked}: read as a score; write null for none"
    yield from _unread(sorted(fields - _KNOWN))


def _unread(names: Sequence[str]) -> Iterable[str]:
    for name in names:
        guess = nearest_field(name)
        if guess is not None:
            yield f"{name!r} is not read; did you mean {guess!r}?"
    rest = [name for name in names if nearest_field(name) is None]
    if rest:
        yield f"not read: {', '.join(rest)}"


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"


def _lines(lines: Sequence[int]) -> str:
    told = ", ".join(str(line) for line in lines[:_N_LINES_TOLD])
    more = ", ..." if len(lines) > _N_LINES_TOLD else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {told}{more}"
