"""Counting a sealed run again, while someone else reads it."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from harness.domain.calls import Evidence, Timing
from harness.domain.manifest import Manifest, Models


class Recount:
    """Counts over the records that pass through it, to be held against a manifest."""

    def __init__(self) -> None:
        self._n_records = 0
        self._n_failed = 0
        self._n_timings = 0
        self._n_attempts = 0
        self._first_ms: int | None = None
        self._last_ms: int | None = None

    def evidence(self, records: Iterable[Evidence]) -> Iterator[Evidence]:
        """Yield the records, counted."""
        for record in records:
            self._n_records += 1
            self._n_failed += record.failure is not None
            yield record

    def timings(self, timings: Iterable[Timing]) -> Iterator[Timing]:
        """Yield the timings, counted."""
        for timing in timings:
            self._n_timings += 1
            self._n_attempts += len(timing.attempts)
            for attempt in timing.attempts:
                self._span(attempt.started_ms, attempt.started_ms + attempt.duration_ms)
            yield timing

    def _span(self, started_ms: int, ended_ms: int) -> None:
        if self._first_ms is None or started_ms < self._first_ms:
            self._first_ms = started_ms
        if self._last_ms is None or ended_ms > self._last_ms:
            self._last_ms = ended_ms

    def contradictions(self, manifest: Manifest, *, models: Models) -> tuple[str, ...]:
        """Return what the manifest says otherwise than its records, in words.

        ``models`` are the model ids that the responses came back with.
        """
        complete = manifest.stopped is None and self._n_failed == 0
        counted = {
            "n_records": self._n_records,
            "n_failed": self._n_failed,
            "n_attempts": self._n_attempts,
            "n_calls": self._n_records - manifest.n_reused,
            "complete": complete,
            "started_at": _utc(self._first_ms),
            "finished_at": _utc(self._last_ms),
            "returned_models": models,
        }
        found = [
            f"{name}: found {getattr(manifest, name)}, counted {value}"
            for name, value in counted.items()
            if getattr(manifest, name) != value
        ]
        if self._n_timings != self._n_records:
            found.append(f"timings: found {self._n_timings}, wanted {self._n_records}")
        return tuple(found)


def _utc(unix_ms: int | None) -> str | None:
    if unix_ms is None:
        return None
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat(timespec="milliseconds")
