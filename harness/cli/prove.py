"""`harness prove`: one case of a run, shown without the others."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.cli.case_proof import CaseProof, ProvenLine, is_about, stands
from harness.cli.committed_run import COMMITMENTS, is_redacted, lines_of_copy, plan_of_copy, read_commitments
from harness.cli.committing import committed_lines, have_commitments, secret_of
from harness.cli.exposing import expose, opened_look
from harness.cli.output import put
from harness.cli.signed_run import BUNDLE
from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError, Tampered
from harness.domain.plan import Plan
from harness.domain.redacted import RedactedLine
from harness.redaction.lines import leaf, without
from harness.redaction.selection import Field, Selection
from harness.report.inert import inert
from harness.store.merkle import inclusion_proof, leaf_hash
from harness.store.run_dir import read_plan


def prove(*, run: Path, case: str, fields: tuple[Field, ...], gold: Path | None, out: Path | None) -> int:
    """Write the proof that a case and its records stand in a run, or in a copy of one."""
    proof = case_proof(run, case, withheld=frozenset(fields), gold=gold)
    if not is_redacted(run):
        # What a copy shows was recorded when it was made.
        expose(run, read_plan(run), (case,), shown_by="prove", gold=gold)
    text = canonical_bytes(proof).decode()
    if out is None:
        put(text)
    else:
        out.write_text(text, encoding="utf-8")
        put(f"{out}: {len(proof.lines) - 2} records of {inert(case)}; the others stay where they are")
    return 0


def case_proof(run: Path, case: str, *, withheld: frozenset[Field], gold: Path | None = None) -> CaseProof:
    """Return the proof of one case.

    Raises:
        InputError: The plan has no such case, its split is closed, or it has no record.
        Tampered: The evidence is not what the manifest names, or the lines are
            not those that the run was committed to.
    """
    plan = plan_of_copy(run) if is_redacted(run) else read_plan(run)
    if case not in {each.id for each in plan.cases}:
        raise InputError(f"{run}: no case {inert(case)!r} in its plan")
    if case in plan.held_out and opened_look(run, gold=gold) is None:
        raise InputError(f"{run}: {inert(case)} is held out, and no look has opened it")
    # The settings say how a reply is read; the prompts in them are no part of the case.
    selection = Selection(withheld | {"templates", "judge-prompt"}, cases=None, closed=frozenset())
    hashes: list[bytes] = []
    kept: dict[int, RedactedLine] = {}
    for index, line in enumerate(_lines(run, plan)):
        hashes.append(leaf_hash(leaf(line)))
        if line.committed.kind == "plan" or is_about(line, case):
            kept[index] = without(line, selection.withheld(line.committed))
    return _checked(run, _proof(run, case, hashes, kept))


def _lines(run: Path, plan: Plan) -> Iterator[RedactedLine]:
    if is_redacted(run):
        return lines_of_copy(run)
    have_commitments(run, plan)
    return committed_lines(run, plan, secret_of(run))


def _proof(run: Path, case: str, hashes: Sequence[bytes], kept: Mapping[int, RedactedLine]) -> CaseProof:
    bundle = run / BUNDLE
    return CaseProof(
        case=case,
        commitments=(run / COMMITMENTS).read_text(encoding="utf-8"),
        lines=tuple(
            ProvenLine(
                index=index,
                line=line,
                path=tuple(node.hex() for node in inclusion_proof(hashes, index=index)),
            )
            for index, line in kept.items()
        ),
        bundle=bundle.read_text(encoding="utf-8") if bundle.exists() else None,
    )


def _checked(run: Path, proof: CaseProof) -> CaseProof:
    if not any(each.line.committed.kind == "record" for each in proof.lines):
        raise InputError(f"{run}: no record of {inert(proof.case)} in its evidence")
    if not all(stands(each, read_commitments(run)) for each in proof.lines):
        raise Tampered(f"{run}: its lines do not lead to the root of {COMMITMENTS}")
    return proof
