"""Tags: declared ones corrected by Holm, every other with a q-value that never gates."""

from collections.abc import Mapping

import numpy as np

from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Estimate, Target, estimate
from harness.analysis.majority import pairs
from harness.analysis.table import IntArray, Table
from harness.domain.report import SliceBlock
from harness.domain.specs import AnalysisSpec
from harness.stats.multiplicity import benjamini_hochberg, holm


def slice_blocks(
    table: Table, rows: Mapping[str, IntArray], target: Target, spec: AnalysisSpec
) -> tuple[SliceBlock, ...]:
    """Return one block a tag, declared slices first, in the plan's order.

    Args:
        table: The cases.
        rows: Its rows by tag.
        target: What is estimated.
        spec: The analysis, decided before the data.
    """
    nobody = np.zeros(0, dtype=np.int64)
    declared = {tag: table.take(rows.get(tag, nobody)) for tag in spec.slices}
    others = {tag: table.take(carrying) for tag, carrying in rows.items() if tag not in spec.slices}
    return (
        *_family(declared, target, spec, declared=True),
        *_family(others, target, spec, declared=False),
    )


def _family(
    parts: Mapping[str, Table], target: Target, spec: AnalysisSpec, *, declared: bool
) -> list[SliceBlock]:
    estimates = [estimate(part, target, confidence_level=1 - spec.alpha) for part in parts.values()]
    raw = [found.pvalue for found in estimates if found.pvalue is not None]
    adjusted = iter((holm(raw) if declared else benjamini_hochberg(raw)).tolist())
    return [
        _block(tag, part, found, declared, next(adjusted) if found.pvalue is not None else None)
        for (tag, part), found in zip(parts.items(), estimates, strict=True)
    ]


def _block(tag: str, part: Table, found: Estimate, declared: bool, adjusted: float | None) -> SliceBlock:
    counts = pairs(part)
    return SliceBlock(
        tag=tag,
        declared=declared,
        n_cases=found.n_cases,
        gain=counts.gain,
        loss=counts.loss,
        difference=found.difference,
        interval=interval_block(found.interval),
        pvalue=found.pvalue,
        pvalue_adjusted=adjusted,
        adjustment=None if adjusted is None else "holm" if declared else "benjamini-hochberg",
        reason=found.reason,
    )
