"""Was the set large enough to see the smallest difference that matters, and how large must it be?"""

from typing import Literal

import numpy as np

from harness.analysis.estimate import Target
from harness.analysis.majority import pairs
from harness.analysis.mean import mean_differences
from harness.analysis.table import Table
from harness.domain.report import PlanningBlock, PrimaryBlock
from harness.domain.specs import AnalysisSpec
from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import smallest_attainable_pvalue
from harness.stats.means import paired_mean
from harness.stats.planning import normal_detectable_effect
from harness.stats.power import minimum_detectable_effect, sample_size

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
    smallest = smallest_attainable_pvalue(n_discordant)
    exact = target.estimand == "majority" and table.clusters_of(counts.known) is None
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
        information=_information(primary, effect, smallest, spec, exact=exact),
        reason=reason,
    )


def _exact(
    n_known: int, n_discordant: int, spec: AnalysisSpec
) -> tuple[float | None, int | None, str | None]:
    if n_known == 0 or n_discordant == 0:
        return None, None, "no discordant case to take a discordance from"
    share = n_discordant / n_known
    effect = minimum_detectable_effect(
        n_cases=n_known, discordance=share, alpha=spec.alpha, power=spec.power, test="midp"
    )
    # A difference as large as the margin needs at least that many discordant cases.
    assumed = max(share, spec.margin)
    needed = sample_size(
        gain_rate=(assumed + spec.margin) / 2,
        loss_rate=(assumed - spec.margin) / 2,
        alpha=spec.alpha,
        power=spec.power,
        test="midp",
    )
    return (
        None if isinstance(effect, NotEstimable) else effect.difference,
        None if isinstance(needed, NotEstimable) else needed.n_cases,
        effect.reason if isinstance(effect, NotEstimable) else None,
    )


def _from_error(
    table: Table, target: Target, spec: AnalysisSpec
) -> tuple[float | None, int | None, str | None]:
    if target.estimand == "majority":
        counts = pairs(table)
        known, differences = counts.known, counts.differences.astype(np.float64)
    else:
        means = mean_differences(table, of=target.of)
        known, differences = means.known, means.differences
    if not differences.size:
        return None, None, "no case is graded in both arms"
    mean = paired_mean(
        differences=differences, clusters=table.clusters_of(known), confidence_level=1 - spec.alpha
    )
    if isinstance(mean, NotEstimable):
        return None, None, mean.reason
    variance = mean.standard_error**2 * mean.n_cases
    effect = normal_detectable_effect(
        n_cases=mean.n_cases, variance=variance, alpha=spec.alpha, power=spec.power
    )
    return effect, int(np.ceil(mean.n_cases * (effect / spec.margin) ** 2)), None


def _information(
    primary: PrimaryBlock, effect: float | None, smallest: float, spec: AnalysisSpec, *, exact: bool
) -> Information:
    interval = primary.interval
    if interval is not None and (interval.low > 0 or interval.high < 0):
        return "resolved"
    if interval is not None and -spec.margin < interval.low and interval.high < spec.margin:
        return "bounded"
    if interval is None or (exact and smallest > spec.alpha):
        return "no_information"
    if effect is not None and effect <= spec.margin and _one_side(primary, spec):
        return "bounded"
    return "underpowered"


def _one_side(primary: PrimaryBlock, spec: AnalysisSpec) -> bool:
    """Whether the interval rules out at least a loss, or a gain, as large as the margin."""
    interval = primary.interval
    return interval is not None and (interval.low > -spec.margin or interval.high < spec.margin)
