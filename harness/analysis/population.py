"""The primary difference at the plan's weights, and whether the mix of cases decides its sign."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from harness.analysis.blocks import MAJORITY_SUPPORT, interval_block
from harness.analysis.estimate import Target, measured_differences
from harness.analysis.gating import FEWEST_CLUSTERS, FEWEST_DF, GatingMean, gating_mean, widened
from harness.analysis.reading import read_interval
from harness.analysis.table import BoolArray, FloatArray, IntArray, Table
from harness.domain.population_blocks import OpposedSlice, PopulationBlock, StratumBlock
from harness.domain.specs import AnalysisSpec
from harness.stats.effective_counts import EffectiveCounts
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import FEWEST_INFORMATIVE
from harness.stats.population import PostStratified, averages, mix_sensitivity, poststratify
from harness.stats.weighted_mean import WeightedMean, weighted_mean


class _Measured(NamedTuple):
    """Cases with a difference: their rows' mask over the table, and the differences by row."""

    known: BoolArray
    by_row: FloatArray
    bounded: bool


def population_block(
    table: Table, rows: Mapping[str, IntArray], target: Target, spec: AnalysisSpec
) -> PopulationBlock:
    """Return the difference at the plan's weights, by tag or by case, and opposed slices.

    Args:
        table: The cases.
        rows: Its rows by tag.
        target: What is estimated.
        spec: The analysis; its ``weights`` are shares of tags.
    """
    known, differences = measured_differences(table, target)
    by_row = np.zeros(table.n_cases)
    by_row[known] = differences
    found = _Measured(known, by_row, bounded=target.estimand == "majority" or target.of == "pass")
    opposed = _opposed(found, rows)
    if spec.weights:
        block = _by_tags(table, found, rows, spec)
    elif np.any(table.weights != table.weights[:1]):
        block = _by_cases(table, found, spec)
    else:
        block = PopulationBlock(reason="the plan gives no weights: every case counts the same")
    return block.model_copy(update={"opposed": opposed})


def _opposed(found: _Measured, rows: Mapping[str, IntArray]) -> tuple[OpposedSlice, ...]:
    """Return the tags whose cases point the other way than all cases together."""
    n, total = int(found.known.sum()), math.fsum(found.by_row)
    opposed = []
    for tag, carrying in rows.items():
        n_tag, of_tag = int(found.known[carrying].sum()), math.fsum(found.by_row[carrying])
        if n_tag in (0, n) or of_tag * total >= 0:
            continue
        rest = (total - of_tag) / (n - n_tag)
        mix = mix_sensitivity(differences=[of_tag / n_tag, rest], weights=[n_tag, n - n_tag])
        if mix.break_even_share is not None:
            opposed.append(
                OpposedSlice(
                    tag=tag,
                    n_cases=n_tag,
                    difference=of_tag / n_tag,
                    overall=mix.difference,
                    share=mix.opposed_share,
                    break_even_share=mix.break_even_share,
                )
            )
    return tuple(opposed)


