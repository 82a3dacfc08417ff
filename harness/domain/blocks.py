"""Pieces that every part of the report is made of."""

from typing import Literal

from harness.domain.record import Count, Record, Text

Status = Literal["pass", "fail", "not_audited"]


class IntervalBlock(Record):
    """A confidence interval and the method it comes from."""

    low: float
    high: float
    confidence_level: float
    method: Text


class Rate(Record):
    """A count out of a count; ``rate`` is null with a reason where the denominator is 0."""

    n: Count
    of: Count
    rate: float | None
    interval: IntervalBlock | None = None
    reason: str | None = None
