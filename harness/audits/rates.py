"""A count out of a count, with its interval, or with the reason why it is no rate."""

from harness.domain.report import IntervalBlock, Rate
from harness.stats.intervals import Interval
from harness.stats.proportions import wilson_interval

CONFIDENCE_LEVEL = 0.95


def block(interval: Interval) -> IntervalBlock:
    """Return the interval as the report writes it."""
    return IntervalBlock(
        low=interval.low,
        high=interval.high,
        confidence_level=interval.confidence_level,
        method=interval.method,
    )


def rate(n: int, of: int, *, nothing: str) -> Rate:
    """Return n out of ``of`` with its Wilson interval; ``nothing`` says why there may be none."""
    if of == 0:
        return Rate(n=0, of=0, rate=None, reason=nothing)
    interval = wilson_interval(count=n, n_cases=of, confidence_level=CONFIDENCE_LEVEL)
    return Rate(n=n, of=of, rate=n / of, interval=block(interval))
