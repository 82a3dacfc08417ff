"""Guardrails: each must be shown not to be worse than its margin; all must pass."""

from typing import Literal

import numpy as np

from harness.analysis.anytime import Anytime, anytime_noninferiority
from harness.analysis.blocks import interval_block
from harness.analysis.estimate import Estimate, Target, measured_differences, one_sided_estimate
from harness.analysis.gating import gating_mean
from harness.analysis.majority import pairs
from harness.analysis.mean import mean_differences
from harness.analysis.reading import caution_of
from harness.analysis.table import Table
from harness.domain.estimate_blocks import GuardrailBlock
from harness.domain.specs import AnalysisSpec, Guardrail
from harness.stats.estimability import NotEstimable
from harness.stats.tango_binomial import tango_binomial_noninferiority


def guardrail_blocks(
    table: Table, spec: AnalysisSpec, *, anytime: Anytime | None = None
) -> tuple[GuardrailBlock, ...]:
    """Return one block a guardrail of the plan, in its order."""
    return tuple(
        _guardrail(table, guardrail, Target(guardrail.estimand, "pass", anytime), alpha=spec.alpha)
        for guardrail in spec.guardrails
    )


def _guardrail(table: Table, guardrail: Guardrail, target: Target, *, alpha: float) -> GuardrailBlock:
    """Test non-inferiority at alpha, one-sided: the interval at 1 - 2 alpha decides alike."""
    part = table if guardrail.tag is None else table.where(lambda result: guardrail.tag in result.tags)
    found = one_sided_estimate(part, target, alpha=alpha)
    return GuardrailBlock(
        name=guardrail.name,
        tag=guardrail.tag,
        estimand=guardrail.estimand,
        margin=guardrail.margin,
        n_cases=found.n_cases,
        difference=found.difference,
        interval=interval_block(found.interval),
        pvalue=_pvalue(part, guardrail, target) if found.interval is not None else None,
        status=_status(found, guardrail),
        reason=_reason(found, guardrail, caution=caution_of(part, target, found)),
    )


def _status(found: Estimate, guardrail: Guardrail) -> Literal["pass", "fail", "not_estimable"]:
    if found.interval is None:
        return "not_estimable"
    held = found.interval.low > -guardrail.margin
    if held and found.caution is not None:
        return "not_estimable"
    return "pass" if held else "fail"


def _reason(found: Estimate, guardrail: Guardrail, *, caution: str | None) -> str | None:
    if found.interval is None:
        return found.reason
    if found.interval.low > -guardrail.margin:
        return caution
    return f"a loss of {guardrail.margin:g} or more is not ruled out (lower limit {found.interval.low:.4f})"


def _pvalue(part: Table, guardrail: Guardrail, target: Target) -> float | None:
    if target.anytime is not None:
        known, measured = measured_differences(part, target)
        return anytime_noninferiority(
            measured, part.clusters_of(known), target.anytime, margin=guardrail.margin
        )
    counts = pairs(part)
    clusters = part.clusters_of(counts.known)
    if guardrail.estimand == "majority" and clusters is None:
        return tango_binomial_noninferiority(
            gain=counts.gain,
            loss=counts.loss,
            n_cases=counts.differences.size,
            margin=guardrail.margin,
        ).pvalue
    if guardrail.estimand == "mean":
        means = mean_differences(part, of="pass")
        differences, clusters = means.differences, part.clusters_of(means.known)
    else:
        differences = counts.differences.astype(np.float64)
    mean = gating_mean(differences, clusters, confidence_level=0.95, bounded=True)
    return None if isinstance(mean, NotEstimable) else mean.noninferiority(guardrail.margin)
