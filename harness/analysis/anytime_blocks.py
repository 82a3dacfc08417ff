"""The blocks of a section whose run may have ended after any batch.

Counts, rates and differences stand as they are; every interval and p-value that holds at a
size fixed beforehand gives way to one that holds at any stop, or to null with the reason.
"""

import numpy as np

from harness.analysis.anytime import FIXED_SIZE, Anytime, anytime_evidence
from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Target, estimate, measured_differences
from harness.analysis.planning import Information
from harness.analysis.table import Table
from harness.domain.estimate_blocks import MajorityBlock, MeanBlock, PlanningBlock, PrimaryBlock
from harness.domain.specs import AnalysisSpec


def anytime_majority(
    block: MajorityBlock, table: Table, anytime: Anytime, spec: AnalysisSpec
) -> MajorityBlock:
    """Return the gain and loss table with the confidence sequence and its p-value."""
    found = estimate(table, Target("majority", "pass", anytime), confidence_level=1 - spec.alpha)
    return block.model_copy(
        update={
            "interval": interval_block(found.interval),
            "pvalue": found.pvalue,
            "pvalue_exact": None,
            "pvalue_mid": None,
            "naive_interval": None,
            "test_and_interval_agree": None,
            "reason": found.reason or FIXED_SIZE,
        }
    )


def anytime_mean(block: MeanBlock, table: Table, anytime: Anytime, spec: AnalysisSpec) -> MeanBlock:
    """Return the mean difference with the confidence sequence and its p-value."""
    found = estimate(table, Target("mean", "pass", anytime), confidence_level=1 - spec.alpha)
    return block.model_copy(
        update={
            "interval": interval_block(found.interval),
            "pvalue": found.pvalue,
            "standard_error": None,
            "df": None,
            "naive_standard_error": None,
            "pvalue_permutation": None,
            "pvalue_permutation_is_bound": False,
            "bootstrap": None,
            "bootstrap_reason": FIXED_SIZE,
            "reason": found.reason or FIXED_SIZE,
        }
    )


def anytime_planning(
    block: PlanningBlock, primary: PrimaryBlock, table: Table, target: Target
) -> PlanningBlock:
    """Return what is known of the resolution: the formulas for a fixed size do not hold here."""
    smallest = _smallest(table, target)
    return block.model_copy(
        update={
            "minimum_detectable_effect": None,
            "n_cases_for_margin": None,
            "smallest_attainable_pvalue": smallest,
            "information": _information(primary, smallest, block),
            "reason": FIXED_SIZE,
        }
    )


def _smallest(table: Table, target: Target) -> float | None:
    """Return the p-value if all that differs had gone one way."""
    known, differences = measured_differences(table, target)
    if target.anytime is None or not differences.size:
        return None
    clusters = table.clusters_of(known)
    groups = np.arange(differences.size) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(groups)
    moved = np.abs(np.bincount(groups, weights=differences)) / sizes
    return anytime_evidence(moved[groups], clusters, target.anytime).pvalue


def _information(primary: PrimaryBlock, smallest: float | None, block: PlanningBlock) -> Information:
    interval = primary.interval
    if interval is None or smallest is None:
        return "no_information"
    if interval.low > 0 or interval.high < 0:
        return "resolved"
    if -block.margin < interval.low and interval.high < block.margin:
        return "bounded"
    return "no_information" if smallest > block.alpha else "underpowered"
