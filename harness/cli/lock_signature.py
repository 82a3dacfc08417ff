"""The signature of a lock: written by `harness freeze --key`, looked at by `harness verify`."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from harness.cli.run_files import LOCK, LOCK_SIGNATURE
from harness.cli.timestamp_claims import stamped
from harness.domain.errors import InputError
from harness.domain.plan import Lock
from harness.report.bundle import bundle_bytes, open_bundle, signer_of
from harness.report.frozen import frozen_bytes, read_frozen
from harness.report.inert import inert
from harness.report.keys import SigningKey, key_id
from harness.report.timestamps import Authority
from harness.report.trust import Pinned, key_at, moment
from harness.report.verifying import Claim, broken, holds, unproven
from harness.store.evidence import read_manifest
from harness.store.replace import replace_bytes
from harness.store.sealed import file_sha256


def sign_lock(path: Path, lock: Lock, key: SigningKey, *, signed_at: str) -> Path:
    """Write the signature of a lock beside it.

    Raises:
        InputError: It is signed already.
    """
    beside = path.with_suffix(".sigstore.json")
    if beside.exists():
        raise InputError(f"{beside}: is there already; a plan is dated once")
    name = key_id(key.public_key())
    payload = frozen_bytes(lock, sha256=file_sha256(path), signed_at=signed_at, key_id=name)
    replace_bytes(beside, bundle_bytes(payload, key))
    return beside


def lock_signature_claims(
    run: Path, keys: Sequence[Pinned], *, now: datetime, authorities: Sequence[Authority] = ()
) -> Iterator[Claim]:
    """Yield whether the lock kept with a run is the one that was signed when it was frozen.

    Raises:
        Tampered: The bundle, or the statement in it, is not as it was written.
    """
    signed = open_bundle((run / LOCK_SIGNATURE).read_bytes(), name=LOCK_SIGNATURE)
    statement = read_frozen(signed.payload)
    found, wanted = file_sha256(run / LOCK), statement.subject[0].digest.sha256
    if found != wanted:
        yield broken("lock", f"found sha256 {found[:16]}, signed when it was frozen is {wanted[:16]}")
        return
    signer = signer_of(signed, keys)
    if signer is None:
        hint = inert(signed.hint[:16])
        yield (
            broken("lock", f"its signature is by no pinned key; it says {hint}")
            if keys
            else unproven("lock", f"no key is pinned; its signature says it is by {hint}")
        )
        return
    predicate = statement.predicate
    yield holds("lock", f"signed {inert(predicate.time_created)}, by its own clock, by {signer.id[:16]}")
    signed_at = moment(predicate.time_created, place="timeCreated")
    # That a report is to be stamped says nothing of its lock: one without a stamp is as it was.
    stamp = stamped(signed, authorities if signed.timestamp else (), what="lock time")
    yield key_at(signer, signed_at=signed_at, now=now, stamped_at=stamp.time)._replace(what="lock key")
    yield from stamp.claims
    if stamp.time is not None:
        yield from _before_the_data(stamp.time, read_manifest(run).started_at)


def _before_the_data(stamped_at: datetime, started_at: str | None) -> Iterator[Claim]:
    if started_at is None:
        return
    if stamped_at > moment(started_at, place="started_at"):
        yield unproven("lock time", f"stamped after the first call ({started_at})")
    else:
        yield holds("lock time", f"stamped before the first call ({started_at})")
