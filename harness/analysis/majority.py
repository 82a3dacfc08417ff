"""The majority estimand: each case is its majority verdict in each arm."""

from typing import NamedTuple

import numpy as np

from harness.analysis.blocks import interval_block
from harness.analysis.gating import gating_mean
from harness.analysis.table import BoolArray, IntArray, Table
from harness.domain.blocks import IntervalBlock
from harness.domain.estimate_blocks import MajorityBlock
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.mcnemar import mcnemar_exact, mcnemar_midp
from harness.stats.tango_binomial import tango_binomial_interval


class Pairs(NamedTuple):
    """Cases where both arms have a majority.

    Attributes:
        known: Which cases those are, shape (n_cases,).
        differences: Candidate minus baseline on them, -1, 0 or 1, shape (n_known,).
        both_pass: How many pass in both arms.
        gain: How many only the candidate passes.
        loss: How many only the baseline passes.
        both_fail: How many fail in both arms.
    """

    known: BoolArray
    differences: IntArray
    both_pass: int
    gain: int
    loss: int
    both_fail: int


class PairedInterval(NamedTuple):
    """A difference with the interval and the p-value that belong together."""

    interval: Interval | NotEstimable
    pvalue: float | None
    naive_interval: Interval | None
    caution: str | None = None


def pairs(table: Table) -> Pairs:
    """Return the gain and loss table."""
    baseline, candidate = table.baseline.majority, table.candidate.majority
    known = (baseline >= 0) & (candidate >= 0)
    was, now = baseline[known], candidate[known]
    return Pairs(
        known=known,
        differences=now - was,
        both_pass=int(np.sum((was == 1) & (now == 1))),
        gain=int(np.sum((was == 0) & (now == 1))),
        loss=int(np.sum((was == 1) & (now == 0))),
        both_fail=int(np.sum((was == 0) & (now == 0))),
    )


def paired_interval(
    differences: IntArray, clusters: IntArray | None, *, confidence_level: float
) -> PairedInterval:
    """Return the interval of the mean of -1, 0 and 1, one a case.

    Where every case stands alone this is Tango's score interval, no narrower
    than the exact binomial one where a cell is empty, with mid-p McNemar; where
    cases share clusters, the plus-two interval on CR2 with Satterthwaite df. The
    choice hangs on the plan's clusters, never on the outcomes.

    Args:
        differences: Candidate minus baseline, shape (n_cases,), n_cases >= 1.
        clusters: Cluster numbers, shape (n_cases,); None where each case stands alone.
        confidence_level: Of the interval.
    """
    gain, loss = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    score = tango_binomial_interval(
        gain=gain, loss=loss, n_cases=differences.size, confidence_level=confidence_level
    )
    if clusters is None:
        return PairedInterval(score, mcnemar_midp(gain=gain, loss=loss).pvalue, None)
    mean = gating_mean(
        differences.astype(np.float64), clusters, confidence_level=confidence_level, bounded=True
    )
    if isinstance(mean, NotEstimable):
        return PairedInterval(mean, None, score)
    return PairedInterval(mean.interval, mean.pvalue, score, mean.caution)


def majority_block(table: Table, *, alpha: float) -> MajorityBlock:
    """Return the gain and loss table with its tests and its interval."""
    found = pairs(table)
    n_known = int(found.known.sum())
    paired = _paired(found, table, confidence_level=1 - alpha)
    interval = interval_block(paired.interval)
    return MajorityBlock(
        n_cases=n_known,
        n_clusters=table.n_clusters(found.known),
        both_pass=found.both_pass,
        gain=found.gain,
        loss=found.loss,
        both_fail=found.both_fail,
        no_majority=table.n_cases - n_known,
        baseline_rate=(found.both_pass + found.loss) / n_known if n_known else None,
        candidate_rate=(found.both_pass + found.gain) / n_known if n_known else None,
        difference=(found.gain - found.loss) / n_known if n_known else None,
        interval=interval,
        pvalue_exact=mcnemar_exact(gain=found.gain, loss=found.loss).pvalue if n_known else None,
        pvalue_mid=mcnemar_midp(gain=found.gain, loss=found.loss).pvalue if n_known else None,
        pvalue=paired.pvalue,
        naive_interval=interval_block(paired.naive_interval),
        test_and_interval_agree=_agree(interval, paired.pvalue, alpha=alpha),
        reason=paired.interval.reason if isinstance(paired.interval, NotEstimable) else None,
    )


def _paired(found: Pairs, table: Table, *, confidence_level: float) -> PairedInterval:
    if not found.differences.size:
        return PairedInterval(NotEstimable("no case has a majority in both arms"), None, None)
    clusters = table.clusters_of(found.known)
    return paired_interval(found.differences, clusters, confidence_level=confidence_level)


def _agree(interval: IntervalBlock | None, pvalue: float | None, *, alpha: float) -> bool | None:
    if interval is None or pvalue is None:
        return None
    return (pvalue < alpha) == (interval.low > 0 or interval.high < 0)
