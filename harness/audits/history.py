"""A judge over many audits: the series, a CUSUM of its errors, its slope and its trend."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from harness.audits.labels import human_found, judge_found, judge_labels
from harness.audits.rates import CONFIDENCE_LEVEL, block, rate
from harness.domain.blocks import Rate
from harness.domain.canonical import digest
from harness.domain.errors import NotMeasured
from harness.domain.history import (
    AuditKept,
    HistoryBlock,
    HistoryEntry,
    HistoryPoint,
    JudgedAnchor,
    TrendBlock,
)
from harness.domain.manifest import Manifest, Reading
from harness.domain.plan import Plan, plan_digest
from harness.stats.drift import CusumLimit, accuracy_slope, bernoulli_cusum, cusum_limit
from harness.stats.estimability import NotEstimable
from harness.stats.samples import FloatArray
from harness.stats.trend import decay_trend

# One false alarm in so many audits, on average.
_AUDITS_A_FALSE_ALARM = 20
_SHORTEST_RUN, _LONGEST_RUN = 200, 5000
_N_RUNS = 500
# Every audit looks again: what makes a judge unfit must be beyond doubt each time.
_DECAY_ALPHA = 0.01
_N_ORDERS = 9_999

_Table = np.ndarray[tuple[int, int], np.dtype[np.int64]]


class _Rates(NamedTuple):
    accepted: float
    to_catch: float


def audit_kept(plan: Plan, reading: Reading, manifest: Manifest) -> AuditKept:
    """Return what a judge's history keeps of an audit: its label on each anchor, and whether that is right.

    Raises:
        NotMeasured: No anchor has an outcome of people and of the judge.
    """
    judged, labels = judge_found(plan, reading), judge_labels(plan, reading)
    anchors = tuple(
        JudgedAnchor(id=anchor.id, label=labels.get(anchor.id), right=judged[anchor.id] == human)
        for anchor in plan.anchors
        if (human := human_found(plan, anchor)) is not None and judged.get(anchor.id) is not None
    )
    if plan.judge is None or not anchors:
        raise NotMeasured("nothing to record: no anchor has an outcome of people and of the judge")
    mine = [call for call in reading.identities if call.endpoint == "judge"]
    return AuditKept(
        at=manifest.finished_at or manifest.started_at or "unknown",
        plan_sha256=plan_digest(plan),
        evidence_sha256=manifest.evidence_sha256,
        judge_sha256=digest(plan.judge),
        models=tuple(sorted({call.model for call in mine if call.model})),
        fingerprints=tuple(sorted({call.fingerprint for call in mine if call.fingerprint})),
        anchors=anchors,
    )


def judge_history(entries: Sequence[HistoryEntry], *, seed: int) -> HistoryBlock:
    """Return the series with its CUSUM, its slope and its trend.

    The chart watches for the error rate of the first audit to double. Its limit
    is simulated: for rare errors the normal limits alarm too often.

    Args:
        entries: The audits in the order they were made; at least one.
        seed: Of the simulation.
    """
    last = entries[-1].entry
    if len(entries) < 2:
        return HistoryBlock(
            points=tuple(_points(entries, None)), last_entry=last, reason="one audit is no series"
        )
    rates = _rates(entries[0])
    limit = _limit(entries, rates, seed)
    errors = np.concatenate([_errors(entry, seed, number) for number, entry in enumerate(entries)])
    path = bernoulli_cusum(
        errors=errors, accepted_rate=rates.accepted, rate_to_catch=rates.to_catch, limit=limit.limit
    )
    ends = np.cumsum([len(entry.anchors) for entry in entries])
    alarm = None if path.first_alarm is None else int(np.searchsorted(ends, path.first_alarm, side="right"))
    table = _table(entries)
    slope = accuracy_slope(correct=table, confidence_level=CONFIDENCE_LEVEL)
    return HistoryBlock(
        points=tuple(_points(entries, np.split(path.statistics, ends[:-1]))),
        last_entry=last,
        accepted_rate=rates.accepted,
        rate_to_catch=rates.to_catch,
        limit=limit.limit,
        run_length_in_control=limit.in_control.mean,
        run_length_out_of_control=limit.out_of_control.mean,
        first_alarm=None if alarm is None else entries[alarm].at,
        slope=None if isinstance(slope, NotEstimable) else slope.difference,
        slope_interval=None if isinstance(slope, NotEstimable) else block(slope.interval),
        trend=_trend(table, seed),
        reason=slope.reason if isinstance(slope, NotEstimable) else None,
    )


def history_alarms(history: HistoryBlock) -> tuple[str, ...]:
    """Return what of the series makes a judge unfit, as reasons."""
    found = []
    if history.first_alarm is not None:
        found.append(
            f"cusum_alarm: errors rose beyond the first audit's, alarm in that of {history.first_alarm}"
        )
    if history.trend is not None and history.trend.verdict == "decay" and history.trend.pvalue is not None:
        found.append(
            f"slow_decay: right less and less often over {history.trend.n_audits} audits "
            f"(p = {history.trend.pvalue:.2g})"
        )
    return tuple(found)


def _trend(table: _Table, seed: int) -> TrendBlock:
    found = decay_trend(correct=table, n_resamples=_N_ORDERS, rng=np.random.default_rng(seed))
    if isinstance(found, NotEstimable):
        return TrendBlock(verdict="not_audited", n_audits=table.shape[1], reason=found.reason)
    return TrendBlock(
        verdict="decay" if found.pvalue < _DECAY_ALPHA else "not_shown",
        n_audits=found.n_audits,
        pvalue=found.pvalue,
        n_orders=found.n_orders,
        exact=found.exact,
    )


def _errors(entry: HistoryEntry, seed: int, number: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the errors of one audit in a seeded order.

    All verdicts of an audit are of one time, and hard anchors may stand
    together in the file: in its order they would look like a sudden decay.
    """
    errors = np.array([not anchor.right for anchor in entry.anchors], dtype=np.bool_)
    return np.random.default_rng([seed, number]).permutation(errors)


