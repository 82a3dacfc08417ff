"""The signed statement: which files a report rests on, and what it came to.

References:
    in-toto Attestation Framework, Statement v1. The names of the predicate's
    fields are near those of the proposed in-toto ``eval-result`` predicate.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, ValidationError

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import Tampered
from harness.domain.manifest import Manifest
from harness.domain.plan import Look
from harness.domain.record import Count, Record, Sha256, Text
from harness.domain.report import Decision, Provenance, Report
from harness.report.inert import inert

STATEMENT_TYPE: Literal["https://in-toto.io/Statement/v1"] = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Literal["urn:judge-harness:predicate:eval-result:1"] = (
    "urn:judge-harness:predicate:eval-result:1"
)


class DigestSet(Record):
    """The digest of a subject."""

    sha256: Sha256


class StatementSubject(Record):
    """One file, by its name in the run directory, or an input of the plan as ``inputs/PATH``."""

    name: Text
    digest: DigestSet


class HarnessBlock(Record):
    """What measured."""

    name: Literal["judge-harness"]
    version: Text


class EvaluationBlock(Record):
    """What was measured, and when. Times are UTC, ISO 8601, from the calls themselves."""

    name: Text
    kind: Text
    started_on: Text | None = Field(alias="startedOn")
    finished_on: Text | None = Field(alias="finishedOn")


class SampleSize(Record):
    """How much the decision rests on."""

    n_cases: Count
    n_exploratory: Count
    n_held_out: Count
    n_clusters: Count
    answers: Count
    votes: Count
    n_calls_planned: Count
    n_calls_answered: Count


class PlanClaim(Record):
    """Which plan, and whether it was frozen before the run."""

    sha256: Sha256
    locked: bool


class LedgerClaim(Record):
    """The ledger of looks as it was when this was signed; ``head`` is its last entry."""

    gold: Text
    n_looks: Count = Field(alias="nLooks")
    head: Sha256 | None


class SignerClaim(Record):
    """Which key signs. One made for this report alone proves integrity and nothing else."""

    key_id: Sha256 = Field(alias="keyId")
    throwaway: bool


class Predicate(Record):
    """The predicate of type ``urn:judge-harness:predicate:eval-result:1``.

    ``time_created`` is the signer's own clock. ``passed`` is whether every gate
    passed. ``look`` is the entry of the look that opened the held-out split.
    """

    harness: HarnessBlock
    evaluation: EvaluationBlock
    time_created: Text = Field(alias="timeCreated")
    assurance_level: Literal["self_attested"] = Field(alias="assuranceLevel")
    passed: bool
    decision: Decision
    sample_size: SampleSize = Field(alias="sampleSize")
    merkle_root: Sha256 = Field(alias="merkleRoot")
    plan: PlanClaim
    ledger: LedgerClaim | None
    look: Sha256 | None
    provenance: Provenance
    signer: SignerClaim


class Statement(Record):
    """An in-toto Statement v1 over a report."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: Annotated[tuple[StatementSubject, ...], Field(min_length=1)]
    predicate_type: Literal["urn:judge-harness:predicate:eval-result:1"] = Field(alias="predicateType")
    predicate: Predicate


class Stated(NamedTuple):
    """Everything a statement is made from.

    ``files`` maps the name of every file in the run directory that the report
    rests on to its SHA-256; ``passed`` is whether every gate passed.
    """

    report: Report
    manifest: Manifest
    look: Look | None
    ledger: LedgerClaim | None
    files: Mapping[str, str]
    passed: bool
    signed_at: str
    key_id: str
    throwaway: bool


def make_statement(stated: Stated) -> Statement:
    """Return the statement about a report."""
    return Statement(
        _type=STATEMENT_TYPE,
        subject=tuple(
            StatementSubject(name=name, digest=DigestSet(sha256=sha256))
            for name, sha256 in {**stated.files, **input_digests(stated.report)}.items()
        ),
        predicateType=PREDICATE_TYPE,
        predicate=_predicate(stated),
    )


def input_digests(report: Report) -> dict[str, str]:
    """Return the inputs of the plan as subjects, apart from the names of the run's own files."""
    return {f"inputs/{item.path}": item.sha256 for item in report.inputs}


def statement_bytes(statement: Statement) -> bytes:
    """Return the bytes that are signed: RFC 8785."""
    return canonical_bytes(statement.model_dump(mode="json", by_alias=True))


def read_statement(content: bytes) -> Statement:
    """Read a statement as strictly as it was written.

    Raises:
        Tampered: Duplicate or unknown fields, another type, values that do not
            fit, a subject named twice, or bytes that are not the written ones.
    """
    try:
        strict_json(content)
        statement = Statement.from_json(content)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "top level"
        raise Tampered(f"statement: {inert(place)}: {inert(first['msg'])}") from cause
    except ValueError as cause:
        raise Tampered(f"statement: {inert(str(cause))}") from cause
    if statement_bytes(statement) != content:
        raise Tampered("statement: the same values, spelled otherwise than they were written (RFC 8785)")
    names = [subject.name for subject in statement.subject]
    if len(set(names)) < len(names):
        raise Tampered("statement: a subject is named twice")
    return statement


def contradictions(statement: Statement, stated: Stated) -> tuple[str, ...]:
    """Return where the predicate says something else than the report it is about, in words."""
    wanted, found = _predicate(stated), statement.predicate
    return tuple(
        f"{field.alias or name}: signed is {_short(getattr(found, name))}, "
        f"the report has {_short(getattr(wanted, name))}"
        for name, field in Predicate.model_fields.items()
        if getattr(found, name) != getattr(wanted, name)
    )


def _predicate(stated: Stated) -> Predicate:
    report, plan = stated.report, stated.report.plan
    return Predicate(
        harness=HarnessBlock(name="judge-harness", version=report.provenance.harness_version),
        evaluation=EvaluationBlock(
            name=report.run.name,
            kind=report.run.kind,
            startedOn=report.run.started_at,
            finishedOn=report.run.finished_at,
        ),
        timeCreated=stated.signed_at,
        assuranceLevel="self_attested",
        passed=stated.passed,
        decision=report.decision,
        sampleSize=SampleSize(
            n_cases=plan.n_cases,
            n_exploratory=plan.n_exploratory,
            n_held_out=plan.n_held_out,
            n_clusters=plan.n_clusters,
            answers=plan.answers,
            votes=plan.votes,
            n_calls_planned=report.completeness.n_calls_planned,
            n_calls_answered=report.completeness.n_calls_answered,
        ),
        merkleRoot=stated.manifest.merkle_root,
        plan=PlanClaim(sha256=plan.sha256, locked=plan.locked),
        ledger=stated.ledger,
        look=stated.look.entry if stated.look else None,
        provenance=report.provenance,
        signer=SignerClaim(keyId=stated.key_id, throwaway=stated.throwaway),
    )


def _short(value: object) -> str:
    if isinstance(value, Decision):
        return inert(value.verdict)
    return inert(str(value), limit=120)
