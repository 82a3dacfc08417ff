"""`harness verify-proof`: the proof of a case, verified with nothing but the file and the signer's key."""

import json
from collections.abc import Iterator
from pathlib import Path

from harness.cli.case_proof import CaseProof, is_about, read_proof, stands
from harness.cli.committed_run import COMMITMENTS, parse_commitments
from harness.cli.output import printable, put
from harness.cli.read_again import ReadAgain
from harness.cli.run_claims import attempted
from harness.cli.signature_claims import utc_now
from harness.cli.timestamp_claims import stamped
from harness.domain.canonical import sha256_hex
from harness.domain.errors import InputError
from harness.redaction.lines import n_texts_of, problem
from harness.redaction.plan_lines import plan_again
from harness.report.bundle import Signed, open_bundle, signer_of
from harness.report.inert import inert
from harness.report.statement import Statement, read_statement
from harness.report.timestamps import read_authority
from harness.report.trust import key_at, moment, pinned_keys
from harness.report.verifying import EXIT_CODES, Claim, broken, holds, not_checked, unproven, verification


def verify_proof(
    *, proof: Path, keys: tuple[Path, ...], trust: Path | None, tsa: tuple[Path, ...], as_json: bool
) -> int:
    """Verify the proof of a case, print every claim and the result."""
    try:
        content = proof.read_bytes()
    except OSError as cause:
        raise InputError(f"{proof}: cannot be read: {cause.strerror}") from cause
    found = read_proof(content, str(proof))
    claims = [
        *attempted("lines", _line_claims, found),
        *attempted("verdicts", _verdict_claims, found),
        *attempted("signature", _signature_claims, found, keys, trust, tsa),
    ]
    result = verification(claims, gates=0)
    if as_json:
        put(json.dumps({"result": result, "claims": [claim._asdict() for claim in claims]}, indent=2))
    else:
        lines = [f"{claim.standing.replace('_', ' '):<11}  {claim.what}  {claim.detail}" for claim in claims]
        put(printable("\n".join([f"{result}: {inert(found.case)}, {_n_records(found)} records", *lines])))
    return EXIT_CODES[result]


def _n_records(proof: CaseProof) -> int:
    return sum(each.line.committed.kind == "record" for each in proof.lines)


def _line_claims(proof: CaseProof) -> Iterator[Claim]:
    commitments = parse_commitments(proof.commitments.encode(), place=COMMITMENTS)
    n_texts = n_shown = 0
    indices = [each.index for each in proof.lines]
    if indices != sorted(set(indices)):
        yield broken("lines", "stand out of order, or twice")
    for each in proof.lines:
        what, wrong = f"line {each.index}", problem(each.line)
        if not stands(each, commitments):
            yield broken(what, "does not stand in the run with this root")
        elif each.line.committed.kind != "plan" and not is_about(each.line, proof.case):
            yield broken(what, f"is not about {inert(proof.case)}")
        elif wrong is not None:
            yield broken(what, wrong)
        else:
            yield holds(what, "stands in the run with this root")
            n_texts, n_shown = n_texts + n_texts_of(each.line)[0], n_shown + n_texts_of(each.line)[1]
    if not _n_records(proof):
        yield broken("records", "there are none")
    yield not_checked("texts", f"{n_shown} of {n_texts} are shown; the others are withheld")


def _verdict_claims(proof: CaseProof) -> Iterator[Claim]:
    lines = [each.line for each in proof.lines]
    again = ReadAgain(plan_again(line for line in lines if line.committed.kind != "record"))
    for _ in again.records(lines):
        pass
    if again.problem is not None:
        yield broken("verdicts", again.problem)
    else:
        n_all = again.n_read + again.n_carried
        yield holds("verdicts", f"{again.n_read} of {n_all} were read again from their texts")


def _signature_claims(
    proof: CaseProof, keys: tuple[Path, ...], trust: Path | None, tsa: tuple[Path, ...]
) -> Iterator[Claim]:
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
    yield _commitments_claim(proof, statement)
    signer = signer_of(signed, pinned)
    if signer is None:
        yield _no_signer(signed, pinned=bool(pinned))
        return
    yield from _signer_claims(statement)
    signed_at = moment(statement.predicate.time_created, place="timeCreated")
    stamp = stamped(signed, tuple(map(read_authority, tsa)))
    yield key_at(signer, signed_at=signed_at, now=utc_now(), stamped_at=stamp.time)
    yield from stamp.claims


def _commitments_claim(proof: CaseProof, statement: Statement) -> Claim:
    signed = {each.name: each.digest.sha256 for each in statement.subject}.get(COMMITMENTS)
    found = sha256_hex(proof.commitments.encode())
    if signed != found:
        return broken("root", f"is not the one in the signed statement: found sha256 {found[:16]}")
    return holds("root", f"is that of the signed {COMMITMENTS}, sha256 {found[:16]}")


def _signer_claims(statement: Statement) -> Iterator[Claim]:
    yield holds("signature", "by a pinned key")
    if statement.predicate.signer.throwaway:
        yield unproven("key", "made for this report alone: it proves integrity only, not who signed")


def _no_signer(signed: Signed, *, pinned: bool) -> Claim:
    hint = inert(signed.hint[:16])
    if pinned:
        return broken("signature", f"by no pinned key; it says {hint}")
    return unproven("signature", f"no key is pinned (--key, --trust); it says it is by {hint}")
