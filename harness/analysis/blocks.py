"""Intervals and seeds as every estimate of this room writes and draws them."""

import hashlib

import numpy as np

from harness.domain.blocks import IntervalBlock
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval

MAJORITY_SUPPORT = (-1.0, 1.0)


def interval_block(interval: Interval | NotEstimable | None) -> IntervalBlock | None:
    """Return the interval as the report writes it; null where there is none."""
    if interval is None or isinstance(interval, NotEstimable):
        return None
    return IntervalBlock(
        low=interval.low,
        high=interval.high,
        confidence_level=interval.confidence_level,
        method=interval.method,
    )


def generator(seed: int, name: str) -> np.random.Generator:
    """Return the random generator of one estimate.

    It depends on the plan's seed and the estimate's name alone, so that adding
    an estimate never moves another one's numbers.
    """
    content = hashlib.sha256(f"{seed}:{name}".encode()).digest()
    return np.random.default_rng(np.frombuffer(content, dtype=np.uint32))
