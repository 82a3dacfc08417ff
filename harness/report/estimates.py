"""The estimates of one section as rows: each with its interval, its n, its method."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.domain.estimate_blocks import GuardrailBlock, MeanBlock, PrimaryBlock, SliceBlock
from harness.domain.report import Report, Section
from harness.report import words
from harness.report.findings import is_decision_alone
from harness.report.preferences import is_compared, majority_name, mean_name, test_name
from harness.report.rows import EstimateRow, estimate_row, limits, n_text


def estimate_rows(section: Section) -> tuple[EstimateRow, ...]:
    """Return primary, majority, mean, then guardrails and slices in the plan's order."""
    alpha, total = section.planning.alpha, n_cases(section)
    margin = section.planning.margin
    return (
        primary_row(section),
        _majority_row(section, alpha=alpha, total=total, margin=margin),
        _mean_row(section, alpha=alpha, total=total, margin=margin),
        *(_guardrail_row(block, alpha=alpha) for block in section.guardrails),
        *(_slice_row(block, section, alpha=alpha) for block in section.slices),
    )


class Lead(NamedTuple):
    """What a report leads with: the estimate of its decision, the estimand, and how to read it."""

    row: EstimateRow
    estimand: str
    reading: str


def lead(report: Report) -> Lead:
    """Return the estimate that the decision rests on; in words where only the decision was released."""
    if is_decision_alone(report):
        label = f"primary ({report.plan.estimand})"
        row = EstimateRow("primary", label, "not released", "", "", "the look was at the decision alone")
        return Lead(row, report.plan.estimand, "")
    section = lead_section(report)
    return Lead(primary_row(section), section.primary.estimand, section.primary.reading)


def lead_section(report: Report) -> Section:
    """Return the section that the decision rests on."""
    if report.decision.basis == "held_out" and report.held_out is not None:
        return report.held_out
    return report.exploratory


def n_cases(section: Section) -> int:
    """Return how many cases the section has, with or without a verdict."""
    return section.majority.n_cases + section.majority.no_majority


def primary_row(section: Section) -> EstimateRow:
    """Return the estimate that the decision rests on."""
    block, alpha = section.primary, section.planning.alpha
    return estimate_row(
        "primary",
        f"primary ({block.estimand})",
        block.difference,
        block.interval,
        n=n_text(block.n_cases, total=n_cases(section)),
        cases=block.n_cases,
        marks=(section.planning.margin,),
        reason=block.reason,
        pvalues=_own_pvalue(section, alpha=alpha),
        remark=_bounds(block, score=_scored(section)),
        score=_scored(section),
    )


def segment_rows(section: Section) -> tuple[EstimateRow, ...]:
    """Return one row a pair of models that answered together."""
    return tuple(
        estimate_row(
            "segment",
            f"{' + '.join(segment.baseline_models) or 'unknown'} → "
            f"{' + '.join(segment.candidate_models) or 'unknown'}",
            segment.difference,
            segment.interval,
            n=n_text(segment.n_cases),
            cases=segment.n_cases,
            reason=segment.reason,
            remark=f"{words.plural(segment.n_pairs, 'pair')}: {_gain_loss(segment.gain, segment.loss)}",
        )
        for segment in section.segments.segments
    )


def _scored(section: Section) -> bool:
    return section.primary.estimand == "mean" and section.mean.of == "score"


def _majority_row(section: Section, *, alpha: float, total: int, margin: float) -> EstimateRow:
    block = section.majority
    tests = [("McNemar exact", block.pvalue_exact), ("McNemar mid-p", block.pvalue_mid)]
    remarks = ["test and interval disagree"] if block.test_and_interval_agree is False else []
    if block.interval is not None and block.interval.method not in ("tango", "tango_binomial"):
        tests.insert(0, (words.name_of_test(block.interval.method), block.pvalue))
        name = "the sign test" if is_compared(section) else "McNemar"
        remarks += [f"{name} takes cases for independent"] if block.pvalue_mid is not None else []
    return estimate_row(
        "majority",
        majority_name(section),
        block.difference,
        block.interval,
        n=n_text(block.n_cases, total=total, clusters=block.n_clusters),
        cases=block.n_cases,
        marks=(margin,),
        reason=block.reason,
        pvalues=_pvalues([(test_name(test, section), value) for test, value in tests], alpha=alpha),
        remark="; ".join(remarks),
    )


