"""Sealing a run: its evidence, its timings, and a manifest that names both by digest."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from harness.domain.calls import Evidence, Timing, sealed_bytes
from harness.domain.canonical import canonical_bytes
from harness.domain.completion import MalformedBody, read_response
from harness.domain.errors import StoreError
from harness.domain.manifest import Manifest
from harness.store.merkle import MerkleRoot
from harness.store.replace import replacing
from harness.store.run_dir import EVIDENCE, MANIFEST, TIMINGS


class Sealing(NamedTuple):
    """What a manifest says that the evidence does not.

    ``stopped`` is why the run ended before its end, where it did.
    ``locked`` counts only where the plan was frozen (``frozen_at``, UTC, ISO
    8601) before the first call: a lock that comes after data locks nothing.
    """

    plan_sha256: str
    harness_version: str
    stopped: str | None
    locked: bool
    frozen_at: str | None = None
    n_reused: int = 0


def seal_run(path: Path, records: Iterable[tuple[Evidence, Timing]], sealing: Sealing) -> Manifest:
    """Write a run's evidence, timings and manifest, in place of older ones.

    The records are written as they come, one canonical line each, and are not
    held. The old files stay until the new ones are whole.

    Args:
        path: The run directory.
        records: The evidence in plan order, each with its timing.
        sealing: What else the manifest says.

    Returns:
        The manifest. All of it but ``sealing`` follows from the records, so
        that sealing the same records again gives the same bytes.

    Raises:
        StoreError: The directory cannot be written.
    """
    targets = (path / EVIDENCE, path / TIMINGS, path / MANIFEST)
    try:
        with replacing(*targets) as (evidence_file, timings_file, manifest_file):
            evidence, timings, summary = _Lines(evidence_file), _Lines(timings_file), _Summary()
            for record, timing in records:
                evidence.add(sealed_bytes(record))
                timings.add(sealed_bytes(timing))
                summary.add(record, timing)
            manifest = summary.manifest(evidence, timings, sealing)
            manifest_file.write(canonical_bytes(manifest))
    except OSError as cause:
        raise StoreError(f"{path}: cannot be written: {cause.strerror}") from cause
    return manifest


class _Lines:
    """A file of lines, with the digest of its bytes and the root over its lines."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._sha256 = hashlib.sha256()
        self._tree = MerkleRoot()

    def add(self, line: bytes) -> None:
        """Append one line; the leaf of the tree is the line without its end."""
        self._tree.add(line)
        ended = line + b"\n"
        self._sha256.update(ended)
        self._stream.write(ended)

    def sha256(self) -> str:
        return self._sha256.hexdigest()

    def root(self) -> str:
        return self._tree.root().hex()


class _Summary:
    """Counts over the records, gathered as they pass."""

    def __init__(self) -> None:
        self.n_records = 0
        self._n_failed = 0
        self._n_attempts = 0
        self._first_ms: int | None = None
        self._last_ms: int | None = None
        self._models: dict[str, set[str]] = {}

    def add(self, record: Evidence, timing: Timing) -> None:
        self.n_records += 1
        self._n_failed += record.failure is not None
        self._n_attempts += len(timing.attempts)
        for attempt in timing.attempts:
            started = attempt.started_ms
            self._first_ms = started if self._first_ms is None else min(self._first_ms, started)
            self._last_ms = max(self._last_ms or 0, started + attempt.duration_ms)
        model = _returned_model(record)
        if model is not None:
            self._models.setdefault(record.endpoint, set()).add(model)

    def _asked_before(self, frozen_at: str | None) -> bool:
        if frozen_at is None or self._first_ms is None:
            return False
        return self._first_ms < datetime.fromisoformat(frozen_at).timestamp() * 1000

    def manifest(self, evidence: _Lines, timings: _Lines, sealing: Sealing) -> Manifest:
        return Manifest(
            plan_sha256=sealing.plan_sha256,
            evidence_sha256=evidence.sha256(),
            timings_sha256=timings.sha256(),
            merkle_root=evidence.root(),
            n_records=self.n_records,
            n_failed=self._n_failed,
            n_attempts=self._n_attempts,
            n_calls=self.n_records - sealing.n_reused,
            n_reused=sealing.n_reused,
            complete=sealing.stopped is None and self._n_failed == 0,
            stopped=sealing.stopped,
            locked=sealing.locked and not self._asked_before(sealing.frozen_at),
            started_at=_utc(self._first_ms),
            finished_at=_utc(self._last_ms),
            harness_version=sealing.harness_version,
            returned_models=tuple((name, tuple(sorted(ids))) for name, ids in sorted(self._models.items())),
        )


def _returned_model(record: Evidence) -> str | None:
    if record.response is None:
        return None
    try:
        return read_response(record.response).identity.model
    except MalformedBody:
        return None


def _utc(unix_ms: int | None) -> str | None:
    if unix_ms is None:
        return None
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat(timespec="milliseconds")
