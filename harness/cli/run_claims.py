"""Whether the files of a run directory fit each other; no key is needed for it."""

from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import ParamSpec

from harness.cli.committed_run import COMMITMENTS, is_redacted, read_commitments
from harness.cli.redaction_claims import redaction_claims
from harness.cli.run_files import ENVIRONMENT, JUNIT, LOCK, LOOKS, PAGE, SUMMARY, read_environment
from harness.cli.signed_run import LEDGER, RunDocuments, gold_folder
from harness.cli.split_claims import exposure_claims, split_claims
from harness.domain.canonical import digest, text_digest
from harness.domain.errors import HarnessError, InputError
from harness.domain.files import text_file_digest
from harness.domain.plan import plan_digest
from harness.inputs.ledger import read_looks
from harness.inputs.lock import read_lock
from harness.report.junit import junit
from harness.report.markdown import summary_markdown
from harness.report.page import page
from harness.report.verifying import Claim, broken, holds, not_checked, unproven
from harness.store.merkle import MerkleRoot
from harness.store.run_dir import EVIDENCE, MANIFEST, TIMINGS
from harness.store.sealed import file_sha256, measure

_P = ParamSpec("_P")


def run_claims(
    run: Path, documents: RunDocuments, *, gold: Path | None, inputs: Path | None
) -> Iterator[Claim]:
    """Yield every claim about the files of a run, apart from signatures and numbers."""
    if is_redacted(run):
        yield from attempted("redaction", redaction_claims, run, documents)
    else:
        yield from attempted("plan", _plan_claims, documents)
        yield from attempted("evidence", _evidence_claims, run, documents)
        yield from attempted("timings", _timings_claims, run, documents)
        yield from attempted("commitments", _commitment_claims, run, documents)
    yield from attempted("inputs", _input_claims, documents, inputs)
    yield from attempted("ledger", _ledger_claims, run, documents, gold)
    yield from attempted("split", split_claims, run, documents)
    yield from attempted("exposures", exposure_claims, run, documents, gold)
    yield from attempted("lock", _lock_claims, run, documents)
    yield from attempted("environment", _environment_claims, run, documents)
    yield from attempted("forms", _form_claims, run, documents)


def attempted(
    what: str, claims: Callable[_P, Iterator[Claim]], *args: _P.args, **kwargs: _P.kwargs
) -> Iterator[Claim]:
    """Yield the claims; what cannot be read as it was written is a broken one, and the rest goes on."""
    try:
        yield from claims(*args, **kwargs)
    except HarnessError as error:
        yield broken(what, str(error))


def _plan_claims(documents: RunDocuments) -> Iterator[Claim]:
    report, plan, manifest, look = documents
    sha256 = plan_digest(plan)
    for who, named in (("report", report.plan.sha256), ("manifest", manifest.plan_sha256)):
        if named != sha256:
            yield broken("plan", f"plan.json has the digest {sha256[:16]}, the {who} names {named[:16]}")
            return
    if look is not None and look.plan_sha256 != sha256:
        yield broken(
            "plan", f"plan.json has the digest {sha256[:16]}, the look was at {look.plan_sha256[:16]}"
        )
        return
    if any(text_digest(judge.prompt) != judge.spec.prompt_sha256 for judge in plan.judges):
        yield broken("plan", "the judge prompt in plan.json is not the one that its digest names")
        return
    yield holds("plan", f"plan.json is the plan of report and manifest, {sha256[:16]}")


def _evidence_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    report, _, manifest, _ = documents
    tree = MerkleRoot()
    found = measure(run / EVIDENCE, tree=tree)
    yield from _measured(EVIDENCE, found.n_lines, manifest.n_records)
    for name, value, wanted in (
        ("sha256", found.sha256, manifest.evidence_sha256),
        ("merkle_root", tree.root().hex(), manifest.merkle_root),
    ):
        if value != wanted:
            yield broken(EVIDENCE, f"found {name} {value[:16]}, the manifest has {wanted[:16]}")
    if report.run.evidence_sha256 != found.sha256:
        yield broken(
            EVIDENCE, f"found sha256 {found.sha256[:16]}, the report has {report.run.evidence_sha256}"
        )
    if manifest.complete != (manifest.stopped is None and manifest.n_failed == 0):
        yield broken(MANIFEST, "complete contradicts n_failed and stopped")


def _timings_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    report, _, manifest, _ = documents
    found = measure(run / TIMINGS)
    yield from _measured(TIMINGS, found.n_lines, manifest.n_records)
    for who, value in (("manifest", manifest.timings_sha256), ("report", report.run.timings_sha256)):
        if found.sha256 != value:
            yield broken(TIMINGS, f"found sha256 {found.sha256[:16]}, the {who} has {str(value)[:16]}")


def _measured(name: str, n_lines: int, n_records: int) -> Iterator[Claim]:
    if n_lines != n_records:
        yield broken(name, f"found {n_lines} records, the manifest counts {n_records}")
    else:
        yield holds(name, f"{n_lines} records, as the manifest counts them")


def _commitment_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    if not (run / COMMITMENTS).exists():
        return
    kept, manifest = read_commitments(run), documents.manifest
    for name in ("plan_sha256", "evidence_sha256", "timings_sha256"):
        if getattr(kept, name) != getattr(manifest, name):
            yield broken(
                COMMITMENTS,
                f"{name}: found {getattr(kept, name)[:16]}, the manifest has {getattr(manifest, name)[:16]}",
            )
            return
    yield holds(COMMITMENTS, "is about this plan, this evidence and these timings")


