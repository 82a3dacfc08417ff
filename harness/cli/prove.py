"""`harness prove` and `verify-proof`: one case of a run, shown without the others."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from harness.cli.output import printable, put
from harness.cli.signature_claims import utc_now
from harness.cli.signed_run import BUNDLE
from harness.domain.calls import Evidence
from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import InputError, Tampered
from harness.domain.record import Count, Positive, Record, Sha256, Text
from harness.report.bundle import Signed, open_bundle, signer_of
from harness.report.inert import inert
from harness.report.statement import Statement, read_statement
from harness.report.trust import key_at, moment, pinned_keys
from harness.report.verifying import (
    EXIT_CODES,
    Claim,
    broken,
    holds,
    unproven,
    verification,
)
from harness.store.evidence import read_manifest
from harness.store.merkle import inclusion_proof, is_included, leaf_hash
from harness.store.run_dir import EVIDENCE, read_plan


class ProvenRecord(Record):
    """One line of the evidence, and its way up to the root (RFC 6962), from the leaf."""

    index: Count
    line: Text
    path: tuple[Sha256, ...]


class CaseProof(Record):
    """Every record of one case, with what shows that they stand in the signed evidence."""

    version: Text
    case: Text
    n_records: Positive
    merkle_root: Sha256
    records: tuple[ProvenRecord, ...]
    bundle: str | None


def prove(*, run: Path, case: str, out: Path | None) -> int:
    """Write the proof that the records of a case stand in the evidence of a run."""
    proof = case_proof(run, case)
    text = canonical_bytes(proof).decode()
    if out is None:
        put(text)
    else:
        out.write_text(text, encoding="utf-8")
        put(f"{out}: {len(proof.records)} records of {inert(case)}; the others stay where they are")
    return 0


def case_proof(run: Path, case: str) -> CaseProof:
    """Return the proof of one case.

    Raises:
        InputError: The plan has no such case, its split is closed, or it has no record.
        Tampered: The evidence is not what the manifest names.
    """
    plan, manifest = read_plan(run), read_manifest(run)
    if case not in {each.id for each in plan.cases}:
        raise InputError(f"{run}: no case {inert(case)!r} in its plan")
    if case in plan.held_out and not (run / "look.json").exists():
        raise InputError(f"{run}: {inert(case)} is held out, and no look has opened it")
    lines = (run / EVIDENCE).read_bytes().split(b"\n")[:-1]
    hashes = [leaf_hash(line) for line in lines]
    records = tuple(
        ProvenRecord(
            index=index,
            line=lines[index].decode(),
            path=tuple(node.hex() for node in inclusion_proof(hashes, index=index)),
        )
        for index in _lines_of(case, lines)
    )
    if not records:
        raise InputError(f"{run}: no record of {inert(case)} in its evidence")
    for record in records:
        if not _stands(record, n_records=len(lines), root=manifest.merkle_root):
            raise Tampered(f"{run / EVIDENCE}: its root is not the one that the manifest names")
    bundle = run / BUNDLE
    return CaseProof(
        version="1",
        case=case,
        n_records=len(lines),
        merkle_root=manifest.merkle_root,
        records=records,
        bundle=bundle.read_bytes().decode() if bundle.exists() else None,
    )


def verify_proof(*, proof: Path, keys: tuple[Path, ...], trust: Path | None, as_json: bool) -> int:
    """Verify the proof of a case with nothing but the file and the signer's key."""
    try:
        content = proof.read_bytes()
    except OSError as cause:
        raise InputError(f"{proof}: cannot be read: {cause.strerror}") from cause
    found = read_proof(content, str(proof))
    claims = [*_record_claims(found), *_signature_claims(found, keys, trust)]
    result = verification(claims, gates=0)
    if as_json:
        put(json.dumps({"result": result, "claims": [claim._asdict() for claim in claims]}, indent=2))
    else:
        lines = [f"{claim.standing.replace('_', ' '):<11}  {claim.what}  {claim.detail}" for claim in claims]
        put(printable("\n".join([f"{result}: {inert(found.case)}, {len(found.records)} records", *lines])))
    return EXIT_CODES[result]


def read_proof(content: bytes, name: str) -> CaseProof:
    """Read a proof, in the bytes that `prove` writes and no others.

    Raises:
        Tampered: It is not such a proof.
    """
    try:
        strict_json(content)
        found = CaseProof.from_json(content)
    except (ValidationError, ValueError) as cause:
        raise Tampered(f"{name}: not a proof as harness prove writes it") from cause
    if canonical_bytes(found) != content:
        raise Tampered(f"{name}: not in the bytes that were written")
    return found


def _lines_of(case: str, lines: list[bytes]) -> Iterator[int]:
    for index, line in enumerate(lines):
        subject = Evidence.from_json(line).subject
        if subject.kind == "case" and subject.id == case:
            yield index


def _stands(record: ProvenRecord, *, n_records: int, root: str) -> bool:
    path = [bytes.fromhex(node) for node in record.path]
    leaf = record.line.encode()
    return is_included(leaf, index=record.index, n_leaves=n_records, proof=path, root=bytes.fromhex(root))


def _record_claims(proof: CaseProof) -> Iterator[Claim]:
    for record in proof.records:
        what = f"record {record.index}"
        if not _stands(record, n_records=proof.n_records, root=proof.merkle_root):
            yield broken(what, "does not stand in the evidence with this root")
            continue
        try:
            subject = Evidence.from_json(record.line).subject
        except ValidationError:
            yield broken(what, "is no record of the evidence")
            continue
        if subject.kind != "case" or subject.id != proof.case:
            yield broken(what, f"is about {inert(subject.id)}, not about {inert(proof.case)}")
        else:
            yield holds(what, "stands in the evidence with this root")
    if not proof.records:
        yield broken("records", "there are none")


def _signature_claims(proof: CaseProof, keys: tuple[Path, ...], trust: Path | None) -> Iterator[Claim]:
    pinned = pinned_keys(keys, trust)
    if proof.bundle is None:
        yield (
            broken("signature", "is missing, and a key is pinned")
            if pinned
            else unproven("signature", "not signed")
        )
        return
    signed = open_bundle(proof.bundle.encode(), name="bundle")
    statement = read_statement(signed.payload)
    if statement.predicate.merkle_root != proof.merkle_root:
        yield broken("root", "is not the one in the signed statement")
    else:
        yield holds("root", f"{proof.merkle_root[:16]}, as in the statement")
    signer = signer_of(signed, pinned)
    if signer is None:
        yield _no_signer(signed, pinned=bool(pinned))
        return
    yield from _signer_claims(statement)
    signed_at = moment(statement.predicate.time_created, place="timeCreated")
    yield key_at(signer, signed_at=signed_at, now=utc_now())


def _signer_claims(statement: Statement) -> Iterator[Claim]:
    yield holds("signature", "by a pinned key")
    if statement.predicate.signer.throwaway:
        yield unproven("key", "made for this report alone: it proves integrity only, not who signed")


def _no_signer(signed: Signed, *, pinned: bool) -> Claim:
    hint = inert(signed.hint[:16])
    if pinned:
        return broken("signature", f"by no pinned key; it says {hint}")
    return unproven("signature", f"no key is pinned (--key, --trust); it says it is by {hint}")
