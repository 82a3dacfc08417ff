"""Where the marks of the forest plot stand, in percent of its width."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.report.rows import EstimateRow, Span

_ROOM = 0.06
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
_MOST_TICKS = 6


class Tick(NamedTuple):
    """A value on the axis, in points, and where it stands."""

    at: str
    label: str


class Mark(NamedTuple):
    """One interval: both limits, the estimate between them, the width of the line."""

    low: str
    middle: str
    high: str
    extent: str


class Axis(NamedTuple):
    """The scale that all rows of a plot share, in shares; the margin's band around zero."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    zero: str
    band_start: str
    band_width: str

    def mark(self, span: Span) -> Mark:
        """Return where an interval stands on this axis."""
        low, high = _place(span.low, self.low, self.high), _place(span.high, self.low, self.high)
        middle = _place(span.difference, self.low, self.high)
        return Mark(_percent(low), _percent(middle), _percent(high), _percent(high - low))


def axis(rows: Sequence[EstimateRow], *, margin: float) -> Axis | None:
    """Return an axis that holds every interval, zero and the margin; None without any interval."""
    spans = [row.span for row in rows if row.span is not None]
    if not spans:
        return None
    least = min(0.0, -margin, *(span.low for span in spans))
    most = max(0.0, margin, *(span.high for span in spans))
    room = _ROOM * (most - least)
    low, high = least - room, most + room
    start, end = _place(-margin, low, high), _place(margin, low, high)
    return Axis(
        low=low,
        high=high,
        ticks=_ticks(low, high),
        zero=_percent(_place(0.0, low, high)),
        band_start=_percent(start),
        band_width=_percent(end - start),
    )


def _ticks(low: float, high: float) -> tuple[Tick, ...]:
    step = next((step for step in _STEPS if 100 * (high - low) / step <= _MOST_TICKS), _STEPS[-1])
    first, last = int(100 * low / step), int(100 * high / step)
    values = [number * step for number in range(first, last + 1) if low < number * step / 100 < high]
    return tuple(Tick(_percent(_place(value / 100, low, high)), _label(value)) for value in values)


def _label(value: float) -> str:
    return "0" if value == 0 else f"{value:+g}"


def _place(share: float, low: float, high: float) -> float:
    return 100 * (share - low) / (high - low)


def _percent(place: float) -> str:
    return f"{place:.2f}%"
