"""Shares and means over items that may share clusters, each with its interval."""

from collections.abc import Sequence

from harness.audits.rates import CONFIDENCE_LEVEL, block, rate
from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.vote_audit import Estimate
from harness.stats.agreement import Coefficient
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import covers_too_little, paired_mean, paired_mean_plus_two


def share(hits: Sequence[bool], groups: Sequence[str], *, nothing: str) -> Rate:
    """Return how many of the items hit, with Wilson's interval, or CR2 where items share clusters.

    Args:
        hits: One value an item.
        groups: The cluster of each.
        nothing: Why there is no rate, where there are no items.
    """
    n, of = sum(hits), len(hits)
    if of == 0 or len(set(groups)) == of:
        return rate(n, of, nothing=nothing)
    interval = mean_interval([float(hit) for hit in hits], groups, support=(0.0, 1.0))
    if isinstance(interval, NotEstimable):
        return Rate(n=n, of=of, rate=n / of, reason=interval.reason)
    return Rate(n=n, of=of, rate=n / of, interval=block(interval))


def mean_estimate(
    name: str, values: Sequence[float], groups: Sequence[str], *, support: tuple[float, float], nothing: str
) -> Estimate:
    """Return the mean over items, the cluster being the unit."""
    if not values:
        return Estimate(of=name, estimate=None, reason=nothing)
    interval = mean_interval(values, groups, support=support)
    estimate = sum(values) / len(values)
    if isinstance(interval, NotEstimable):
        return Estimate(of=name, estimate=estimate, reason=interval.reason)
    return Estimate(of=name, estimate=estimate, interval=block(interval))


def mean_interval(
    values: Sequence[float], groups: Sequence[str], *, support: tuple[float, float]
) -> Interval | NotEstimable:
    """Return a t interval, or the plus-two interval where too few items differ for it."""
    clusters = list(groups) if len(set(groups)) < len(groups) else None
    mean = paired_mean(
        differences=values, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=support
    )
    if not isinstance(mean, NotEstimable) and not covers_too_little(mean):
        return mean.interval
    return paired_mean_plus_two(
        differences=values, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=support
    )


def coefficient(name: str, found: Coefficient | NotEstimable) -> Estimate:
    """Return a coefficient of agreement as the document writes it."""
    if isinstance(found, NotEstimable):
        return Estimate(of=name, estimate=None, reason=found.reason)
    if isinstance(found.interval, NotEstimable):
        return Estimate(of=name, estimate=found.estimate, reason=found.interval.reason)
    return Estimate(of=name, estimate=found.estimate, interval=block(found.interval))


def missing(name: str, reason: str) -> Estimate:
    """Return the estimate that there is not, and why."""
    return Estimate(of=name, estimate=None, reason=reason)


def flip_rate(found: float, interval: IntervalBlock | None, reason: str | None) -> Estimate:
    """Return a flip rate as the document writes it."""
    return Estimate(of="flip_rate", estimate=found, interval=interval, reason=reason)
