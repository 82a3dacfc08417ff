"""What every interval of this room looks like."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """Two limits, how often such limits hold the truth, and the method behind them.

    Attributes:
        low: Lower limit, in the unit of the estimate.
        high: Upper limit, in the same unit. Never below `low`.
        confidence_level: Nominal coverage, in (0, 1).
        method: The name of the method, spelled as its function without `_interval`.
    """

    low: float
    high: float
    confidence_level: float
    method: str
