"""The proof of one case as a file: its lines, and their way up to the signed root."""

from typing import Literal

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import Tampered
from harness.domain.record import Count, Record, Sha256, Text
from harness.domain.redacted import Commitments, RedactedLine
from harness.redaction.lines import leaf
from harness.store.merkle import is_included


class ProvenLine(Record):
    """One line of a run, and its way up to the root (RFC 6962), from the leaf."""

    index: Count
    line: RedactedLine
    path: tuple[Sha256, ...]


class CaseProof(Record):
    """The settings of a run, one case and its records, with what shows that they stand in the run.

    ``commitments`` is the run's file of that name, and ``bundle`` its signature.
    """

    version: Literal["1"] = "1"
    case: Text
    commitments: Text
    lines: tuple[ProvenLine, ...]
    bundle: str | None


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


def stands(proven: ProvenLine, commitments: Commitments) -> bool:
    """Return whether a line stands in the tree of the commitments."""
    return is_included(
        leaf(proven.line),
        index=proven.index,
        n_leaves=commitments.n_lines,
        proof=[bytes.fromhex(node) for node in proven.path],
        root=bytes.fromhex(commitments.merkle_root),
    )


def is_about(line: RedactedLine, case: str) -> bool:
    """Return whether a line is that of a case, or of one of its records."""
    clear = line.committed.clear
    if line.committed.kind == "case":
        return bool(clear["fields"]["id"] == case)
    if line.committed.kind != "record":
        return False
    return bool(clear["subject"]["kind"] == "case" and clear["subject"]["id"] == case)
