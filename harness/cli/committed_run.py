"""What a run was committed to, and the lines of a copy that withholds some of its texts."""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError, StoreError, Tampered
from harness.domain.manifest import Manifest
from harness.domain.plan import Plan
from harness.domain.redacted import Commitments, RedactedLine
from harness.redaction.lines import read_line
from harness.redaction.plan_lines import plan_again
from harness.store.merkle import MerkleRoot
from harness.store.run_dir import EVIDENCE, REDACTED

COMMITMENTS = "commitments.json"


def is_redacted(run: Path) -> bool:
    """Return whether the directory is a copy that withholds texts."""
    return (run / REDACTED).exists() and not (run / EVIDENCE).exists()


def commitments_over(leaves: Iterable[bytes], manifest: Manifest) -> Commitments:
    """Return what is signed over these leaves of a run."""
    tree, n_lines = MerkleRoot(), 0
    for each in leaves:
        tree.add(each)
        n_lines += 1
    return Commitments(
        n_lines=n_lines,
        n_records=manifest.n_records,
        merkle_root=tree.root().hex(),
        plan_sha256=manifest.plan_sha256,
        evidence_sha256=manifest.evidence_sha256,
        timings_sha256=manifest.timings_sha256,
    )


def read_commitments(run: Path) -> Commitments:
    """Read the commitments of a run.

    Raises:
        InputError: There are none.
        Tampered: They are not what the harness wrote.
    """
    try:
        content = (run / COMMITMENTS).read_bytes()
    except OSError as cause:
        raise InputError(f"{run / COMMITMENTS}: cannot be read: {cause.strerror}") from cause
    return parse_commitments(content, place=str(run / COMMITMENTS))


def parse_commitments(content: bytes, *, place: str) -> Commitments:
    """Return commitments from the bytes that the harness wrote.

    Raises:
        Tampered: They are not those bytes.
    """
    try:
        found = Commitments.from_json(content)
    except ValidationError as cause:
        raise Tampered(f"{place}: not as the harness writes it") from cause
    if canonical_bytes(found) != content:
        raise Tampered(f"{place}: not in the bytes that the harness wrote")
    return found


def lines_of_copy(run: Path) -> Iterator[RedactedLine]:
    """Yield the lines of a copy that withholds texts.

    Raises:
        Tampered: A line is not what the harness wrote.
        StoreError: The file cannot be read.
    """
    path = run / REDACTED
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                yield read_line(line.removesuffix(b"\n"), place=f"{path}:{number}")
    except OSError as cause:
        raise StoreError(f"{path}: cannot be read: {cause.strerror}") from cause


def plan_of_copy(run: Path) -> Plan:
    """Return the plan of a copy, with stand-ins where a text is withheld.

    Raises:
        Tampered: The lines are not those of a plan.
    """
    return plan_again(takewhile(lambda line: line.committed.kind != "record", lines_of_copy(run)))
