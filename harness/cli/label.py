"""`harness label`: answers for people to see next, blind to arm and judge, and their labels read back."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from harness.cli.output import put
from harness.domain.canonical import canonical_bytes, digest
from harness.domain.cases import ARMS, Anchor, Arm, Case, Review
from harness.domain.errors import InputError
from harness.domain.files import read_text
from harness.domain.panel import human_labels, in_human_labels
from harness.domain.plan import Plan, plan_digest
from harness.domain.record import Count, Record, Text
from harness.graders.arm_prompt import prompt_text
from harness.graders.opened import answer_text
from harness.graders.reading import read_run
from harness.inputs.jsonl import read_jsonl
from harness.store.evidence import read_evidence, read_timings
from harness.store.replace import replace_bytes
from harness.store.run_dir import read_plan

Purpose = Literal["human-scale", "adjudication"]
_COLUMNS = ("id", "prompt", "reference", "answer", "label", "by")
_ID_CHARS = 16
# What a spreadsheet would run as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class SheetKey(Record):
    """What one row of a sheet is about. Kept apart from the sheet, so that raters are blind to it."""

    id: Text
    case: Text
    arm: Arm
    answer: Count
    selection: Literal["random", "curated"]


class SheetRow(Record):
    """What a rater sees and fills in, as a line of a JSONL sheet."""

    id: Text
    prompt: str
    reference: str
    answer: str
    label: str = ""
    by: str = ""


class _Answered(NamedTuple):
    case: Case
    arm: Arm
    answer: int
    text: str


def label(
    *,
    run: Path,
    purpose: Purpose | None,
    n: int,
    out: Path | None,
    read: Path | None,
    into: Path | None,
) -> int:
    """Write a sheet, or read one back into anchors."""
    if read_plan(run).is_pairwise:
        raise InputError(f"{run}: its judge compares two answers, and a sheet shows people one at a time")
    if read is not None and into is not None and purpose is None and out is None:
        return _read_back(run, read, into)
    if purpose is not None and out is not None and read is None and into is None:
        if out.exists() or key_path(out).exists():
            raise InputError(f"{out}: is there already, maybe with people's labels; wanted a new file")
        return _write(run, purpose, n, out)
    raise InputError("label: wanted --for and --out to write a sheet, or --read and --into to read one back")


def key_path(sheet: Path) -> Path:
    """Return where the key of a sheet stands: beside it."""
    return sheet.with_name(f"{sheet.name}.key.jsonl")


def _write(run: Path, purpose: Purpose, n: int, out: Path) -> int:
    plan = read_plan(run)
    if not plan.judges:
        raise InputError(f"{run}: has no judge, so there are no labels to ask people for")
    answers = {(a.case.id, a.arm, a.answer): a for a in _answers(run, plan)}
    rng = np.random.default_rng(plan.experiment.analysis.seed)
    if purpose == "human-scale":
        picked = _at_random(plan, answers.values(), n, rng)
    else:
        picked = _split(run, plan, answers, n)
    if not picked:
        raise InputError(f"{run}: holds no answer to hand out for {purpose}")
    # The order of a sheet must not tell the arms apart.
    shuffled = [picked[index] for index in rng.permutation(len(picked))]
    selection: Literal["random", "curated"] = "random" if purpose == "human-scale" else "curated"
    keys = [
        SheetKey(
            id=_opaque(plan, each), case=each.case.id, arm=each.arm, answer=each.answer, selection=selection
        )
        for each in shuffled
    ]
    rows = [
        SheetRow(
            id=key.id,
            prompt=prompt_text(each.case),
            reference=each.case.reference or "",
            answer=each.text,
        )
        for key, each in zip(keys, shuffled, strict=True)
    ]
    replace_bytes(key_path(out), _lines(keys))
    replace_bytes(out, _csv(rows) if out.suffix == ".csv" else _lines(rows))
    put(
        f"{out}: {len(rows)} answers, labels {', '.join(human_labels(plan))}; "
        f"keep {key_path(out)} from raters"
    )
    return 0


def _answers(run: Path, plan: Plan) -> Iterator[_Answered]:
    """Yield the answers with text to the judged cases that are not held out."""
    closed = set(plan.held_out)
    cases = {case.id: case for case in plan.cases if not case.checks and case.id not in closed}
    for record in read_evidence(run):
        subject = record.subject
        if record.role != "answer" or subject.id not in cases or subject.arm is None:
            continue
        text, _ = answer_text(record)
        if text is not None:
            yield _Answered(cases[subject.id], subject.arm, record.repeat, text)


def _at_random(plan: Plan, answers: Iterable[_Answered], n: int, rng: np.random.Generator) -> list[_Answered]:
    """Return one answer of each arm to n cases drawn at random, whatever the judge said of them."""
    found: dict[str, dict[Arm, list[_Answered]]] = {}
    for each in answers:
        found.setdefault(each.case.id, {}).setdefault(each.arm, []).append(each)
    labelled = {anchor.case for anchor in plan.anchors}
    both = sorted(case for case, arms in found.items() if len(arms) == len(ARMS) and case not in labelled)
    drawn = [both[index] for index in rng.permutation(len(both))[:n]]
    return [found[case][arm][int(rng.integers(len(found[case][arm])))] for case in drawn for arm in ARMS]


def _split(run: Path, plan: Plan, answers: dict[tuple[str, Arm, int], _Answered], n: int) -> list[_Answered]:
    """Return the n answers on which the votes of the judge, or of all judges of a panel, differ most."""
    votes: dict[tuple[str, Arm, int], list[str]] = {}
    said_by = in_human_labels(plan)
    for vote in read_run(plan, read_evidence(run), read_timings(run)).case_votes:
        subject = vote.subject
        if subject.arm is not None and subject.answer is not None and vote.verdict.label is not None:
            said = said_by(vote.endpoint, vote.verdict.label)
            votes.setdefault((subject.id, subject.arm, subject.answer), []).append(said)
    doubt = {
        name: 1 - max(found.count(each) for each in found) / len(found)
        for name, found in votes.items()
        if name in answers
    }
    wavering = sorted((name for name in doubt if doubt[name] > 0), key=lambda name: (-doubt[name], name))
    return [answers[name] for name in wavering[:n]]


def _opaque(plan: Plan, each: _Answered) -> str:
    return digest([plan_digest(plan), each.case.id, each.arm, each.answer])[:_ID_CHARS]


def _read_back(run: Path, sheet: Path, into: Path) -> int:
    plan = read_plan(run)
    keys = {key.id: key for _, key in read_jsonl(key_path(sheet), SheetKey)}
    answers = {(a.case.id, a.arm, a.answer): a for a in _answers(run, plan)}
    anchors = {anchor.id: anchor for _, anchor in read_jsonl(into, Anchor)} if into.exists() else {}
    n_read = 0
    for place, row in _rows(sheet):
        if not row.label.strip():
            continue
        key = keys.get(row.id)
        if key is None or (key.case, key.arm, key.answer) not in answers:
            raise InputError(f"{place}: id {row.id!r} is not in {key_path(sheet)}, or not of {run}")
        each = answers[key.case, key.arm, key.answer]
        anchors[row.id] = _reviewed(plan, place, row, anchors.get(row.id) or _unlabelled(key, each))
        n_read += 1
    if n_read == 0:
        raise InputError(f"{sheet}: found no label, wanted some in the column 'label'")
    replace_bytes(into, _lines(anchors.values()))
    put(f"{into}: {n_read} labels read, {len(anchors)} anchors")
    return 0


def _unlabelled(key: SheetKey, each: _Answered) -> Anchor:
    return Anchor(
        id=key.id,
        prompt=prompt_text(each.case),
        answer=each.text,
        selection=key.selection,
        reference=each.case.reference,
        case=key.case,
        arm=key.arm,
        tags=each.case.tags,
    )


def _reviewed(plan: Plan, place: str, row: SheetRow, anchor: Anchor) -> Anchor:
    labels = human_labels(plan)
    found = row.label.strip()
    if found not in labels:
        raise InputError(f"{place}: label: found {found!r}, wanted one of {', '.join(labels)}")
    if not row.by.strip():
        raise InputError(f"{place}: by: found nothing, wanted the rater's name")
    if any(review.by == row.by for review in anchor.reviews):
        raise InputError(f"{place}: {row.by!r} reviewed {anchor.id} already, wanted one review a person")
    # The rater's name is kept as given.
    return anchor.model_copy(update={"reviews": (*anchor.reviews, Review(by=row.by, label=found))})


def _rows(sheet: Path) -> Iterator[tuple[str, SheetRow]]:
    if sheet.suffix != ".csv":
        for line, row in read_jsonl(sheet, SheetRow):
            yield f"{sheet}:{line}", row
        return
    reader = csv.DictReader(io.StringIO(read_text(sheet), newline=""))
    missing = {"id", "label", "by"} - set(reader.fieldnames or ())
    if missing:
        raise InputError(f"{sheet}: found no column {min(missing)!r}, wanted id, label and by")
    for cells in reader:
        # Texts come from the run, never from a sheet that somebody's spreadsheet saved again.
        filled = SheetRow(
            id=cells["id"] or "?",
            prompt="",
            reference="",
            answer="",
            label=cells["label"] or "",
            by=cells["by"] or "",
        )
        yield f"{sheet}:{reader.line_num}", filled


def _csv(rows: Sequence[SheetRow]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(_COLUMNS)
    for row in rows:
        writer.writerow([_inert(getattr(row, column)) for column in _COLUMNS])
    return stream.getvalue().encode("utf-8")


def _inert(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _lines(records: Iterable[Record]) -> bytes:
    return b"".join(canonical_bytes(record) + b"\n" for record in records)
