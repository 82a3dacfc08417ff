"""Tags: declared ones corrected by Holm, every other with a q-value that never gates."""

from collections.abc import Mapping

import numpy as np

from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Target, estimate
from harness.analysis.majority import pairs
from harness.analysis.table import IntArray, Table
from harness.domain.estimate_blocks import SliceBlock, SliceStanding
from harness.domain.specs import AnalysisSpec
from harness.stats.multiplicity import benjamini_hochberg, holm


def slice_blocks(
    table: Table, rows: Mapping[str, IntArray], target: Target, spec: AnalysisSpec, *, reached: bool
) -> tuple[SliceBlock, ...]:
    """Return one block a tag, declared slices first, in the plan's order.

    Args:
        table: The cases.
        rows: Its rows by tag.
        target: What is estimated.
        spec: The analysis, decided before the data.
        reached: Whether everything before them held: otherwise the declared ones are not tested.
    """
    nobody = np.zeros(0, dtype=np.int64)
    declared = {tag: table.take(rows.get(tag, nobody)) for tag in spec.slices}
    others = {tag: table.take(carrying) for tag, carrying in rows.items() if tag not in spec.slices}
    return (
        *_family(declared, target, spec, declared=True, reached=reached),
        *_family(others, target, spec, declared=False, reached=reached),
    )


def _family(
    parts: Mapping[str, Table], target: Target, spec: AnalysisSpec, *, declared: bool, reached: bool
) -> list[SliceBlock]:
    estimates = [estimate(part, target, confidence_level=1 - spec.alpha) for part in parts.values()]
    raw = [found.pvalue for found in estimates if found.pvalue is not None]
    after = iter((holm(raw) if declared else benjamini_hochberg(raw)).tolist())
    adjusted = [next(after) if found.pvalue is not None else None for found in estimates]
    return [
        SliceBlock(
            tag=tag,
            declared=declared,
            n_cases=found.n_cases,
            gain=pairs(part).gain,
            loss=pairs(part).loss,
            difference=found.difference,
            interval=interval_block(found.interval),
            pvalue=found.pvalue,
            pvalue_adjusted=corrected,
            adjustment=None if corrected is None else "holm" if declared else "benjamini-hochberg",
            standing=_standing(corrected, spec, reached=reached) if declared else "exploratory",
            reason=found.reason,
        )
        for (tag, part), found, corrected in zip(parts.items(), estimates, adjusted, strict=True)
    ]


def _standing(adjusted: float | None, spec: AnalysisSpec, *, reached: bool) -> SliceStanding:
    if not reached:
        return "not_tested"
    return "confirmed" if adjusted is not None and adjusted < spec.alpha else "not_confirmed"
