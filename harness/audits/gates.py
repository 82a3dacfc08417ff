"""Floors, ceilings and bands: held, broken, or not shown either way.

A rule is held when the interval lies on its good side altogether, and broken
when the estimate itself does not keep it. In between there are too few
anchors to say, which is not a pass.
"""

from typing import NamedTuple

from harness.domain.blocks import IntervalBlock, Rate, Status
from harness.stats.proportions import clopper_pearson_interval

# Both limits of a 90% interval: each holds alone at 95%.
_TWO_SIDED_FOR_ONE = 0.90


class Ruled(NamedTuple):
    """How a rule fared, and why; the reason is empty where it was held."""

    status: Status
    reason: str = ""


def against_floor(name: str, found: Rate, floor: float) -> Ruled:
    """Hold a rate against a floor, by the exact one-sided lower limit at 95%."""
    if found.rate is None:
        return Ruled("not_audited", f"{name}_unknown: {found.reason or 'nothing to count'}")
    counted = f"{found.n}/{found.of} = {found.rate:.3f}"
    if found.rate < floor:
        return Ruled("fail", f"{name}_low: {counted} is below the floor {floor:.3f}")
    low = clopper_pearson_interval(count=found.n, n_cases=found.of, confidence_level=_TWO_SIDED_FOR_ONE).low
    if low < floor:
        return Ruled(
            "not_audited",
            f"{name}_not_shown: {counted} may be as low as {low:.3f}, wanted {floor:.3f}",
        )
    return Ruled("pass")


def against_ceiling(name: str, value: float, interval: IntervalBlock | None, ceiling: float) -> Ruled:
    """Hold an estimate against a ceiling, by the upper limit of its interval."""
    if value > ceiling:
        return Ruled("fail", f"{name}_high: {value:.3f} is above the ceiling {ceiling:.3f}")
    if interval is None or interval.high > ceiling:
        high = "anything" if interval is None else f"{interval.high:.3f}"
        return Ruled(
            "not_audited",
            f"{name}_not_shown: {value:.3f} may be as high as {high}, wanted at most {ceiling:.3f}",
        )
    return Ruled("pass")


def against_band(name: str, value: float, interval: IntervalBlock | None, band: float) -> Ruled:
    """Hold an effect, whose best value is 0, against a band around it.

    It is broken where the effect is as large as the band and its interval
    leaves out 0: a large effect that may as well be none is not shown.
    """
    if interval is None:
        return Ruled("not_audited", f"{name}_not_shown: {value:+.3f} has no interval")
    shown = f"{value:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"
    if abs(value) >= band and (interval.low > 0 or interval.high < 0):
        return Ruled("fail", f"{name}: {shown}, wanted within {band:.3f} of 0")
    if -band < interval.low and interval.high < band:
        return Ruled("pass")
    return Ruled("not_audited", f"{name}_not_shown: {shown} does not lie within {band:.3f} of 0")


def worst(*statuses: Status) -> Status:
    """Return ``fail`` with any failure, else ``not_audited`` with any gap, else ``pass``."""
    if "fail" in statuses:
        return "fail"
    return "not_audited" if "not_audited" in statuses or not statuses else "pass"