def _by_tags(
    table: Table, found: _Measured, rows: Mapping[str, IntArray], spec: AnalysisSpec
) -> PopulationBlock:
    nobody = np.zeros(0, dtype=np.int64)
    members = {tag: rows.get(tag, nobody) for tag in spec.weights}
    members = {tag: carrying[found.known[carrying]] for tag, carrying in members.items()}
    total = sum(spec.weights.values())
    shares = {tag: spec.weights[tag] / total for tag in spec.weights}
    n_inside = sum(carrying.size for carrying in members.values())
    n_known = int(found.known.sum())
    distinct = np.unique(np.concatenate(list(members.values())))
    outside = n_known - distinct.size
    problem = _no_partition(table, members, n_inside=n_inside, n_distinct=distinct.size)
    parts = {tag: _mean_of(table, found, carrying, spec.alpha) for tag, carrying in members.items()}
    strata = tuple(_stratum(found, tag, members[tag], shares[tag], n_inside, parts[tag]) for tag in members)
    if problem is not None:
        return PopulationBlock(weighted_by="tags", n_cases=n_inside, n_outside=outside, reason=problem)
    wide = _poststratified(parts, members, shares, level=1 - spec.alpha)
    narrow = _poststratified(parts, members, shares, level=1 - 2 * spec.alpha)
    means = [stratum.difference for stratum in strata if stratum.difference is not None]
    sizes = [stratum.n_cases for stratum in strata if stratum.difference is not None]
    both = averages(means=means, n_cases=sizes) if means else None
    block = PopulationBlock(
        weighted_by="tags",
        n_cases=n_inside,
        n_outside=outside,
        strata=strata,
        macro=both.macro if both else None,
        micro=both.micro if both else None,
        unweighted=both.micro if both else None,
    )
    if isinstance(wide, NotEstimable) or isinstance(narrow, NotEstimable):
        refused = wide if isinstance(wide, NotEstimable) else narrow
        return block.model_copy(update={"reason": refused.reason})  # type: ignore[union-attr]
    cautions = [p.caution for p in parts.values() if isinstance(p, GatingMean) and p.caution is not None]
    at_target = math.fsum(shares[s.tag] * s.difference for s in strata if s.difference is not None)
    return block.model_copy(
        update={
            "difference": at_target,
            "standard_error": wide.standard_error,
            "df": wide.df,
            "effective_n": wide.effective_n,
            **_decided(
                (wide.interval, narrow.interval),
                _counts_by_tag(table, found, members, shares),
                margin=spec.margin,
                caution=cautions[0] if cautions else None,
            ),
        }
    )


def _counts_by_tag(
    table: Table, found: _Measured, members: Mapping[str, IntArray], shares: Mapping[str, float]
) -> EffectiveCounts | None:
    """Return the steps of the score interval, every case weighing its part of the target."""
    if not found.bounded:
        return None
    rows = np.concatenate(list(members.values()))
    weights = np.concatenate(
        [np.full(each.size, shares[tag] / max(each.size, 1)) for tag, each in members.items()]
    )
    mean = weighted_mean(
        differences=found.by_row[rows],
        weights=weights,
        clusters=None if table.clusters is None else table.clusters[rows],
        confidence_level=0.95,
        support=MAJORITY_SUPPORT,
    )
    return None if isinstance(mean, NotEstimable) else mean.counts


def _decided(
    intervals: tuple[Interval, Interval],
    counts: EffectiveCounts | None,
    *,
    margin: float,
    caution: str | None,
) -> dict[str, object]:
    wide, narrow = (widened(each, counts) if counts else each for each in intervals)
    if caution is not None:
        return {"interval": interval_block(wide), "verdict": "inconclusive", "reason": caution}
    return {
        "interval": interval_block(wide),
        "narrow_interval": interval_block(narrow),
        "verdict": read_interval(wide, narrow, margin=margin).verdict,
    }


def _no_partition(
    table: Table, members: Mapping[str, IntArray], *, n_inside: int, n_distinct: int
) -> str | None:
    if n_inside > n_distinct:
        return f"{n_inside - n_distinct} cases carry two of the weighted tags: the shares are of no partition"
    if table.clusters is not None:
        homes = [np.unique(table.clusters[carrying]) for carrying in members.values()]
        n_straddling = sum(home.size for home in homes) - np.unique(np.concatenate(homes)).size
        if n_straddling:
            return f"{n_straddling} clusters lie in two of the weighted tags: no error can be given"
    return None


def _mean_of(table: Table, found: _Measured, rows: IntArray, alpha: float) -> GatingMean | NotEstimable:
    if rows.size == 0:
        return NotEstimable("no case with a verdict in both arms")
    clusters = None if table.clusters is None else table.clusters[rows]
    return gating_mean(found.by_row[rows], clusters, confidence_level=1 - alpha, bounded=found.bounded)


