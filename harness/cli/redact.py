"""`harness redact`: a copy of a run without some of its texts, under the signature of the whole."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

from harness.cli.committed_run import commitments_over, is_redacted, read_commitments
from harness.cli.committing import committed_lines, have_commitments, refuse_others, secret_of
from harness.cli.exposing import expose, opened_look
from harness.cli.output import put, say
from harness.cli.run_files import (
    EXPOSURES,
    JUNIT,
    LOCK,
    LOCK_SIGNATURE,
    ORIGIN,
    PAGE,
    PROVENANCE,
    REPORT,
    SUMMARY,
)
from harness.cli.signed_run import WHERE_THERE, bundles_of, read_documents
from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError
from harness.domain.plan import Plan
from harness.domain.redacted import RedactedLine
from harness.redaction.lines import leaf, n_texts_of, without
from harness.redaction.selection import CASE_FIELDS, Field, Selection
from harness.report.inert import inert
from harness.store.evidence import read_manifest
from harness.store.run_dir import MANIFEST, REDACTED

_FORMS = (REPORT, PAGE, SUMMARY, JUNIT)
# A lock repeats short texts of the plan, and tells long ones by digest, as exposures tell prompts.
_OF_THE_PLAN = (LOCK, LOCK_SIGNATURE, EXPOSURES)
_OF_THE_RUN = tuple(name for name in WHERE_THERE if name not in _OF_THE_PLAN)
_AS_THEY_ARE = (*_FORMS, MANIFEST, ORIGIN, PROVENANCE, *_OF_THE_RUN)


def redact(
    *,
    run: Path,
    out: Path,
    fields: tuple[Field, ...],
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    gold: Path | None,
    as_json: bool,
) -> int:
    """Write a copy of a run that withholds the selected texts."""
    if is_redacted(run):
        raise InputError(f"{run}: is a copy that withholds texts; make another one from the run itself")
    if out.exists():
        raise InputError(f"{out}: is there already; wanted a folder that can be made")
    documents = read_documents(run)
    have_commitments(run, documents.plan)
    closed = frozenset(documents.plan.held_out) if opened_look(run, gold=gold) is None else frozenset()
    selection = _selection(run, documents.plan, fields=fields, cases=cases, tags=tags, closed=closed)
    if not closed:
        # A copy tells every verdict, even where it withholds the text.
        expose(run, documents.plan, documents.plan.held_out, shown_by="redact", gold=gold)
    n_withheld, n_texts = _write(run, documents.plan, selection, out)
    made = {"copy": str(out), "withheld": n_withheld, "texts": n_texts, "signed": bool(bundles_of(run))}
    put(json.dumps(made, indent=2) if as_json else f"{out}: {n_withheld} of {n_texts} texts are withheld")
    if not bundles_of(run):
        say(f"harness: {run} is not signed, so nobody vouches for what the copy carries")
    return 0


def _selection(
    run: Path,
    plan: Plan,
    *,
    fields: Sequence[Field],
    cases: Sequence[str],
    tags: Sequence[str],
    closed: frozenset[str],
) -> Selection:
    ids, known = {case.id for case in plan.cases}, {tag for case in plan.cases for tag in case.tags}
    for name, there in ((each, ids) for each in cases):
        if name not in there:
            raise InputError(f"--case {inert(name)}: the plan has no such case")
    for name in tags:
        if name not in known:
            raise InputError(f"--tag {inert(name)}: no case of the plan has it")
    selected = {case.id for case in plan.cases if case.id in cases or set(tags) & set(case.tags)}
    return Selection(
        fields=frozenset(fields) or CASE_FIELDS,
        cases=frozenset(selected) if cases or tags else None,
        # A copy is made to be given away: what no look has opened stays closed.
        closed=closed,
    )


def _write(run: Path, plan: Plan, selection: Selection, out: Path) -> tuple[int, int]:
    """Write the copy; return how many texts it withholds, and how many there are."""
    part: Path | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part = Path(mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        counted = _write_lines(run, plan, selection, part / REDACTED)
        bundles = [path.name for path in bundles_of(run)]
        with_the_plan = () if selection.withholds_of_the_plan else _OF_THE_PLAN
        for name in (*_AS_THEY_ARE, *with_the_plan, *bundles):
            if (run / name).exists():
                shutil.copyfile(run / name, part / name)
        part.chmod(0o755)
        part.rename(out)
    except OSError as cause:
        raise InputError(f"{out}: cannot be written: {cause.strerror}") from cause
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return counted


def _write_lines(run: Path, plan: Plan, selection: Selection, path: Path) -> tuple[int, int]:
    leaves, n_withheld, n_texts = [], 0, 0
    with path.open("wb") as stream:
        for line in committed_lines(run, plan, secret_of(run)):
            kept: RedactedLine = without(line, selection.withheld(line.committed))
            n_all, n_shown = n_texts_of(kept)
            n_texts += n_all
            n_withheld += n_all - n_shown
            leaves.append(leaf(line))
            stream.write(canonical_bytes(kept) + b"\n")
    refuse_others(run, read_commitments(run), commitments_over(leaves, read_manifest(run)))
    return n_withheld, n_texts
