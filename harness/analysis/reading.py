"""What an interval says against the margin, in one word and coded reasons."""

from typing import NamedTuple

from harness.analysis.blocks import interval_block
from harness.analysis.estimate import (
    Estimate,
    Fill,
    Target,
    anything_missing,
    estimate,
    one_sided_estimate,
)
from harness.analysis.table import Table
from harness.domain.estimate_blocks import DecisionVerdict, PrimaryBlock
from harness.domain.specs import AnalysisSpec
from harness.stats.intervals import Interval

_SENTENCES: dict[str, str] = {
    "improvement": "the interval lies above 0",
    "regression": "the interval lies below 0",
    "equivalent": "the interval lies inside the margin on both sides",
    "non_inferior": "the interval rules out a loss as large as the margin",
    "inconclusive": "the interval neither excludes 0 nor rules the margin out",
}


# By enumeration (docs/validity.md): from here on a loss as large as the margin is called ruled out
# in less than 6%, whatever the discordance.
FEWEST_CASES = 40
OVERTURNED = "missing_verdicts_could_overturn: "


class Verdict(NamedTuple):
    """The word for an interval, and why."""

    verdict: DecisionVerdict
    reasons: tuple[str, ...]


def read_interval(wide: Interval | None, narrow: Interval | None, *, margin: float) -> Verdict:
    """Decide by intervals against the margin, never by a p-value alone.

    Args:
        wide: The interval at 1 - alpha: it decides improvement and regression,
            and that no loss as large as the margin is left.
        narrow: The interval at 1 - 2 alpha: it decides equivalence, which is
            two one-sided tests at alpha.
        margin: The smallest difference that matters, as a share.

    Returns:
        The verdict. A certain effect that is certainly smaller than the margin
        is ``equivalent`` with the reason ``below_margin``.
    """
    if wide is None or narrow is None:
        return Verdict("inconclusive", ("not_estimable",))
    inside = -margin < narrow.low and narrow.high < margin
    certain = wide.low > 0 or wide.high < 0
    if certain and -margin < wide.low and wide.high < margin:
        sign = "gain" if wide.low > 0 else "loss"
        return Verdict("equivalent", ("below_margin", f"a certain {sign}, smaller than what matters"))
    if wide.low > 0:
        return Verdict("improvement", ())
    if wide.high < 0:
        return Verdict("regression", ())
    if inside:
        return Verdict("equivalent", ())
    if wide.low > -margin:
        return Verdict("non_inferior", ())
    return Verdict("inconclusive", ())


def primary_block(table: Table, target: Target, spec: AnalysisSpec) -> PrimaryBlock:
    """Return the primary estimate, its verdict, and whether missing verdicts could overturn it."""
    measured = _both_levels(table, target, spec, fill="measured")
    verdict = _verdict(*measured, spec)
    reasons = list(verdict.reasons)
    worst = best = None
    if target.of == "pass" and table.n_cases and anything_missing(table, target):
        worst = _both_levels(table, target, spec, fill="worst")
        best = _both_levels(table, target, spec, fill="best")
        bounds = {_verdict(wide, narrow, spec).verdict for wide, narrow in (worst, best)}
        if bounds != {verdict.verdict} and verdict.verdict != "inconclusive":
            reasons.append(f"{OVERTURNED}{verdict.verdict}")
            verdict = Verdict("inconclusive", ())
    wide = measured[0]
    return PrimaryBlock(
        estimand=target.estimand,
        n_cases=wide.n_cases,
        difference=wide.difference,
        interval=interval_block(wide.interval),
        narrow_interval=interval_block(measured[1].interval),
        pvalue=wide.pvalue,
        worst_case=interval_block(worst[0].interval) if worst else None,
        best_case=interval_block(best[0].interval) if best else None,
        verdict=verdict.verdict,
        reasons=tuple(reasons),
        reading=_SENTENCES[verdict.verdict] if wide.interval else "there is no interval to decide by",
        caution=caution_of(table, target, wide),
        reason=wide.reason,
    )


def caution_of(table: Table, target: Target, found: Estimate) -> str | None:
    """Say where the method leaves the domain in which its level and coverage were measured."""
    if found.caution is not None:
        return found.caution
    alone = target.estimand == "majority" and table.clusters is None and target.anytime is None
    if found.interval is None or not alone or found.n_cases >= FEWEST_CASES:
        return None
    return (
        f"{found.n_cases} cases, fewer than {FEWEST_CASES}: "
        "the limits may hold a little less often than they say"
    )


def _verdict(wide: Estimate, narrow: Estimate, spec: AnalysisSpec) -> Verdict:
    """Read the interval; where it is not to be relied on, only a difference that its test confirms stands."""
    found = read_interval(wide.interval, narrow.interval, margin=spec.margin)
    if wide.caution is None or found.verdict == "inconclusive":
        return found
    certain = wide.pvalue is not None and wide.pvalue < spec.alpha
    if found.verdict in ("improvement", "regression") and certain:
        return found
    return Verdict("inconclusive", (f"{found.verdict}_cannot_be_claimed", wide.caution))


def _both_levels(
    table: Table, target: Target, spec: AnalysisSpec, *, fill: Fill
) -> tuple[Estimate, Estimate]:
    wide = estimate(table, target, confidence_level=1 - spec.alpha, fill=fill)
    return wide, one_sided_estimate(table, target, alpha=spec.alpha, fill=fill)
