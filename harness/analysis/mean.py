"""The mean estimand: each case is its mean over the repeats in each arm."""

import math
from typing import Literal, NamedTuple

import numpy as np

from harness.analysis.blocks import generator, interval_block
from harness.analysis.gating import gating_mean
from harness.analysis.table import ArmCounts, BoolArray, FloatArray, IntArray, Table
from harness.domain.blocks import IntervalBlock
from harness.domain.estimate_blocks import MeanBlock
from harness.stats.bootstrap import percentile_bootstrap
from harness.stats.estimability import NotEstimable
from harness.stats.means import PairedMean, paired_mean
from harness.stats.permutation import sign_flip

Measure = Literal["pass", "score"]
N_RESAMPLES = 9_999


class MeanDifferences(NamedTuple):
    """Cases with at least one graded answer in each arm.

    Attributes:
        known: Which cases those are, shape (n_cases,).
        baseline: Mean of the baseline's repeats on them, shape (n_known,).
        candidate: The same for the candidate.
    """

    known: BoolArray
    baseline: FloatArray
    candidate: FloatArray

    @property
    def differences(self) -> FloatArray:
        """Candidate minus baseline, shape (n_known,)."""
        return self.candidate - self.baseline


def mean_differences(table: Table, *, of: Measure) -> MeanDifferences:
    """Return each case's mean in both arms."""
    baseline_sum, baseline_n = _sums(table.baseline, of)
    candidate_sum, candidate_n = _sums(table.candidate, of)
    known = (baseline_n > 0) & (candidate_n > 0)
    return MeanDifferences(
        known=known,
        baseline=baseline_sum[known] / baseline_n[known],
        candidate=candidate_sum[known] / candidate_n[known],
    )


def _sums(arm: ArmCounts, of: Measure) -> tuple[FloatArray, IntArray]:
    if of == "score":
        return arm.score_sum, arm.scored
    return arm.passed.astype(np.float64), arm.graded


def mean_block(table: Table, *, of: Measure, alpha: float, seed: int) -> MeanBlock:
    """Return the mean difference with its error, its tests and its intervals.

    Interval and p-value are those that may decide: of passes the plus-two
    interval, of scores the t interval. The standard error is the plain CR2 one.
    """
    found = mean_differences(table, of=of)
    n_known = int(found.known.sum())
    if n_known == 0:
        return _empty(of, n_cases=0, n_clusters=0, reason=f"no case has a {of} in both arms")
    clusters = table.clusters_of(found.known)
    estimate = paired_mean(differences=found.differences, clusters=clusters, confidence_level=1 - alpha)
    gating = gating_mean(found.differences, clusters, confidence_level=1 - alpha, bounded=of == "pass")
    decides = None if isinstance(gating, NotEstimable) else gating
    flip = sign_flip(
        differences=found.differences,
        clusters=clusters,
        n_resamples=N_RESAMPLES,
        rng=generator(seed, f"mean.{of}.sign_flip"),
    )
    bootstrap, bootstrap_reason = _bootstrap(found.differences, clusters, alpha=alpha)
    measured = None if isinstance(estimate, NotEstimable) else estimate
    return MeanBlock(
        of=of,
        n_cases=n_known,
        n_clusters=table.n_clusters(found.known),
        baseline_mean=math.fsum(found.baseline) / n_known,
        candidate_mean=math.fsum(found.candidate) / n_known,
        difference=math.fsum(found.differences) / n_known,
        standard_error=measured.standard_error if measured else None,
        df=measured.df if measured else None,
        interval=interval_block(decides.interval) if decides else None,
        pvalue=decides.pvalue if decides else None,
        pvalue_permutation=None if isinstance(flip, NotEstimable) else flip.pvalue,
        pvalue_permutation_is_bound=not isinstance(flip, NotEstimable) and flip.is_bound,
        naive_standard_error=measured.naive_standard_error if measured else None,
        bootstrap=bootstrap,
        bootstrap_reason=bootstrap_reason,
        reason=gating.reason if isinstance(gating, NotEstimable) else _reason(estimate),
    )


def _empty(of: Measure, *, n_cases: int, n_clusters: int, reason: str) -> MeanBlock:
    return MeanBlock(
        of=of,
        n_cases=n_cases,
        n_clusters=n_clusters,
        baseline_mean=None,
        candidate_mean=None,
        difference=None,
        standard_error=None,
        df=None,
        interval=None,
        pvalue=None,
        pvalue_permutation=None,
        naive_standard_error=None,
        reason=reason,
    )


def _reason(estimate: PairedMean | NotEstimable) -> str | None:
    return f"no standard error: {estimate.reason}" if isinstance(estimate, NotEstimable) else None


def _bootstrap(
    differences: FloatArray, clusters: IntArray | None, *, alpha: float
) -> tuple[IntervalBlock | None, str | None]:
    found = percentile_bootstrap(differences=differences, clusters=clusters, confidence_level=1 - alpha)
    if isinstance(found, NotEstimable):
        return None, found.reason
    return interval_block(found.interval), None
