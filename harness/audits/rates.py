"""A count out of a count, with its interval, or with the reason why it is no rate."""

from harness.domain.blocks import IntervalBlock, Rate
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.proportions import clopper_pearson_interval, wilson_interval

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


def exact_block(found: Rate) -> IntervalBlock | None:
    """Return the Clopper-Pearson interval of a rate; null where there is no rate."""
    if found.of == 0:
        return None
    return block(clopper_pearson_interval(count=found.n, n_cases=found.of, confidence_level=CONFIDENCE_LEVEL))


def block_or_none(interval: Interval | NotEstimable) -> IntervalBlock | None:
    """Return the interval as the report writes it; null where it could not be estimated."""
    return None if isinstance(interval, NotEstimable) else block(interval)