def _stratum(
    found: _Measured,
    tag: str,
    rows: IntArray,
    target_share: float,
    n_inside: int,
    part: GatingMean | NotEstimable,
) -> StratumBlock:
    return StratumBlock(
        tag=tag,
        n_cases=rows.size,
        observed_share=rows.size / n_inside if n_inside else 0.0,
        target_share=target_share,
        difference=math.fsum(found.by_row[rows]) / rows.size if rows.size else None,
        interval=None if isinstance(part, NotEstimable) else interval_block(part.interval),
    )


def _poststratified(
    parts: Mapping[str, GatingMean | NotEstimable],
    members: Mapping[str, IntArray],
    shares: Mapping[str, float],
    *,
    level: float,
) -> PostStratified | NotEstimable:
    used = [tag for tag in parts if shares[tag] > 0]
    estimated: list[GatingMean] = []
    for tag in used:
        part = parts[tag]
        if isinstance(part, NotEstimable):
            return NotEstimable(f"{tag}, {shares[tag]:.3g} of the target: {part.reason}")
        estimated.append(part)
    return poststratify(
        means=[part.mean.difference for part in estimated],
        standard_errors=[part.mean.standard_error for part in estimated],
        dfs=[part.mean.df for part in estimated],
        n_cases=[members[tag].size for tag in used],
        target_weights=[shares[tag] for tag in used],
        confidence_level=level,
    )


def _by_cases(table: Table, found: _Measured, spec: AnalysisSpec) -> PopulationBlock:
    known = found.known
    weights, values = table.weights[known], found.by_row[known]
    block = PopulationBlock(weighted_by="cases", n_cases=values.size)
    if values.size == 0 or not weights.sum() > 0:
        return block.model_copy(update={"reason": "no case with a weight and a verdict in both arms"})
    weights = weights / weights.max()
    unweighted = math.fsum(values) / values.size
    block = block.model_copy(
        update={
            "difference": math.fsum(weights * values) / math.fsum(weights),
            "unweighted": unweighted,
            "micro": unweighted,
            "effective_n": math.fsum(weights) ** 2 / math.fsum(weights**2),
        }
    )
    clusters = table.clusters_of(known)
    wide = _weighted(found, weights, clusters, level=1 - spec.alpha)
    narrow = _weighted(found, weights, clusters, level=1 - 2 * spec.alpha)
    if isinstance(wide, NotEstimable) or isinstance(narrow, NotEstimable):
        refused = wide if isinstance(wide, NotEstimable) else narrow
        return block.model_copy(update={"reason": refused.reason})  # type: ignore[union-attr]
    return block.model_copy(
        update={
            "standard_error": wide.standard_error,
            "df": wide.df,
            **_decided(
                (wide.interval, narrow.interval), wide.counts, margin=spec.margin, caution=_few(wide.df)
            ),
        }
    )


def _weighted(
    found: _Measured, weights: FloatArray, clusters: IntArray | None, *, level: float
) -> WeightedMean | NotEstimable:
    """Return the weighted mean, refused by the rules of the unweighted one."""
    if clusters is not None and np.unique(clusters).size < FEWEST_CLUSTERS:
        return NotEstimable(f"{np.unique(clusters).size} clusters; an interval needs {FEWEST_CLUSTERS}")
    mean = weighted_mean(
        differences=found.by_row[found.known],
        weights=weights,
        clusters=clusters,
        confidence_level=level,
        support=MAJORITY_SUPPORT if found.bounded else None,
    )
    if isinstance(mean, NotEstimable) or found.bounded:
        return mean
    if mean.n_informative < min(FEWEST_INFORMATIVE, mean.n_units / 2):
        return NotEstimable(
            f"only {mean.n_informative} of {mean.n_units} differ: a t interval would cover too little"
        )
    return mean


def _few(df: float) -> str | None:
    if df >= FEWEST_DF:
        return None
    return (
        f"few_cases_carry_the_weight: they are worth {df:.1f} degrees of freedom, fewer than {FEWEST_DF:g}: "
        "the limits may hold less often than they say"
    )
