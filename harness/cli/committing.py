"""Committing to the texts of a run, so that copies may withhold them under the same signature."""

import os
from collections.abc import Iterator
from pathlib import Path

from harness.cli.committed_run import COMMITMENTS, commitments_over, read_commitments
from harness.domain.canonical import canonical_bytes
from harness.domain.cases import Canary
from harness.domain.errors import InputError, NotMeasured, StoreError, Tampered
from harness.domain.plan import Plan
from harness.domain.redacted import Commitments, RedactedLine
from harness.domain.verdicts import Graded
from harness.graders.carried import Carrying
from harness.graders.checks import grade_by_checks
from harness.redaction.commitments import new_secret, read_secret, secret_text, text_tag
from harness.redaction.lines import Draft, committed, leaf_of
from harness.redaction.plan_lines import plan_drafts
from harness.redaction.record_lines import record_draft
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.replace import replace_bytes

SECRET = "redaction.key"


def committed_lines(run: Path, plan: Plan, secret: bytes) -> Iterator[RedactedLine]:
    """Yield every committed line of a run with all its texts, plan first, then evidence.

    Raises:
        Tampered: Evidence or timings are not what the manifest names.
    """
    for index, draft in enumerate(_drafts(run, plan, secret)):
        yield committed(draft, secret=secret, index=index)


def keep_commitments(run: Path, plan: Plan) -> None:
    """Make the commitments of a run, with a secret of its own, or check those that are there.

    Commitments to other evidence, of a run that went on since, are made anew.

    Raises:
        NotMeasured: They are there and their secret is not, so that nobody can check them.
        Tampered: The secret is not the one that they were made with.
    """
    manifest = read_manifest(run)
    kept = read_commitments(run) if (run / COMMITMENTS).exists() else None
    if kept is not None and kept.evidence_sha256 == manifest.evidence_sha256:
        check_commitments(run, plan)
        return
    secret = secret_of(run) if (run / SECRET).exists() else _new_secret_of(run)
    replace_bytes(run / COMMITMENTS, canonical_bytes(_commitments(run, plan, secret)))


def check_commitments(run: Path, plan: Plan) -> None:
    """Check that the commitments of a run are those that its texts and its secret lead to.

    Raises:
        NotMeasured: The secret is not there.
        Tampered: They are not.
    """
    if not (run / SECRET).exists():
        raise NotMeasured(f"{run / COMMITMENTS}: cannot be checked without {SECRET} beside it")
    refuse_others(run, read_commitments(run), _commitments(run, plan, secret_of(run)))


def _commitments(run: Path, plan: Plan, secret: bytes) -> Commitments:
    drafts = enumerate(_drafts(run, plan, secret))
    leaves = (leaf_of(draft, secret=secret, index=index) for index, draft in drafts)
    return commitments_over(leaves, read_manifest(run))


def have_commitments(run: Path, plan: Plan) -> None:
    """Make the commitments of a run that has none, and was not signed without them.

    Raises:
        InputError: It was signed without them.
    """
    if (run / COMMITMENTS).exists():
        return
    if any(run.glob("report*.sigstore.json")):
        raise InputError(
            f"{run}: was signed without {COMMITMENTS}; `harness sign --replace` signs it with them"
        )
    keep_commitments(run, plan)


def refuse_others(run: Path, kept: Commitments, made: Commitments) -> None:
    """Check that the commitments made anew are those that were kept.

    Raises:
        Tampered: They are not.
    """
    if kept != made:
        raise Tampered(
            f"{run / COMMITMENTS}: has the root {kept.merkle_root[:16]}, {SECRET} leads to "
            f"{made.merkle_root[:16]}: the wrong salts, or commitments to something else"
        )


def secret_of(run: Path) -> bytes:
    """Return the secret that the salts of a run come from.

    Raises:
        InputError: It cannot be read, or is none.
    """
    path = run / SECRET
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, ValueError) as cause:
        raise InputError(f"{path}: cannot be read; wanted the secret that the run was signed with") from cause
    return read_secret(text, place=str(path))


def _drafts(run: Path, plan: Plan, secret: bytes) -> Iterator[Draft]:
    yield from plan_drafts(plan, grade=_checked_canary)
    carrying = Carrying(plan, tag=lambda case, sha256: text_tag(secret, case=case, text_sha256=sha256))
    for record, timing in zip(read_evidence(run), read_timings(run), strict=True):
        if record.request != timing.request:
            raise Tampered(f"{run}: evidence and timings are not about the same requests")
        yield record_draft(record, timing, carrying.reading(record))


def _checked_canary(canary: Canary) -> Graded | None:
    return grade_by_checks(canary.checks, canary.answer) if canary.grader == "checks" else None


def _new_secret_of(run: Path) -> bytes:
    secret, path = new_secret(), run / SECRET
    try:
        # For its owner's eyes only: with it, whoever has a copy can check a guess at what it withholds.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.write(secret_text(secret))
    except OSError as cause:
        raise StoreError(f"{path}: cannot be written: {cause.strerror}") from cause
    return secret
