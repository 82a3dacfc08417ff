"""The evidence as committed lines, and records again from lines that withhold some of its texts."""

from typing import Any, TypeVar

from harness.domain.calls import Attempt, Evidence, Failure, Identity, Role, Subject, Timing, Usage
from harness.domain.canonical import canonical_bytes
from harness.domain.carried import CarriedEvidence, CarriedReading, CarriedVerdict
from harness.domain.errors import Tampered
from harness.domain.record import thaw
from harness.domain.redacted import RedactedLine
from harness.domain.sealed import Sealed, SealedCount, SealedText
from harness.redaction.lines import Draft


class ClearRecord(Sealed, frozen=True, kw_only=True):
    """What everybody sees of a record: what it is about, when it happened, who answered."""

    role: Role
    endpoint: SealedText
    subject: Subject
    repeat: SealedCount
    attempts: tuple[Attempt, ...]
    failed: bool
    identity: Identity | None
    usage: Usage | None


_Part = TypeVar("_Part", ClearRecord, CarriedVerdict, Evidence)
# In the place of a verdict that no look has opened: no number rests on it.
_CLOSED = CarriedVerdict(n_chars=0, text_tag="0" * 64, no_verdict="not_run", no_outcome="not_run")
_FAILED = CarriedVerdict(reason="failed")


def record_draft(record: Evidence, timing: Timing, reading: CarriedReading) -> Draft:
    """Return the line of one record."""
    fields = record.plain()
    # The fields of a ClearRecord, which is what reads them again.
    clear = {
        **{name: fields[name] for name in ("role", "endpoint", "subject", "repeat")},
        "attempts": [attempt.plain() for attempt in timing.attempts],
        "failed": record.failure is not None,
        "identity": None if reading.identity is None else reading.identity.plain(),
        "usage": None if reading.usage is None else reading.usage.plain(),
    }
    return Draft(
        "record",
        clear,
        {
            "request": {name: fields[name] for name in ("request", "shown")},
            "response": {name: fields[name] for name in ("response", "failure")},
            "verdict": reading.verdict.model_dump(mode="json"),
        },
    )


def carried_record(line: RedactedLine) -> tuple[CarriedEvidence, Timing]:
    """Return what stands in for a record, and its timing, under a commitment as their name.

    Raises:
        Tampered: It is no line of a record.
    """
    clear = _valid(ClearRecord, line.committed.clear)
    names = [each.commitment for each in line.committed.parts if each.part == "request"]
    if line.committed.kind != "record" or len(names) != 1:
        raise Tampered("a line of a redacted run is no record")
    told = line.content("verdict")
    closed = _FAILED if clear.failed else _CLOSED
    record = CarriedEvidence(
        request=names[0],
        role=clear.role,
        endpoint=clear.endpoint,
        subject=clear.subject,
        repeat=clear.repeat,
        failure=Failure(kind="withheld") if clear.failed else None,
        reading=CarriedReading(
            verdict=closed if told is None else _valid(CarriedVerdict, told),
            identity=clear.identity,
            usage=clear.usage,
        ),
    )
    return record, Timing(request=names[0], attempts=clear.attempts)


def shown_record(line: RedactedLine) -> Evidence | None:
    """Return the record with its response, where that is shown; without the name of its request.

    Raises:
        Tampered: What is shown is no response.
    """
    response = line.content("response")
    if response is None:
        return None
    clear = {name: line.committed.clear[name] for name in ("role", "endpoint", "subject", "repeat")}
    return _valid(Evidence, {**clear, **response, "request": "0" * 64, "shown": []})


def _valid(kind: type[_Part], fields: Any) -> _Part:
    try:
        return kind.from_json(canonical_bytes(thaw(fields)))
    except ValueError as cause:
        raise Tampered(f"a line of a redacted run does not fit a {kind.__name__}") from cause