def _points(entries: Sequence[HistoryEntry], charts: Sequence[FloatArray] | None) -> Iterator[HistoryPoint]:
    for number, entry in enumerate(entries):
        chart = None if charts is None else charts[number]
        rights = sum(anchor.right for anchor in entry.anchors)
        yield HistoryPoint(
            at=entry.at,
            correct=rate(rights, len(entry.anchors), nothing="no anchors"),
            flips=_flips(entries[number - 1], entry) if number else None,
            models=entry.models,
            fingerprints=entry.fingerprints,
            judge_sha256=entry.judge_sha256,
            cusum=None if chart is None else float(chart[-1]),
            highest_cusum=None if chart is None else float(chart.max()),
        )


def _flips(before: HistoryEntry, entry: HistoryEntry) -> Rate:
    """Count the anchors whose label changed, of those in both audits."""
    labels = {anchor.id: anchor.label for anchor in before.anchors}
    same = [labels[anchor.id] == anchor.label for anchor in entry.anchors if anchor.id in labels]
    return rate(same.count(False), len(same), nothing="no anchor is in both audits")


def _rates(first: HistoryEntry) -> _Rates:
    """Return the error rate of the first audit, never quite 0 nor above a third, and its double."""
    n = len(first.anchors)
    errors = n - sum(anchor.right for anchor in first.anchors)
    accepted = min((errors + 0.5) / (n + 1), 1 / 3)
    return _Rates(accepted, 2 * accepted)


def _limit(entries: Sequence[HistoryEntry], rates: _Rates, seed: int) -> CusumLimit:
    verdicts = sum(len(entry.anchors) for entry in entries) / len(entries)
    return cusum_limit(
        accepted_rate=rates.accepted,
        rate_to_catch=rates.to_catch,
        run_length=min(max(int(_AUDITS_A_FALSE_ALARM * verdicts), _SHORTEST_RUN), _LONGEST_RUN),
        n_runs=_N_RUNS,
        rng=np.random.default_rng(seed),
    )


def _table(entries: Sequence[HistoryEntry]) -> _Table:
    names = sorted({anchor.id for entry in entries for anchor in entry.anchors})
    rows = {name: row for row, name in enumerate(names)}
    table = np.full((len(names), len(entries)), -1, dtype=np.int64)
    for column, entry in enumerate(entries):
        for anchor in entry.anchors:
            table[rows[anchor.id], column] = int(anchor.right)
    return table
