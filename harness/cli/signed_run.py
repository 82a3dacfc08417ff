"""A run directory as it is signed and verified: its files, what they say, its ledger."""

from pathlib import Path
from typing import NamedTuple

from harness.cli.committed_run import COMMITMENTS, is_redacted, plan_of_copy
from harness.cli.run_files import (
    DRIFT,
    EARLIER,
    ENVIRONMENT,
    EXPOSURES,
    LOCK,
    LOCK_SIGNATURE,
    LOOK,
    LOOKS,
    ORIGIN,
    PROVENANCE,
    REPORT,
    read_look,
    read_origin,
)
from harness.domain.errors import HarnessError, InputError
from harness.domain.exit_codes import exit_code
from harness.domain.manifest import Manifest
from harness.domain.plan import Look, Plan
from harness.domain.report import Report
from harness.domain.specs import GoldSpec
from harness.inputs.ledger import read_looks
from harness.inputs.toml import read_toml
from harness.report.bundle import open_bundle
from harness.report.document import read_report
from harness.report.statement import LedgerClaim, Stated, read_statement
from harness.store.evidence import read_manifest
from harness.store.replace import replace_bytes
from harness.store.run_dir import EVIDENCE, MANIFEST, PLAN, TIMINGS, read_plan
from harness.store.sealed import file_sha256

BUNDLE = "report.sigstore.json"
NEEDED = (REPORT, EVIDENCE, TIMINGS, MANIFEST, PLAN, ORIGIN, PROVENANCE)
"""The files that every report of a run rests on."""
WHERE_THERE = (LOOK, LOOKS, EXPOSURES, LOCK, LOCK_SIGNATURE, DRIFT, EARLIER, ENVIRONMENT, COMMITMENTS)
"""The files that it rests on where they are there."""
WITHHELD = (EVIDENCE, TIMINGS, PLAN, LOCK, LOCK_SIGNATURE, EXPOSURES)
"""The signed files that a copy may leave out: its lines stand for them."""

LEDGER = "looks.jsonl"


class RunDocuments(NamedTuple):
    """What the files of a run directory say."""

    report: Report
    plan: Plan
    manifest: Manifest
    look: Look | None


def read_documents(run: Path) -> RunDocuments:
    """Read the report, the plan, the manifest and the look of a run.

    Raises:
        InputError: One of them is missing.
        Tampered: One of them is not what the harness wrote.
    """
    try:
        content = (run / REPORT).read_bytes()
    except OSError as cause:
        raise InputError(f"{run / REPORT}: cannot be read: {cause.strerror}") from cause
    plan = plan_of_copy(run) if is_redacted(run) else read_plan(run)
    return RunDocuments(read_report(content), plan, read_manifest(run), read_look(run))


def run_digests(run: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of the run that its report rests on, by name."""
    there = (name for name in WHERE_THERE if (run / name).exists())
    return {name: file_sha256(run / name) for name in (*NEEDED, *there)}


def bundles_of(run: Path) -> tuple[Path, ...]:
    """Return the bundles beside a report: the first signer's, then the others' by name."""
    others = sorted(path for path in run.glob("report.*.sigstore.json"))
    first = run / BUNDLE
    return (*([first] if first.exists() else []), *others)


def set_aside(run: Path, *, why: str) -> tuple[Path, ...]:
    """Move the signatures of a report that is about to change, and a copy of it, into a folder.

    Nobody's signature is destroyed: with its report beside it, it still verifies
    what was signed.
    """
    bundles = bundles_of(run)
    if not bundles:
        return ()
    folder = run / "superseded" / why
    folder.mkdir(parents=True, exist_ok=True)
    replace_bytes(folder / REPORT, (run / REPORT).read_bytes())
    return tuple(bundle.rename(folder / bundle.name) for bundle in bundles)


def is_signed(run: Path) -> bool:
    """Return whether somebody's key signed the report; one that was made for it alone is nobody's."""
    for path in bundles_of(run):
        payload = open_bundle(path.read_bytes(), name=path.name).payload
        if not read_statement(payload).predicate.signer.throwaway:
            return True
    return False


def stated(
    documents: RunDocuments, *, ledger: LedgerClaim | None, signed_at: str, key_id: str, throwaway: bool
) -> Stated:
    """Return what a statement about these documents is made from, the files' digests left out."""
    return Stated(
        report=documents.report,
        manifest=documents.manifest,
        look=documents.look,
        ledger=ledger,
        files={},
        passed=exit_code(documents.report.decision) == 0,
        signed_at=signed_at,
        key_id=key_id,
        throwaway=throwaway,
    )


def ledger_claim(run: Path, gold: str) -> LedgerClaim | None:
    """Return the ledger as the run directory keeps it; null where it keeps none.

    Raises:
        Tampered: Its chain is broken.
    """
    if not (run / LOOKS).exists():
        return None
    looks = read_looks(run / LOOKS)
    return LedgerClaim(gold=gold, nLooks=len(looks), head=looks[-1].entry if looks else None)


def gold_folder(run: Path, *, gold: str, named: Path | None) -> Path | None:
    """Return the folder of the gold set whose ledger has the looks; null where it is not at hand.

    A folder that only happens to stand where the run was made counts if it
    holds the gold set of this name.

    Raises:
        InputError: The folder that was named is none.
    """
    if named is not None:
        if not named.is_dir():
            raise InputError(f"{named}: no such folder; wanted the gold set whose ledger has the looks")
        return named
    try:
        folder = run / read_origin(run).gold
        found = read_toml(folder / "set.toml", GoldSpec).name
    except HarnessError:
        return None
    return folder if found == gold else None


def copy_ledger(run: Path, folder: Path) -> None:
    """Keep the ledger as it is now beside the report, so that it travels with it."""
    ledger = folder / LEDGER
    read_looks(ledger)
    replace_bytes(run / LOOKS, ledger.read_bytes() if ledger.exists() else b"")
