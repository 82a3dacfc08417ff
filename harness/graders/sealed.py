"""Walking evidence and timings side by side, once, in plan order."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from harness.domain.calls import Evidence, Timing
from harness.domain.errors import StoreError


class Line(msgspec.Struct, frozen=True, gc=False):
    """One record and when it was first tried (Unix milliseconds; 0 where no timing is known)."""

    record: Evidence
    started_ms: int


class Sealed:
    """The lines of a run, taken in blocks of one subject.

    A cursor: it holds one line that was read ahead, and the timings that were
    passed over while looking for a line's own.
    """

    def __init__(self, evidence: Iterable[Evidence], timings: Iterable[Timing]) -> None:
        self._records: Iterator[Evidence] = iter(evidence)
        self._timings: Iterator[Timing] = iter(timings)
        self._passed: dict[str, int] = {}
        self._ahead: Evidence | None = next(self._records, None)

    def block(self, kind: Literal["case", "canary", "anchor"], subject_id: str) -> list[Line]:
        """Return the next lines as long as they are about this subject; there may be none."""
        lines: list[Line] = []
        record = self._ahead
        while record is not None:
            subject = record.subject
            if subject.id != subject_id or subject.kind != kind:
                break
            lines.append(Line(record, self._started_ms(record.request)))
            record = next(self._records, None)
        self._ahead = record
        return lines

    def end(self) -> None:
        """Check that no line is left.

        Raises:
            StoreError: A line is about something that the plan does not have,
                or stands out of plan order.
        """
        if self._ahead is not None:
            subject = self._ahead.subject
            raise StoreError(
                f"the evidence holds {subject.kind} {subject.id!r}, which is not planned or not here"
            )

    def _started_ms(self, request: str) -> int:
        if self._passed and request in self._passed:
            return self._passed.pop(request)
        # Both files are in plan order: the next timing is the one, unless lines are missing.
        for timing in self._timings:
            if timing.request == request:
                return timing.started_ms
            self._passed[timing.request] = timing.started_ms
        return 0
