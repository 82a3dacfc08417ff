"""A judge's history as marks of two charts and as rows of a table."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from harness.domain.history import HistoryBlock, HistoryPoint
from harness.report import words
from harness.report.judge_audits import series_lines

_TOP, _BOTTOM = 4.0, 96.0
_LEFT, _RIGHT = 5.0, 99.0
_ROOM = 1.15
_DIGEST_CHARS = 12

HEAD = ("audit", "right", "interval", "flips since", "CUSUM", "model", "fingerprint", "judge.toml")


class Dot(NamedTuple):
    """One audit in a chart, in percent of its size; ``low`` and ``high`` where it has an interval."""

    x: str
    y: str
    low: str | None
    high: str | None
    told: str


class Stroke(NamedTuple):
    """A line between two audits that follow each other."""

    x1: str
    y1: str
    x2: str
    y2: str


class Level(NamedTuple):
    """A height of the chart and what it stands for."""

    y: str
    label: str


class Chart(NamedTuple):
    """Dots and the lines between them; the limit, where there is one."""

    dots: tuple[Dot, ...]
    strokes: tuple[Stroke, ...]
    levels: tuple[Level, ...]
    limit: str | None


class Series(NamedTuple):
    """What the page and the Markdown table show of a history."""

    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    accuracy: Chart
    cusum: Chart | None


def series(history: HistoryBlock) -> Series:
    """Return the rows, the findings in words, and both charts."""
    return Series(
        rows=tuple(_row(point) for point in history.points),
        lines=tuple(series_lines(history)),
        accuracy=_accuracy(history.points),
        cusum=_cusum(history.points, history.limit),
    )


def _row(point: HistoryPoint) -> tuple[str, ...]:
    right, interval = point.correct, point.correct.interval
    return (
        point.at,
        words.out_of(right.n, right.of),
        "none" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}",
        "" if point.flips is None else words.out_of(point.flips.n, point.flips.of),
        "" if point.cusum is None else f"{point.cusum:.2f}",
        ", ".join(point.models) or "unknown",
        ", ".join(point.fingerprints) or "unknown",
        point.judge_sha256[:_DIGEST_CHARS],
    )


def _accuracy(points: Sequence[HistoryPoint]) -> Chart:
    known = [(number, point) for number, point in enumerate(points) if point.correct.rate is not None]
    dots = tuple(
        Dot(
            x=_across(number, len(points)),
            y=_height(point.correct.rate or 0.0, most=1.0),
            low=_height(point.correct.interval.low, most=1.0) if point.correct.interval else None,
            high=_height(point.correct.interval.high, most=1.0) if point.correct.interval else None,
            told=f"{point.at}: {words.rate(point.correct)}",
        )
        for number, point in known
    )
    levels = tuple(Level(_height(share, most=1.0), f"{share:g}") for share in (0.0, 0.5, 1.0))
    return Chart(dots, _strokes(dots), levels, None)


def _cusum(points: Sequence[HistoryPoint], limit: float | None) -> Chart | None:
    if limit is None:
        return None
    highest = [point.highest_cusum or 0.0 for point in points]
    most = _ROOM * max(limit, *highest)
    dots = tuple(
        Dot(_across(number, len(points)), _height(value, most=most), None, None, f"{point.at}: {value:.2f}")
        for number, (point, value) in enumerate(zip(points, highest, strict=True))
    )
    levels = (Level(_height(0.0, most=most), "0"), Level(_height(limit, most=most), f"{limit:.2f}"))
    return Chart(dots, _strokes(dots), levels, _height(limit, most=most))


def _strokes(dots: Sequence[Dot]) -> tuple[Stroke, ...]:
    return tuple(Stroke(first.x, first.y, second.x, second.y) for first, second in pairwise(dots))


def _across(number: int, n: int) -> str:
    return f"{_LEFT + (_RIGHT - _LEFT) * (number + 0.5) / n:.2f}%"


def _height(value: float, *, most: float) -> str:
    return f"{_BOTTOM - (_BOTTOM - _TOP) * value / most:.2f}%"
