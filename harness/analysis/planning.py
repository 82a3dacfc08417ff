"""Was the set large enough to see the smallest difference that matters, and how large must it be?"""

from functools import lru_cache
from typing import Literal

import numpy as np

from harness.analysis.estimate import Target, measured_differences
from harness.analysis.gating import gating_mean
from harness.analysis.majority import Pairs, pairs
from harness.analysis.table import Table
from harness.domain.estimate_blocks import PlanningBlock, PrimaryBlock
from harness.domain.specs import AnalysisSpec
from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import smallest_attainable_pvalue
from harness.stats.planning import normal_detectable_effect
from harness.stats.power import DetectableEffect, SampleSize, minimum_detectable_effect, sample_size

Information = Literal["no_information", "underpowered", "bounded", "resolved"]


def planning_block(table: Table, target: Target, spec: AnalysisSpec, primary: PrimaryBlock) -> PlanningBlock:
    """Return the resolution of this table for the primary estimand.

    For the majority of independent cases the effect and the size come from the
    exact power of the mid-p test; for means and for clusters from the standard
    error, by the normal approximation.
    """
    counts = pairs(table)
    n_known = int(counts.known.sum())
    n_discordant = counts.gain + counts.loss
    exact = target.estimand == "majority" and table.clusters_of(counts.known) is None
    smallest = _smallest(table, target, counts, exact=exact)
    effect, needed, reason = (
        _exact(n_known, n_discordant, spec) if exact else _from_error(table, target, spec)
    )
    return PlanningBlock(
        margin=spec.margin,
        alpha=spec.alpha,
        power=spec.power,
        n_cases=primary.n_cases,
        discordance=n_discordant / n_known if n_known else None,
        minimum_detectable_effect=effect,
        n_cases_for_margin=needed,
        smallest_attainable_pvalue=smallest,
        information=_information(primary, effect, smallest, spec),
        reason=reason,
    )


def _exact(
    n_known: int, n_discordant: int, spec: AnalysisSpec
) -> tuple[float | None, int | None, str | None]:
    if n_known == 0 or n_discordant == 0:
        return None, None, "no discordant case to take a discordance from"
    share = n_discordant / n_known
    effect = _detectable(n_known, share, spec.alpha, spec.power)
    # A difference as large as the margin needs at least that many discordant cases.
    needed = _needed(max(share, spec.margin), spec.margin, spec.alpha, spec.power)
    return (
        None if isinstance(effect, NotEstimable) else effect.difference,
        None if isinstance(needed, NotEstimable) else needed.n_cases,
        effect.reason if isinstance(effect, NotEstimable) else None,
    )


# Enumerating the power takes longer than the whole analysis of a small table, and is asked for
# the same counts again by the held-out side and by simulations.
@lru_cache(maxsize=1024)
def _detectable(n_cases: int, share: float, alpha: float, power: float) -> DetectableEffect | NotEstimable:
    return minimum_detectable_effect(
        n_cases=n_cases, discordance=share, alpha=alpha, power=power, test="midp"
    )


@lru_cache(maxsize=1024)
def _needed(share: float, margin: float, alpha: float, power: float) -> SampleSize | NotEstimable:
    return sample_size(
        gain_rate=(share + margin) / 2, loss_rate=(share - margin) / 2, alpha=alpha, power=power, test="midp"
    )


def _from_error(
    table: Table, target: Target, spec: AnalysisSpec
) -> tuple[float | None, int | None, str | None]:
    """By the error of the interval that decides, so that both know the same precision."""
    known, differences = measured_differences(table, target)
    if not differences.size:
        return None, None, "no case is graded in both arms"
    found = gating_mean(
        differences,
        table.clusters_of(known),
        confidence_level=1 - spec.alpha,
        bounded=target.estimand == "majority" or target.of == "pass",
    )
    if isinstance(found, NotEstimable):
        return None, None, found.reason
    mean = found.mean
    variance = mean.standard_error**2 * mean.n_cases
    effect = normal_detectable_effect(
        n_cases=mean.n_cases, variance=variance, alpha=spec.alpha, power=spec.power
    )
    return effect, int(np.ceil(differences.size * (effect / spec.margin) ** 2)), None


def _smallest(table: Table, target: Target, counts: Pairs, *, exact: bool) -> float:
    """Return the p-value if all that differs went one way: of discordant cases, or of units that move."""
    if exact:
        return smallest_attainable_pvalue(counts.gain + counts.loss)
    known, differences = measured_differences(table, target)
    clusters = table.clusters_of(known)
    units = differences if clusters is None else np.bincount(clusters, weights=differences)
    return smallest_attainable_pvalue(int(np.sum(np.abs(units) > 1e-12)))


def _information(
    primary: PrimaryBlock, effect: float | None, smallest: float, spec: AnalysisSpec
) -> Information:
    interval = primary.interval
    if interval is not None and (interval.low > 0 or interval.high < 0):
        return "resolved"
    if interval is not None and -spec.margin < interval.low and interval.high < spec.margin:
        return "bounded"
    if interval is None or smallest > spec.alpha:
        return "no_information"
    if effect is not None and effect <= spec.margin and _one_side(primary, spec):
        return "bounded"
    return "underpowered"


def _one_side(primary: PrimaryBlock, spec: AnalysisSpec) -> bool:
    """Whether the interval rules out at least a loss, or a gain, as large as the margin."""
    interval = primary.interval
    return interval is not None and (interval.low > -spec.margin or interval.high < spec.margin)
