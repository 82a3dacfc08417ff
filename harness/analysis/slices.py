"""Tags: declared ones corrected by Holm, every other with a q-value that never gates."""

from collections.abc import Sequence

from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Estimate, Target, estimate
from harness.analysis.majority import pairs
from harness.analysis.table import Table
from harness.domain.report import SliceBlock
from harness.domain.specs import AnalysisSpec
from harness.stats.multiplicity import benjamini_hochberg, holm


def slice_blocks(table: Table, target: Target, spec: AnalysisSpec) -> tuple[SliceBlock, ...]:
    """Return one block a tag, declared slices first, in the plan's order."""
    found = {tag for result in table.results for tag in result.tags}
    others = sorted(found - set(spec.slices))
    return (*_family(table, target, spec, spec.slices), *_family(table, target, spec, others))


def _family(table: Table, target: Target, spec: AnalysisSpec, tags: Sequence[str]) -> list[SliceBlock]:
    parts = [table.where(lambda result, tag=tag: tag in result.tags) for tag in tags]  # type: ignore[misc]
    estimates = [estimate(part, target, confidence_level=1 - spec.alpha) for part in parts]
    raw = [found.pvalue for found in estimates if found.pvalue is not None]
    declared = tuple(tags) == spec.slices
    adjusted = iter((holm(raw) if declared else benjamini_hochberg(raw)).tolist())
    return [
        _block(tag, part, found, declared, next(adjusted) if found.pvalue is not None else None)
        for tag, part, found in zip(tags, parts, estimates, strict=True)
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
