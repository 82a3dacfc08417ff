"""Reading a sealed run."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from harness.domain.calls import Evidence, Timing, sealed_bytes
from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError, StoreError, Tampered
from harness.domain.manifest import Manifest
from harness.store.run_dir import EVIDENCE, MANIFEST, TIMINGS
from harness.store.sealed import BUFFER

_Line = TypeVar("_Line", Evidence, Timing)


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of a run directory.

    Raises:
        InputError: There is none: the run was not sealed.
        Tampered: It is not what the harness wrote.
    """
    try:
        content = (path / MANIFEST).read_bytes()
    except FileNotFoundError as cause:
        raise InputError(
            f"{path}: no {MANIFEST}: not a run directory, or a run that was not sealed; run it again"
        ) from cause
    except OSError as cause:
        raise StoreError(f"{path / MANIFEST}: cannot be read: {cause.strerror}") from cause
    try:
        manifest = Manifest.from_json(content)
    except ValidationError as cause:
        raise Tampered(f"{path / MANIFEST}: not a manifest") from cause
    if canonical_bytes(manifest) != content:
        raise Tampered(f"{path / MANIFEST}: not in the bytes that the harness wrote")
    return manifest


def read_evidence(path: Path) -> Iterator[Evidence]:
    """Yield the sealed evidence of a run directory, in plan order.

    Nothing is held; the digest of the whole is compared after the last line,
    so a result may be used only once the iterator has ended.

    Raises:
        InputError: The run was not sealed.
        Tampered: A line is no record, or the file is not the one the manifest names.
    """
    manifest = read_manifest(path)
    return _read_lines(path / EVIDENCE, Evidence, sha256=manifest.evidence_sha256)


def read_timings(path: Path) -> Iterator[Timing]:
    """Yield the timings of a run directory, in the order of the evidence.

    Raises:
        InputError: The run was not sealed.
        Tampered: A line is no record, or the file is not the one the manifest names.
    """
    manifest = read_manifest(path)
    return _read_lines(path / TIMINGS, Timing, sha256=manifest.timings_sha256)


def _read_lines(path: Path, kind: type[_Line], *, sha256: str) -> Iterator[_Line]:
    seen = hashlib.sha256()
    try:
        with path.open("rb", buffering=BUFFER) as stream:
            for number, line in enumerate(stream, 1):
                seen.update(line)
                yield _record(kind, line, path, number)
    except OSError as cause:
        raise Tampered(f"{path}: cannot be read: {cause.strerror}") from cause
    if seen.hexdigest() != sha256:
        raise Tampered(
            f"{path}: found sha256 {seen.hexdigest()[:12]}, the manifest wants {sha256[:12]}; "
            "it was changed, or a run was cut off while sealing (then run it again)"
        )


def _record(kind: type[_Line], line: bytes, path: Path, number: int) -> _Line:
    try:
        record = kind.from_json(line)
    except ValueError as cause:
        raise Tampered(f"{path}:{number}: not a record of type {kind.__name__}") from cause
    # Another spelling of the same record, or a key that stands there twice, is not what was written.
    if sealed_bytes(record) + b"\n" != line:
        raise Tampered(f"{path}:{number}: not in the bytes that the harness wrote")
    return record