def _input_claims(documents: RunDocuments, folder: Path | None) -> Iterator[Claim]:
    report, plan, _, _ = documents
    planned = {item.path: item.sha256 for item in plan.inputs}
    if {item.path: item.sha256 for item in report.inputs} != planned:
        yield broken("inputs", "the report names other input files, or other digests, than plan.json")
        return
    if folder is None:
        yield not_checked(
            "inputs", f"the {len(planned)} input files themselves; --inputs names the experiment's folder"
        )
        return
    for path, sha256 in planned.items():
        found = text_file_digest(folder / path)[:16] if (folder / path).is_file() else "no such file"
        if found != sha256[:16]:
            yield broken("inputs", f"{path}: found {found}, the plan has {sha256[:16]}")
            return
    yield holds("inputs", f"{len(planned)} input files are those of the plan")


def _ledger_claims(run: Path, documents: RunDocuments, named: Path | None) -> Iterator[Claim]:
    report, plan, _, look = documents
    if (report.held_out is not None) != (look is not None and look.shows_numbers):
        yield broken("ledger", "the report shows held-out numbers without a look, or a look without them")
        return
    if (report.decision.basis == "held_out") != (look is not None):
        yield broken("ledger", "the decision is of held-out cases without a look, or a look is without it")
        return
    manifest = file_sha256(run / MANIFEST)
    if look is not None and look.run != manifest:
        yield broken("ledger", f"the look was at the run {look.run[:16]}, this one is {manifest[:16]}")
        return
    kept = read_looks(run / LOOKS) if (run / LOOKS).exists() else None
    entries = {entry.entry for entry in kept or ()}
    if kept is not None and look is not None and look.entry not in entries:
        yield broken(
            "ledger", f"the look {look.entry[:16]} of this run is not in the ledger it was signed with"
        )
        return
    if look is None and any(entry.run == manifest for entry in kept or ()):
        yield broken("ledger", "the ledger holds a look at this run, and the report says there was none")
        return
    known = [*([kept[-1].entry] if kept else []), *([look.entry] if look else [])]
    folder = gold_folder(run, gold=plan.gold.name, named=named)
    if folder is not None:
        looks = read_looks(folder / LEDGER, known_entries=known)
        yield holds("ledger", f"{folder / LEDGER}: {len(looks)} looks, every known one among them")
    elif look is not None and kept is None:
        yield unproven("ledger", "the gold set's ledger is not at hand; --gold names its folder")
    else:
        yield not_checked("ledger", "looks since the report was made; --gold names the gold set's folder")


def _lock_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    manifest = documents.manifest
    if not (run / LOCK).exists():
        yield from _without_a_lock(run, documents)
        return
    lock = read_lock(run / LOCK)
    if lock.plan_sha256 != manifest.plan_sha256:
        yield broken(
            "lock", f"freezes the plan {lock.plan_sha256[:16]}, the run has {manifest.plan_sha256[:16]}"
        )
    elif not manifest.locked:
        yield not_checked("lock", "the run was made without it")
    elif manifest.started_at is None:
        yield holds("lock", f"the plan was frozen {lock.frozen_at}, and no call was made")
    elif datetime.fromisoformat(lock.frozen_at) > datetime.fromisoformat(manifest.started_at):
        yield unproven(
            "lock",
            f"frozen {lock.frozen_at}, after the first call ({manifest.started_at}): "
            "the plan is exploratory, whatever it says",
        )
    else:
        yield holds("lock", f"the plan was frozen {lock.frozen_at}, before the first call, by its own clock")


def _without_a_lock(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    if is_redacted(run):
        yield not_checked("lock", "is not in this copy, if there was one")
    elif documents.manifest.locked:
        yield unproven("lock", "the manifest says that the plan was locked, and the lock is not there")
    else:
        yield not_checked("lock", "no lock was kept with the run")


def _environment_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    named, bill = documents.report.provenance.environment_sha256, read_environment(run)
    found = None if bill is None else digest(bill)
    if found != named:
        told = [each[:16] if each else "none" for each in (found, named)]
        yield broken("environment", f"{ENVIRONMENT} has the digest {told[0]}, the report names {told[1]}")
    elif bill is not None:
        yield holds("environment", f"{ENVIRONMENT} lists the {len(bill.packages)} packages of the report")


def _form_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    report = documents.report
    made_by, here = report.provenance.harness_version, version("judge-harness")
    for name, form in ((PAGE, page), (SUMMARY, summary_markdown), (JUNIT, junit)):
        try:
            found = (run / name).read_bytes()
        except FileNotFoundError:
            yield not_checked(name, "is not there")
            continue
        except OSError as cause:
            raise InputError(f"{run / name}: cannot be read: {cause.strerror}") from cause
        if made_by != here:
            yield not_checked(name, f"written by version {made_by}, this is {here}")
        elif found.replace(b"\r\n", b"\n") != form(report).encode("utf-8"):
            yield broken(name, "shows something else than report.json; `harness report` writes it again")
        else:
            yield holds(name, "shows report.json")
