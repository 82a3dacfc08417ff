"""Whether the signatures beside a report are by keys that count, and are about these files."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from harness.cli.committed_run import is_redacted
from harness.cli.run_claims import attempted
from harness.cli.signed_run import (
    BUNDLE,
    NEEDED,
    WHERE_THERE,
    WITHHELD,
    RunDocuments,
    bundles_of,
    ledger_claim,
    stated,
)
from harness.cli.timestamp_claims import stamped
from harness.domain.errors import HarnessError
from harness.report.bundle import Signed, open_bundle, signer_of
from harness.report.inert import inert
from harness.report.statement import Statement, contradictions, input_digests, read_statement
from harness.report.timestamps import Authority
from harness.report.trust import Pinned, key_at, moment
from harness.report.verifying import Claim, broken, holds, not_checked, unproven
from harness.store.sealed import file_sha256

_SKEW = timedelta(minutes=5)


class Signatures(NamedTuple):
    """What was found of signatures: claims, and who signed when, for those that hold."""

    claims: tuple[Claim, ...]
    signers: tuple[tuple[Pinned, str], ...]


def check_signatures(
    run: Path,
    documents: RunDocuments | None,
    keys: Sequence[Pinned],
    *,
    now: datetime,
    authorities: Sequence[Authority] = (),
) -> Signatures:
    """Return the claims of every bundle beside the report.

    Args:
        run: The run directory.
        documents: What its files say; null where they cannot be read.
        keys: The keys that count, from the verifier's own hands.
        now: The verifier's clock.
        authorities: Those whose time stamps count, from the verifier's own hands.
    """
    bundles, claims, signers = bundles_of(run), [], []
    if not (run / BUNDLE).exists():
        found = f"{BUNDLE} is missing"
        claims.append(
            broken("signature", f"{found}, and a key is pinned") if keys else _unsigned(found, bundles)
        )
    for path in bundles:
        try:
            signed = open_bundle(path.read_bytes(), name=path.name)
            statement = read_statement(signed.payload)
        except (HarnessError, OSError) as error:
            claims.append(broken("signature", str(error)))
            continue
        signer = signer_of(signed, keys)
        stamp = stamped(signed, authorities)
        claims += attempted("signature", _by, path, signed, statement, signer, keys, now, stamp.time)
        claims += stamp.claims
        claims += _subject_claims(run, statement, documents)
        if documents is not None:
            claims += attempted("statement", _predicate_claims, run, statement, documents)
        if signer is not None:
            signers.append((signer, statement.predicate.time_created))
    ids = [signer.id for signer, _ in signers]
    if len(set(ids)) < len(ids):
        claims.append(broken("signature", "two bundles are by one key; one signer has one bundle"))
    return Signatures(tuple(claims), tuple(signers))


def _unsigned(found: str, bundles: Sequence[Path]) -> Claim:
    return (
        broken("signature", f"{found}, and other bundles are there")
        if bundles
        else unproven("signature", "not signed")
    )


def _by(
    path: Path,
    signed: Signed,
    statement: Statement,
    signer: Pinned | None,
    keys: Sequence[Pinned],
    now: datetime,
    stamped_at: datetime | None,
) -> Iterator[Claim]:
    if signer is None:
        yield _not_by(path, signed, keys)
        return
    yield holds("signature", f"{path.name}: by the pinned key {signer.id[:16]}")
    claimed = statement.predicate.signer
    if claimed.key_id != signer.id:
        yield broken(
            "signature", f"{path.name}: says it is by {claimed.key_id[:16]}, it is by {signer.id[:16]}"
        )
    if claimed.throwaway:
        yield unproven(
            "key", "made for this report alone and thrown away: it proves integrity only, not who signed"
        )
    signed_at = moment(statement.predicate.time_created, place="timeCreated")
    yield key_at(signer, signed_at=signed_at, now=now, stamped_at=stamped_at)
    finished = statement.predicate.evaluation.finished_on
    if finished and signed_at < moment(finished, place="finishedOn") - _SKEW:
        yield unproven(
            "key",
            f"signed {statement.predicate.time_created}, before the run ended ({finished}): a clock is wrong",
        )


def _not_by(path: Path, signed: Signed, keys: Sequence[Pinned]) -> Claim:
    hint = inert(signed.hint[:16])
    if not keys:
        return unproven(
            "signature", f"{path.name}: no key is pinned (--key, --trust); it says it is by {hint}"
        )
    if signed.hint in {each.id for each in keys}:
        return broken(
            "signature",
            f"{path.name}: names the pinned key {hint}, and the signature does not fit the signed bytes",
        )
    return broken("signature", f"{path.name}: by a key that is not pinned; it says {hint}")


def _subject_claims(run: Path, statement: Statement, documents: RunDocuments | None) -> Iterator[Claim]:
    signed = {subject.name: subject.digest.sha256 for subject in statement.subject}
    inputs = {name: sha256 for name, sha256 in signed.items() if name.startswith("inputs/")}
    withheld = WITHHELD if is_redacted(run) else ()
    known = (*NEEDED, *WHERE_THERE)
    for name in (*known, *(each for each in signed if each not in known and each not in inputs)):
        if name in withheld and name in signed and not (run / name).exists():
            yield not_checked(name, "is not in this copy, which withholds texts")
        else:
            yield from _file_claims(run, name, signed.get(name), known=name in known)
    if documents is not None:
        if inputs != input_digests(documents.report):
            yield broken("inputs", "the signed input files, or their digests, are not those of the report")
        else:
            yield holds("inputs", f"{len(inputs)} signed input files, as the report names them")


def _file_claims(run: Path, name: str, sha256: str | None, *, known: bool) -> Iterator[Claim]:
    if not known:
        yield broken("subject", f"{inert(name)} is signed, and no report of a run rests on such a file")
    elif not (run / name).is_file():
        if sha256 is not None or name in NEEDED:
            yield broken(name, "is signed and missing" if sha256 else "is missing, and not signed either")
    elif sha256 is None:
        yield broken(name, "is there and not signed")
    elif (found := file_sha256(run / name)) != sha256:
        yield broken(name, f"found sha256 {found[:16]}, signed is {sha256[:16]}")
    else:
        yield holds(name, f"sha256 {sha256[:16]}, as signed")


def _predicate_claims(run: Path, statement: Statement, documents: RunDocuments) -> Iterator[Claim]:
    predicate = statement.predicate
    wanted = stated(
        documents,
        ledger=ledger_claim(run, documents.plan.gold.name),
        signed_at=predicate.time_created,
        key_id=predicate.signer.key_id,
        throwaway=predicate.signer.throwaway,
    )
    wrong = contradictions(statement, wanted)
    for each in wrong:
        yield broken("statement", each)
    if not wrong:
        yield holds("statement", f"says of the report what the report says: {predicate.decision.verdict}")


def utc_now() -> datetime:
    """Return this clock's time."""
    return datetime.now(UTC)
