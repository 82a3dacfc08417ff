"""A judge over many audits: the lines of its history file, and what they come to."""

from typing import Literal

from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.record import Chained, Count, Record, Sha256, Text

TrendVerdict = Literal["decay", "not_shown", "not_audited"]


class JudgedAnchor(Record):
    """The judge's majority label on one anchor, and whether people say the same of pass or fail."""

    id: Text
    label: str | None
    right: bool


class AuditKept(Record):
    """What a judge's history keeps of one audit. Anchors are in file order."""

    at: Text
    plan_sha256: Sha256
    evidence_sha256: Sha256
    judge_sha256: Sha256
    models: tuple[Text, ...]
    fingerprints: tuple[Text, ...]
    anchors: tuple[JudgedAnchor, ...]


class HistoryEntry(AuditKept, Chained):
    """One audit of a judge, a line of ``history.jsonl``. Lines name one another, as those of a ledger."""


class HistoryHead(Record):
    """``history.head.json``: the last line there was when one was added."""

    number: Count
    entry: Sha256


class HistoryPoint(Record):
    """One audit of the series.

    ``flips`` are anchors whose label is not that of the audit before, of those
    in both. ``cusum`` is the chart after the audit, ``highest_cusum`` within it.
    """

    at: Text
    correct: Rate
    flips: Rate | None
    models: tuple[Text, ...]
    fingerprints: tuple[Text, ...]
    judge_sha256: Sha256
    cusum: float | None
    highest_cusum: float | None


class TrendBlock(Record):
    """Does accuracy fall over the audits? A permutation test over their order.

    ``n_orders`` of the audits were gone through: all of them where ``exact``.
    """

    verdict: TrendVerdict
    n_audits: Count
    pvalue: float | None = None
    n_orders: Count = 0
    exact: bool = False
    reason: str | None = None


class HistoryBlock(Record):
    """A judge over its audits.

    The CUSUM watches for errors becoming twice as frequent as in the first
    audit; its limit and both run lengths (in verdicts) come from simulation.
    ``slope`` is the change of accuracy per audit. ``last_entry`` names the last
    line of the file that was read.
    """

    points: tuple[HistoryPoint, ...]
    last_entry: Sha256 | None = None
    accepted_rate: float | None = None
    rate_to_catch: float | None = None
    limit: float | None = None
    run_length_in_control: float | None = None
    run_length_out_of_control: float | None = None
    first_alarm: str | None = None
    slope: float | None = None
    slope_interval: IntervalBlock | None = None
    trend: TrendBlock | None = None
    reason: str | None = None
