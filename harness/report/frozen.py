"""The signed statement about a lock: this plan was frozen, by this key, before the data."""

from typing import Annotated, Literal

from pydantic import Field, ValidationError

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import Tampered
from harness.domain.plan import Lock
from harness.domain.record import Record, Sha256, Text
from harness.report.inert import inert
from harness.report.statement import STATEMENT_TYPE, DigestSet, StatementSubject

FROZEN_PLAN_TYPE: Literal["urn:judge-harness:predicate:frozen-plan:1"] = (
    "urn:judge-harness:predicate:frozen-plan:1"
)
_LOCK = "experiment.lock.json"


class FrozenPlan(Record):
    """The predicate of type ``urn:judge-harness:predicate:frozen-plan:1``. Times are the signer's clock."""

    plan_sha256: Sha256 = Field(alias="planSha256")
    frozen_at: Text = Field(alias="frozenAt")
    time_created: Text = Field(alias="timeCreated")
    key_id: Sha256 = Field(alias="keyId")


class FrozenStatement(Record):
    """An in-toto Statement v1 over a lock."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: Annotated[tuple[StatementSubject, ...], Field(min_length=1, max_length=1)]
    predicate_type: Literal["urn:judge-harness:predicate:frozen-plan:1"] = Field(alias="predicateType")
    predicate: FrozenPlan


def frozen_bytes(lock: Lock, *, sha256: str, signed_at: str, key_id: str) -> bytes:
    """Return the bytes to be signed about a lock whose file has this digest."""
    return _bytes(
        FrozenStatement(
            _type=STATEMENT_TYPE,
            subject=(StatementSubject(name=_LOCK, digest=DigestSet(sha256=sha256)),),
            predicateType=FROZEN_PLAN_TYPE,
            predicate=FrozenPlan(
                planSha256=lock.plan_sha256, frozenAt=lock.frozen_at, timeCreated=signed_at, keyId=key_id
            ),
        )
    )


def read_frozen(content: bytes) -> FrozenStatement:
    """Read a statement about a lock, as strictly as it was written.

    Raises:
        Tampered: It is not such a statement, or not in the bytes that were written.
    """
    try:
        strict_json(content)
        statement = FrozenStatement.from_json(content)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "top level"
        raise Tampered(f"statement about the lock: {inert(place)}: {inert(first['msg'])}") from cause
    except ValueError as cause:
        raise Tampered(f"statement about the lock: {inert(str(cause))}") from cause
    if _bytes(statement) != content:
        raise Tampered("statement about the lock: spelled otherwise than it was written (RFC 8785)")
    return statement


def _bytes(statement: FrozenStatement) -> bytes:
    return canonical_bytes(statement.model_dump(mode="json", by_alias=True))
