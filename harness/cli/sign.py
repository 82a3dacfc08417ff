"""`harness keygen` and `harness sign`."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from harness.cli.committed_run import COMMITMENTS, is_redacted
from harness.cli.committing import keep_commitments
from harness.cli.output import put, say
from harness.cli.recompute import recompute_claims
from harness.cli.run_claims import run_claims
from harness.cli.run_files import LOOKS
from harness.cli.signature_claims import utc_now
from harness.cli.signed_run import (
    BUNDLE,
    RunDocuments,
    bundles_of,
    copy_ledger,
    gold_folder,
    ledger_claim,
    read_documents,
    run_digests,
    stated,
)
from harness.domain.canonical import sha256_hex
from harness.domain.errors import InputError, NotMeasured, Tampered
from harness.report.bundle import bundle_bytes, open_bundle
from harness.report.keys import (
    KeyKind,
    SigningKey,
    key_id,
    make_key,
    public_pem,
    read_signing_key,
    write_key_pair,
)
from harness.report.statement import Statement, make_statement, read_statement, statement_bytes
from harness.report.verifying import Claim
from harness.store.replace import replace_bytes

_KEY, _PUBLIC = "signer.key", "signer.pub"


def keygen(*, path: Path, kind: KeyKind, as_json: bool) -> int:
    """Make a key pair; into a folder under the names signer.key and signer.pub."""
    target = path / _KEY if path.is_dir() or not path.suffix else path
    key = make_key(kind)
    public = write_key_pair(target, key)
    made = {"key": str(target), "public_key": str(public), "key_id": key_id(key.public_key()), "type": kind}
    put(json.dumps(made, indent=2) if as_json else _keygen_text(made))
    return 0


def _keygen_text(made: dict[str, str]) -> str:
    return (
        f"{made['key']}: signs; keep it to yourself\n"
        f"{made['public_key']}: verifies; give it to whoever reads your reports\n"
        f"key id {made['key_id']} ({made['type']})"
    )


def sign(
    *, run: Path, key: Path | None, variable: str | None, gold: Path | None, replace: bool, as_json: bool
) -> int:
    """Sign the report of a run, once its files fit each other and its numbers follow from its evidence."""
    signing = read_signing_key(key, variable=variable, environ=os.environ)
    if key is not None and key.stat().st_mode & 0o077:
        say(f"harness: {key}: others can read this key; chmod 600 keeps it yours")
    if drop_throwaway(run):
        say(f"{run / BUNDLE}: was by a throw-away key; your signature takes its place")
    bundle = sign_run(run, signing, gold=gold, replace=replace, throwaway=False)
    signed = {"bundle": str(bundle), "key_id": key_id(signing.public_key())}
    put(json.dumps(signed, indent=2) if as_json else f"{bundle}: signed by the key {signed['key_id']}")
    return 0


def sign_with_throwaway_key(run: Path) -> bool:
    """Sign with a key that is made for this report and forgotten: it proves integrity only.

    Returns:
        False where somebody's own signature is there already; it stays.
    """
    bundle = run / BUNDLE
    if bundle.exists() and not _statement(bundle).predicate.signer.throwaway:
        return False
    bundle.unlink(missing_ok=True)
    key = make_key("p256")
    replace_bytes(run / _PUBLIC, public_pem(key.public_key()))
    sign_run(run, key, gold=None, replace=False, throwaway=True)
    return True


def drop_throwaway(run: Path) -> bool:
    """Remove a signature by a key that nobody has, with its public half; tell whether there was one."""
    bundle = run / BUNDLE
    if not bundle.exists() or not _statement(bundle).predicate.signer.throwaway:
        return False
    bundle.unlink()
    (run / _PUBLIC).unlink(missing_ok=True)
    return True


def sign_run(run: Path, key: SigningKey, *, gold: Path | None, replace: bool, throwaway: bool) -> Path:
    """Write the bundle over a run's report, and return where it is.

    Raises:
        InputError: The report is not there, was signed by this key before, or
            its look is in a ledger that is not at hand.
        Tampered: The files do not fit each other, or the numbers do not follow.
        NotMeasured: Something that a signature would vouch for cannot be shown.
    """
    if is_redacted(run):
        raise InputError(f"{run}: withholds texts that a signature would vouch for; sign the run itself")
    documents = read_documents(run)
    name = key_id(key.public_key())
    path = _free_bundle(run, name, replace=replace)
    another_signed = any(_is_about(each, documents) for each in bundles_of(run) if each != path)
    _keep_ledger(run, documents, gold, another_signed=another_signed)
    # Another's signature does not name commitments that were not there.
    if not another_signed or (run / COMMITMENTS).exists():
        keep_commitments(run, documents.plan)
    _refuse_unsound(run, documents, gold)
    statement = make_statement(
        stated(
            documents,
            ledger=ledger_claim(run, documents.plan.gold.name),
            signed_at=utc_now().isoformat(timespec="seconds"),
            key_id=name,
            throwaway=throwaway,
        )._replace(files=run_digests(run))
    )
    replace_bytes(path, bundle_bytes(statement_bytes(statement), key))
    return path


def _keep_ledger(run: Path, documents: RunDocuments, gold: Path | None, *, another_signed: bool) -> None:
    folder = gold_folder(run, gold=documents.plan.gold.name, named=gold)
    if folder is not None and not another_signed:
        copy_ledger(run, folder)
    elif documents.look is not None and not (run / LOOKS).exists():
        raise InputError(f"{run}: the ledger that has its look is not at hand; name the gold set with --gold")


def _refuse_unsound(run: Path, documents: RunDocuments, gold: Path | None) -> None:
    for claim in _unsigned_claims(run, documents, gold):
        if claim.standing == "broken":
            raise Tampered(f"{run}: not signed: {claim.what}: {claim.detail}")
        if claim.standing == "unproven":
            raise NotMeasured(f"{run}: not signed: {claim.what}: {claim.detail}")


def _unsigned_claims(run: Path, documents: RunDocuments, gold: Path | None) -> Iterator[Claim]:
    yield from run_claims(run, documents, gold=gold, inputs=None)
    yield from recompute_claims(run, documents)


def _free_bundle(run: Path, name: str, *, replace: bool) -> Path:
    """Return where this signer's bundle goes: another signer's is never touched."""
    mine = run / f"report.{name[:16]}.sigstore.json"
    for path in (run / BUNDLE, mine):
        if not path.exists():
            continue
        if open_bundle(path.read_bytes(), name=path.name).hint == name:
            if not replace:
                raise InputError(f"{path}: this key has signed already; --replace signs again")
            return path
    return mine if (run / BUNDLE).exists() else run / BUNDLE


def _is_about(path: Path, documents: RunDocuments) -> bool:
    """Tell whether a bundle is about this very report, so that its files must stay as they are."""
    statement = _statement(path)
    wanted = sha256_hex((path.parent / "report.json").read_bytes())
    return any(each.name == "report.json" and each.digest.sha256 == wanted for each in statement.subject)


def _statement(path: Path) -> Statement:
    return read_statement(open_bundle(path.read_bytes(), name=path.name).payload)
