"""One estimate in words: value, interval, method, n. None of them stands alone."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from harness.domain.blocks import IntervalBlock
from harness.report import words

Kind = Literal["primary", "majority", "mean", "bounds", "guardrail", "slice", "segment"]


class Span(NamedTuple):
    """An estimate between its limits, as shares: what a plot needs."""

    low: float
    difference: float
    high: float


class EstimateRow(NamedTuple):
    """One estimate in words.

    Attributes:
        kind: What is estimated.
        label: Its name; of guardrails and slices the user's own text.
        estimate: ``+5.2 points``, or ``not estimable`` with the reason.
        interval: ``95% interval [+1.0, +9.4]``, or nothing.
        method: Of the interval.
        n: ``n = 247 of 250 cases``.
        pvalues: Each with its test.
        remark: What else must be known to read the estimate.
        span: The same in numbers; None where it has no interval.
    """

    kind: Kind
    label: str
    estimate: str
    interval: str
    method: str
    n: str
    pvalues: str = ""
    remark: str = ""
    span: Span | None = None


def sentence(row: EstimateRow) -> str:
    """Return the estimate in one breath: value, interval, method, n."""
    interval = f", {row.interval} ({row.method})" if row.interval else ""
    return f"{row.estimate}{interval}, {row.n}"


def estimate_row(
    kind: Kind,
    label: str,
    difference: float | None,
    interval: IntervalBlock | None,
    *,
    n: str,
    cases: int,
    marks: Sequence[float] = (),
    reason: str | None = None,
    pvalues: str = "",
    remark: str = "",
    score: bool = False,
) -> EstimateRow:
    """Return one estimate in words.

    Args:
        kind: What is estimated.
        label: Its name.
        difference: Candidate minus baseline, as a share; None where not estimable.
        interval: Around it.
        n: How many cases, in words.
        cases: How many cases: they decide how many digits are shown.
        marks: Values, as shares, that it is read against on either side of zero.
        reason: Why there is no difference, or no interval.
        pvalues: Each with its test.
        remark: What else must be known.
        score: Whether the numbers are in the units of a score, not shares.
    """
    if difference is None:
        why = reason or "no case has a verdict in both arms"
        return EstimateRow(kind, label, f"not estimable: {why}", "", "", n, pvalues, remark)
    shown = [difference] if interval is None else [interval.low, difference, interval.high]
    apart = (0.0, *marks, *(-mark for mark in marks))
    decimals = _decimals(shown, n=cases, apart=apart, score=score)
    estimate = _signed(difference, decimals, score=score) + (" on the score" if score else " points")
    if interval is None:
        # A bare number would look like a finding.
        return EstimateRow(
            kind, label, f"{estimate}, no interval: {reason or 'not estimable'}", "", "", n, pvalues, remark
        )
    return EstimateRow(
        kind=kind,
        label=label,
        estimate=estimate,
        interval=_interval(interval, decimals, score=score),
        method=words.method_name(interval.method),
        n=n,
        pvalues=pvalues,
        remark=remark,
        # Scores are in units of their own and cannot share an axis with points.
        span=None if score else Span(interval.low, difference, interval.high),
    )


def n_text(cases: int, *, total: int | None = None, clusters: int | None = None) -> str:
    """Return how many cases stand behind an estimate: ``n = 247 of 250 cases in 31 clusters``."""
    of = f" of {words.count(total)}" if total is not None and total != cases else ""
    within = f" in {words.plural(clusters, 'cluster')}" if clusters is not None and clusters != cases else ""
    return f"n = {words.count(cases)}{of} {'case' if (total or cases) == 1 else 'cases'}{within}"


def _decimals(values: Sequence[float], *, n: int, apart: Sequence[float], score: bool) -> int:
    if not score:
        return words.digits(values, n=n, apart=apart)
    return max(2, words.digits([value / 100 for value in values], n=n, apart=[mark / 100 for mark in apart]))


def _signed(value: float, decimals: int, *, score: bool) -> str:
    return words.points(value / 100 if score else value, decimals)


def _between(interval: IntervalBlock, decimals: int, *, score: bool) -> str:
    low, high = (_signed(limit, decimals, score=score) for limit in (interval.low, interval.high))
    return f"[{low}, {high}]"


def _interval(interval: IntervalBlock, decimals: int, *, score: bool) -> str:
    return f"{words.level(interval.confidence_level)} interval {_between(interval, decimals, score=score)}"


def limits(interval: IntervalBlock, *, n: int, score: bool, marks: Sequence[float] = ()) -> str:
    """Return the limits of a further interval, beside one that names its level and method."""
    decimals = _decimals([interval.low, interval.high], n=n, apart=(0.0, *marks), score=score)
    return _between(interval, decimals, score=score)