def _mean_row(section: Section, *, alpha: float, total: int, margin: float) -> EstimateRow:
    block = section.mean
    own = words.name_of_test(block.interval.method) if block.interval else "t test"
    tests = _pvalues(((own, block.pvalue),), alpha=alpha)
    flips = _permutation(block, alpha=alpha)
    return estimate_row(
        "mean",
        mean_name(section),
        block.difference,
        block.interval,
        n=n_text(block.n_cases, total=total, clusters=block.n_clusters),
        cases=block.n_cases,
        marks=(margin,),
        reason=block.reason,
        pvalues=", ".join(part for part in (tests, flips) if part),
        remark=_mean_remark(block),
        score=block.of == "score",
    )


def _mean_remark(block: MeanBlock) -> str:
    if block.standard_error is None:
        return ""
    score = block.of == "score"
    # An error has no sign and is never compared with 0: two digits say enough.
    error = f"{block.standard_error:.2g}" if score else f"{100 * block.standard_error:.2g} points"
    parts = [f"standard error {error}"]
    if block.df is not None:
        parts.append(f"{words.plain_number(block.df, decimals=1)} degrees of freedom")
    if block.bootstrap is not None:
        parts.append(f"bootstrap {limits(block.bootstrap, n=block.n_cases, score=score)}")
    return ", ".join(parts)


def _permutation(block: MeanBlock, *, alpha: float) -> str:
    if block.pvalue_permutation is None:
        return ""
    found = words.pvalue(block.pvalue_permutation, alpha=alpha, is_bound=block.pvalue_permutation_is_bound)
    return f"{found} (sign-flip permutation)"


def _guardrail_row(block: GuardrailBlock, *, alpha: float) -> EstimateRow:
    margin = f"{100 * block.margin:.3g} points"
    state = {"pass": "shown", "fail": "not shown", "not_estimable": "cannot be shown"}[block.status]
    tag = f"{block.tag}: " if block.tag is not None and block.tag != block.name else ""
    return estimate_row(
        "guardrail",
        block.name,
        block.difference,
        block.interval,
        n=n_text(block.n_cases),
        cases=block.n_cases,
        marks=(-block.margin,),
        reason=block.reason,
        pvalues=_pvalues((("non-inferiority", block.pvalue),), alpha=alpha),
        remark=f"{tag}not worse by {margin}: {state}",
    )


def _slice_row(block: SliceBlock, section: Section, *, alpha: float) -> EstimateRow:
    planned = "in the plan" if block.declared else "not in the plan, gates nothing"
    own = words.name_of_test(block.interval.method) if block.interval else "own test"
    raw = _pvalues(((test_name(own, section), block.pvalue),), alpha=alpha)
    return estimate_row(
        "slice",
        block.tag,
        block.difference,
        block.interval,
        n=n_text(block.n_cases),
        cases=block.n_cases,
        reason=block.reason,
        pvalues=", ".join(part for part in (raw, _adjusted(block, alpha=alpha)) if part),
        remark=f"{_gain_loss(block.gain, block.loss)}, {planned}",
    )


def _pvalues(tests: Sequence[tuple[str, float | None]], *, alpha: float) -> str:
    return ", ".join(
        f"{words.pvalue(value, alpha=alpha)} ({test})" for test, value in tests if value is not None
    )


def _adjusted(block: SliceBlock, *, alpha: float) -> str:
    if block.pvalue_adjusted is None:
        return ""
    found = words.pvalue(block.pvalue_adjusted, alpha=alpha)
    if block.adjustment == "benjamini-hochberg":
        return f"q{found[1:]} (Benjamini-Hochberg)"
    return f"{found} (adjusted, Holm)"


def _own_pvalue(section: Section, *, alpha: float) -> str:
    block = section.primary
    test = words.name_of_test(block.interval.method) if block.interval else "own test"
    return _pvalues(((test_name(test, section), block.pvalue),), alpha=alpha)


def _bounds(block: PrimaryBlock, *, score: bool) -> str:
    if block.worst_case is None or block.best_case is None:
        return ""
    worst, best = block.worst_case, block.best_case
    return (
        f"with every missing verdict against the candidate {limits(worst, n=block.n_cases, score=score)}, "
        f"for it {limits(best, n=block.n_cases, score=score)}"
    )


def _gain_loss(gain: int, loss: int) -> str:
    return f"gain {words.count(gain)}, loss {words.count(loss)}"
