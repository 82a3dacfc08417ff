"""A judge over many audits: the series, a CUSUM of its errors, and its slope."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from harness.audits.labels import human_outcome, judge_outcomes
from harness.audits.rates import CONFIDENCE_LEVEL, block, rate
from harness.domain.canonical import digest
from harness.domain.errors import NotMeasured
from harness.domain.fitness import HistoryBlock, HistoryEntry, HistoryPoint
from harness.domain.manifest import Manifest, Reading
from harness.domain.plan import Plan, plan_digest
from harness.stats.drift import CusumLimit, accuracy_slope, bernoulli_cusum, cusum_limit
from harness.stats.estimability import NotEstimable

# One false alarm in so many audits, on average.
_AUDITS_A_FALSE_ALARM = 20
_SHORTEST_RUN, _LONGEST_RUN = 200, 5000
_N_RUNS = 500


class _Rates(NamedTuple):
    accepted: float
    to_catch: float


def history_entry(plan: Plan, reading: Reading, manifest: Manifest) -> HistoryEntry:
    """Return what a judge's history keeps of an audit: which anchors it got right.

    Raises:
        NotMeasured: No anchor has an outcome of people and of the judge.
    """
    judged = judge_outcomes(plan, reading)
    rights = tuple(
        (anchor.id, judged[anchor.id] == human)
        for anchor in plan.anchors
        if (human := human_outcome(plan, anchor)) is not None and judged.get(anchor.id) is not None
    )
    if plan.judge is None or not rights:
        raise NotMeasured("nothing to record: no anchor has an outcome of people and of the judge")
    mine = [call for call in reading.identities if call.endpoint == "judge"]
    return HistoryEntry(
        at=manifest.finished_at or manifest.started_at or "unknown",
        plan_sha256=plan_digest(plan),
        evidence_sha256=manifest.evidence_sha256,
        judge_sha256=digest(plan.judge),
        models=tuple(sorted({call.model for call in mine if call.model})),
        fingerprints=tuple(sorted({call.fingerprint for call in mine if call.fingerprint})),
        anchors=rights,
    )


def judge_history(entries: Sequence[HistoryEntry], *, seed: int) -> HistoryBlock:
    """Return the series with its CUSUM and its slope.

    The chart watches for the error rate of the first audit to double. Its limit
    is simulated: for rare errors the normal limits alarm too often.

    Args:
        entries: The audits in the order they were made; at least one.
        seed: Of the simulation.
    """
    if len(entries) < 2:
        only = tuple(_point(entry, None) for entry in entries)
        return HistoryBlock(points=only, reason="one audit is no series")
    rates = _rates(entries[0])
    limit = _limit(entries, rates, seed)
    errors = np.concatenate([_errors(entry, seed, number) for number, entry in enumerate(entries)])
    path = bernoulli_cusum(
        errors=errors, accepted_rate=rates.accepted, rate_to_catch=rates.to_catch, limit=limit.limit
    )
    ends = np.cumsum([len(entry.anchors) for entry in entries])
    peaks = [
        float(path.statistics[end - len(entry.anchors) : end].max())
        for entry, end in zip(entries, ends, strict=True)
    ]
    alarm = None if path.first_alarm is None else int(np.searchsorted(ends, path.first_alarm, side="right"))
    slope = accuracy_slope(correct=_table(entries), confidence_level=CONFIDENCE_LEVEL)
    return HistoryBlock(
        points=tuple(_point(entry, peak) for entry, peak in zip(entries, peaks, strict=True)),
        accepted_rate=rates.accepted,
        rate_to_catch=rates.to_catch,
        limit=limit.limit,
        run_length_in_control=limit.in_control.mean,
        run_length_out_of_control=limit.out_of_control.mean,
        first_alarm=None if alarm is None else entries[alarm].at,
        slope=None if isinstance(slope, NotEstimable) else slope.difference,
        slope_interval=None if isinstance(slope, NotEstimable) else block(slope.interval),
        reason=slope.reason if isinstance(slope, NotEstimable) else None,
    )


def _errors(entry: HistoryEntry, seed: int, number: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the errors of one audit in a seeded order.

    All verdicts of an audit are of one time, and hard anchors may stand
    together in the file: in its order they would look like a sudden decay.
    """
    errors = np.array([not right for _, right in entry.anchors], dtype=np.bool_)
    return np.random.default_rng([seed, number]).permutation(errors)


def _point(entry: HistoryEntry, peak: float | None) -> HistoryPoint:
    rights = sum(right for _, right in entry.anchors)
    return HistoryPoint(
        at=entry.at,
        correct=rate(rights, len(entry.anchors), nothing="no anchors"),
        models=entry.models,
        highest_cusum=peak,
    )


def _rates(first: HistoryEntry) -> _Rates:
    """Return the error rate of the first audit, never quite 0 nor above a third, and its double."""
    n = len(first.anchors)
    errors = n - sum(right for _, right in first.anchors)
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


def _table(entries: Sequence[HistoryEntry]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    names = sorted({name for entry in entries for name, _ in entry.anchors})
    rows = {name: row for row, name in enumerate(names)}
    table = np.full((len(names), len(entries)), -1, dtype=np.int64)
    for column, entry in enumerate(entries):
        for name, right in entry.anchors:
            table[rows[name], column] = int(right)
    return table
