"""JSON Schemas of every file that people or the harness write."""

import json
from inspect import cleandoc
from typing import Any, Literal

import msgspec

from harness.domain.calls import Evidence, RecordedReply, Timing
from harness.domain.cases import Anchor, Canary, Case
from harness.domain.environment import SoftwareBill
from harness.domain.exposure import Exposure
from harness.domain.history import HistoryEntry
from harness.domain.manifest import Manifest
from harness.domain.plan import Lock, Look, Plan
from harness.domain.record import Record
from harness.domain.redacted import Commitments, RedactedLine
from harness.domain.report import Report
from harness.domain.sealed import Sealed
from harness.domain.specs import Experiment, GoldSpec, JudgeSpec
from harness.domain.vote_audit import VoteAudit
from harness.report.statement import Statement
from harness.report.trust import TrustList

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_URN = "urn:judge-harness:schema"
_VERSION = 1

# Who writes a file decides its schema: people may leave defaults out, we never do.
_FILES: tuple[tuple[str, type[Record | Sealed], Literal["validation", "serialization"]], ...] = (
    ("report", Report, "serialization"),
    ("plan", Plan, "serialization"),
    ("manifest", Manifest, "serialization"),
    ("evidence", Evidence, "serialization"),
    ("timing", Timing, "serialization"),
    ("environment", SoftwareBill, "serialization"),
    ("commitments", Commitments, "serialization"),
    ("redacted-line", RedactedLine, "serialization"),
    ("lock", Lock, "serialization"),
    ("look", Look, "serialization"),
    ("exposure", Exposure, "serialization"),
    ("history", HistoryEntry, "serialization"),
    ("statement", Statement, "serialization"),
    ("experiment", Experiment, "validation"),
    ("set", GoldSpec, "validation"),
    ("case", Case, "validation"),
    ("canary", Canary, "validation"),
    ("anchor", Anchor, "validation"),
    ("judge", JudgeSpec, "validation"),
    ("trust", TrustList, "validation"),
    ("recorded-reply", RecordedReply, "validation"),
    ("vote-audit", VoteAudit, "serialization"),
)


def schemas() -> dict[str, str]:
    """Return the JSON Schema (draft 2020-12) of each file, by its short name.

    Schemas of JSONL files describe one line. A schema says less than the
    reader checks: rules between fields stand in the documentation.
    """
    return {name: _schema(name, record, mode) for name, record, mode in _FILES}


def _schema(name: str, kind: type[Record | Sealed], mode: Literal["validation", "serialization"]) -> str:
    described = _sealed(kind) if issubclass(kind, Sealed) else kind.model_json_schema(mode=mode)
    document = {"$schema": DIALECT, "$id": f"{_URN}:{name}:{_VERSION}", **described}
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _sealed(kind: type[Sealed]) -> dict[str, Any]:
    """Return the schema of a sealed line, which has every field that its type has."""
    parts = msgspec.json.schema(kind)["$defs"]
    for part in parts.values():
        part["required"] = list(part["properties"])
        part["description"] = cleandoc(part["description"])
    whole: dict[str, Any] = parts.pop(kind.__name__)
    return whole | ({"$defs": parts} if parts else {})
