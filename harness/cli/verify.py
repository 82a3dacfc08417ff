"""`harness verify`: every claim looked at, one result, and what it proves."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.cli.committed_run import is_redacted
from harness.cli.lock_signature import lock_signature_claims
from harness.cli.output import printable, put
from harness.cli.run_claims import attempted, run_claims
from harness.cli.run_files import LOCK, LOCK_SIGNATURE, REPORT
from harness.cli.signature_claims import Signatures, check_signatures, utc_now
from harness.cli.signed_run import RunDocuments, bundles_of, read_documents
from harness.domain.errors import HarnessError, InputError, NotMeasured
from harness.domain.exit_codes import exit_code
from harness.report.inert import inert
from harness.report.timestamps import read_authority
from harness.report.trust import pinned_keys
from harness.report.verifying import EXIT_CODES, Claim, Verification, broken, holds, unproven, verification

_STANDINGS = {
    "holds": "holds",
    "broken": "BROKEN",
    "unproven": "unproven",
    "not_checked": "not checked",
}


class Verified(NamedTuple):
    """What a verification came to."""

    result: Verification
    claims: tuple[Claim, ...]
    signatures: Signatures
    documents: RunDocuments | None
    recomputed: bool


def verify(
    *,
    run: Path,
    keys: tuple[Path, ...],
    trust: Path | None,
    tsa: tuple[Path, ...],
    gold: Path | None,
    inputs: Path | None,
    against: Path | None,
    recompute: bool,
    commitments: bool,
    as_json: bool,
) -> int:
    """Verify the report of a run, print every claim and the result."""
    if not (run / REPORT).exists() and not bundles_of(run):
        raise InputError(f"{run}: no {REPORT} there; wanted a run directory with its report")
    pinned, authorities = pinned_keys(keys, trust), tuple(map(read_authority, tsa))
    documents, problem = _documents(run)
    signatures = check_signatures(run, documents, pinned, now=utc_now(), authorities=authorities)
    claims = [*problem, *signatures.claims, *_planted(run, keys=keys, trust=trust, tsa=tsa)]
    if documents is not None:
        claims += run_claims(run, documents, gold=gold, inputs=inputs)
        claims += attempted("recompute", _recompute, run, documents) if recompute else ()
        claims += attempted("plan", _plan_again, run, documents, inputs) if recompute and inputs else ()
        claims += attempted("drift", _drift, run, documents, against, inputs) if recompute else ()
        claims += attempted("commitments", _commit_again, run, documents) if commitments else ()
    if (run / LOCK_SIGNATURE).exists() and (run / LOCK).exists():
        claims += attempted(
            "lock", lock_signature_claims, run, pinned, now=utc_now(), authorities=authorities
        )
    gates = exit_code(documents.report.decision) if documents is not None else 3
    verified = Verified(verification(claims, gates=gates), tuple(claims), signatures, documents, recompute)
    put(_as_json(verified) if as_json else _as_text(verified))
    return EXIT_CODES[verified.result]


def _planted(
    run: Path, *, keys: tuple[Path, ...], trust: Path | None, tsa: tuple[Path, ...]
) -> Iterator[Claim]:
    """Yield that trust was taken out of the very directory that is to be trusted."""
    where = run.resolve()
    for what, paths in (("key", keys), ("key", (trust,) if trust else ()), ("time", tsa)):
        for path in paths:
            if path.resolve().is_relative_to(where):
                yield unproven(what, f"{path} lies in the run directory: it proves integrity only")


def _documents(run: Path) -> tuple[RunDocuments | None, tuple[Claim, ...]]:
    try:
        return read_documents(run), ()
    except HarnessError as error:
        return None, (broken("documents", str(error)),)


def _recompute(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    # Imported here: numpy, scipy and the graders are not needed to check bytes.
    if is_redacted(run):
        from harness.cli.redacted_recompute import redacted_recompute_claims

        yield from redacted_recompute_claims(run, documents)
        return
    from harness.cli.recompute import recompute_claims

    yield from recompute_claims(run, documents)


def _commit_again(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    from harness.cli.committing import check_commitments

    if is_redacted(run):
        yield unproven("commitments", "a copy that withholds texts cannot make them again")
        return
    try:
        check_commitments(run, documents.plan)
    except NotMeasured as error:
        yield unproven("commitments", str(error))
    else:
        yield holds("commitments", "plan, evidence and the run's secret lead to them")


def _plan_again(run: Path, documents: RunDocuments, inputs: Path) -> Iterator[Claim]:
    from harness.cli.plan_again import plan_claims

    yield from plan_claims(run, documents, inputs)


def _drift(run: Path, documents: RunDocuments, against: Path | None, inputs: Path | None) -> Iterator[Claim]:
    if is_redacted(run):
        return
    from harness.cli.drift_claims import drift_claims

    yield from drift_claims(run, documents, against=against, inputs=inputs)


def _as_text(verified: Verified) -> str:
    width = max(len(claim.what) for claim in verified.claims)
    lines = [f"{verified.result}: {_sentence(verified)}", ""]
    lines += [f"{_STANDINGS[c.standing]:<11}  {c.what:<{width}}  {c.detail}" for c in verified.claims]
    return printable("\n".join([*lines, "", paragraph(verified)]))


def _as_json(verified: Verified) -> str:
    decision = verified.documents.report.decision if verified.documents is not None else None
    return json.dumps(
        {
            "result": verified.result,
            "exit_code": EXIT_CODES[verified.result],
            "sentence": _sentence(verified),
            "verdict": decision.verdict if decision is not None else None,
            "signers": [
                {"key_id": signer.id, "owner": signer.owner, "signed_at": signed_at}
                for signer, signed_at in verified.signatures.signers
            ],
            "claims": [claim._asdict() for claim in verified.claims],
            "proves": paragraph(verified),
        },
        indent=2,
    )


def _sentence(verified: Verified) -> str:
    first = _first(verified.claims, "broken") or _first(verified.claims, "unproven")
    if verified.result == "TAMPERED" and first is not None:
        return f"{first.what}: {first.detail}"
    if first is not None:
        unknown = "self-consistent, signer unknown" if not verified.signatures.signers else "signature valid"
        return f"{unknown}: {first.what}: {first.detail}"
    decision = verified.documents.report.decision.sentence if verified.documents is not None else ""
    return f"signed and unchanged; {inert(decision)}"


def _first(claims: Sequence[Claim], standing: str) -> Claim | None:
    return next((claim for claim in claims if claim.standing == standing), None)


def paragraph(verified: Verified) -> str:
    """Return what the verification proves and what it does not, as one paragraph."""
    if verified.result == "TAMPERED":
        return (
            "What this proves: the files are not the ones that were written and signed together. "
            "Believe none of them."
        )
    return f"What this proves: {_proved(verified)} What it does not prove: {_not_proved(verified)}"


def _proved(verified: Verified) -> str:
    who = "; ".join(
        f"the key {signer.id[:16]} ({inert(signer.owner)}) signed this report, by its own clock at "
        f"{inert(signed_at)}, and no signed byte has changed since"
        for signer, signed_at in verified.signatures.signers
    )
    bytes_ = who or "the files fit each other; anyone could have made them so"
    what = "estimate and the decision follow from the verdicts"
    if _carried(verified) is None:
        what = "verdict, estimate and the decision follow from the evidence"
    return f"{bytes_}, and every {what}." if verified.recomputed else f"{bytes_}."


def _carried(verified: Verified) -> Claim | None:
    """Return what was said of verdicts whose texts are withheld; null where all were read."""
    said = (claim for claim in verified.claims if claim.what == "verdicts")
    return next((claim for claim in said if claim.standing == "not_checked"), None)


def _not_proved(verified: Verified) -> str:
    open_ = [f"{claim.what}: {claim.detail}" for claim in verified.claims if claim.standing == "unproven"]
    missing = [
        *open_,
        *(["who signed"] if not verified.signatures.signers else []),
        *([] if _carried(verified) is None else ["that the carried verdicts follow from the withheld texts"]),
        *([] if verified.recomputed else ["that the numbers follow from the evidence (--recompute)"]),
        "that the answers came from the models they name",
        "that no other run was made and thrown away",
        "that gold set and judge are right",
        "that the clocks were",
    ]
    return "; ".join(missing) + "."
