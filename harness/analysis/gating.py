"""The mean difference that may decide: widened, and refused where its design cannot carry it."""

from math import ceil
from typing import NamedTuple

import numpy as np

from harness.analysis.blocks import MAJORITY_SUPPORT, generator
from harness.analysis.table import FloatArray, IntArray
from harness.stats.cluster_robust import cluster_sums, cr2
from harness.stats.effective_counts import EffectiveCounts, effective_counts
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import PairedMean, covers_too_little, one_sided_pvalue, paired_mean
from harness.stats.permutation import sign_flip
from harness.stats.samples import cluster_codes

# Below this a t interval on CR2 covers too little where clusters move as one;
# docs/validity.md. The degrees of freedom hang on the sizes of the clusters alone.
FEWEST_DF = 6.0
# With five, no sign-flip test can reach .05: 2 / 2^5 is above it.
FEWEST_CLUSTERS = 6
_N_RESAMPLES = 9_999


class GatingMean(NamedTuple):
    """A mean difference with the interval and the test that decide.

    Attributes:
        mean: What interval and test come from; of passes, with two invented cases.
        counts: Of passes, the steps that the score interval counts; of scores none.
        interval: Of the difference.
        pvalue: Two-sided, of no difference. Where there is a caution, the larger one of
            the t test and the sign flips of whole clusters, which need no degrees of freedom.
        caution: Why equivalence and non-inferiority cannot be claimed by this interval.
    """

    mean: PairedMean
    counts: EffectiveCounts | None
    interval: Interval
    pvalue: float
    caution: str | None

    def noninferiority(self, margin: float) -> float:
        """Return the one-sided p-value of a loss as large as the margin."""
        pvalue = one_sided_pvalue(self.mean, threshold=-margin, alternative="greater")
        return pvalue if self.counts is None else max(pvalue, self.counts.pvalue(threshold=-margin))


def gating_mean(
    differences: FloatArray, clusters: IntArray | None, *, confidence_level: float, bounded: bool
) -> GatingMean | NotEstimable:
    """Return the mean difference with an interval that keeps its level.

    Of passes it is the interval of `plus_two_mean`, whose limits reach at least as
    far as those of the score interval at effective counts: a t interval alone calls
    a loss as large as the margin ruled out in up to 9.9% where cases can only be
    lost (docs/validity.md). Where few clusters are worth anything only sign flips
    of whole clusters confirm what is claimed, and nothing is ruled out.

    Args:
        differences: Candidate minus baseline, shape (n_cases,), n_cases >= 1.
        clusters: Cluster numbers from 0, shape (n_cases,); None where each case stands alone.
        confidence_level: Of the interval.
        bounded: Whether differences lie in [-1, 1], as those of passes do.
    """
    found = plus_two_mean(differences, clusters, confidence_level=confidence_level, bounded=bounded)
    if isinstance(found, NotEstimable) or not bounded or found.caution is not None:
        return found
    counts = _counts(differences, clusters)
    return found._replace(
        counts=counts,
        interval=widened(found.interval, counts),
        pvalue=max(found.pvalue, counts.two_sided_pvalue()),
    )


def plus_two_mean(
    differences: FloatArray, clusters: IntArray | None, *, confidence_level: float, bounded: bool
) -> GatingMean | NotEstimable:
    """Return the mean difference by the t interval; of passes, with two invented cases.

    Two invented cases, one at each end of what is possible: a plain t interval
    covers 64% of 95% at 20 cases of which one in twenty differs. Where cases share
    clusters, two clusters of average size are invented: with two cases the interval
    covers 65% at 10 clusters of which one in ten differs as a whole. The rule is
    fixed, since to choose by how many cases differ would be to choose by the data.
    A score has no known ends, so there it is the plain interval, refused where few
    cases differ.

    Args:
        differences: Candidate minus baseline, shape (n_cases,), n_cases >= 1.
        clusters: Cluster numbers from 0, shape (n_cases,); None where each case stands alone.
        confidence_level: Of the interval.
        bounded: Whether differences lie in [-1, 1], as those of passes do.

    References:
        Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37(4), 479-488.
    """
    n_units = differences.size if clusters is None else np.unique(clusters).size
    if differences.size < 2:
        return NotEstimable("one case has no spread to estimate an error from")
    if clusters is not None and n_units < FEWEST_CLUSTERS:
        return NotEstimable(f"{n_units} clusters; an interval that may decide needs {FEWEST_CLUSTERS}")
    few = clusters is not None and _degrees_of_freedom(clusters) < FEWEST_DF
    values, groups = _plus_two(differences, clusters, few=few) if bounded else (differences, clusters)
    mean = paired_mean(
        differences=values,
        clusters=groups,
        confidence_level=confidence_level,
        support=MAJORITY_SUPPORT if bounded else None,
    )
    if isinstance(mean, NotEstimable):
        return mean
    if not bounded and covers_too_little(mean):
        return NotEstimable(
            f"only {mean.n_informative} of {mean.n_clusters} differ: a t interval would cover too little"
        )
    interval = mean.interval._replace(method="plus_two_cr2") if bounded else mean.interval
    if clusters is None or not few:
        return GatingMean(mean, None, interval, mean.pvalue, None)
    flips = sign_flip(
        differences=differences, clusters=clusters, n_resamples=_N_RESAMPLES, rng=generator(0, "few_clusters")
    )
    pvalue = 1.0 if isinstance(flips, NotEstimable) else max(flips.pvalue, mean.pvalue)
    return GatingMean(mean, None, interval, pvalue, _few(mean.df, n_units))


def widened(interval: Interval, counts: EffectiveCounts) -> Interval:
    """Return the interval, reaching at least as far as the score interval; its method says if it does."""
    tail = (1 - interval.confidence_level) / 2
    low, high = min(interval.low, counts.lower(tail=tail)), max(interval.high, counts.upper(tail=tail))
    if (low, high) == (interval.low, interval.high):
        return interval
    return interval._replace(low=low, high=high, method=f"{interval.method}_score")


def _counts(differences: FloatArray, clusters: IntArray | None) -> EffectiveCounts:
    codes = cluster_codes(clusters, n_cases=differences.size)
    if codes is None:
        return effective_counts(sums=differences, weights=np.ones(differences.size))
    units = cluster_sums(differences, codes)
    return effective_counts(sums=units.sums, weights=units.sizes)


def _few(df: float, n_clusters: int) -> str:
    return (
        f"few_clusters: {n_clusters} of very unequal size are worth {df:.1f} degrees of freedom, fewer than "
        f"{FEWEST_DF:g}: the limits may hold less often than they say"
    )


def _degrees_of_freedom(clusters: IntArray) -> float:
    """Return Satterthwaite's degrees of freedom, which the sizes of the clusters alone decide."""
    sizes = np.unique(clusters, return_counts=True)[1].astype(np.float64)
    return cr2(np.zeros(sizes.size), sizes)[1]


def _plus_two(
    differences: FloatArray, clusters: IntArray | None, *, few: bool
) -> tuple[FloatArray, IntArray | None]:
    if clusters is None:
        return np.append(differences, MAJORITY_SUPPORT), None
    # Where few clusters are worth anything an invented one would drown them; there sign flips
    # of whole clusters confirm what is claimed, and nothing is ruled out.
    n_each = 1 if few else ceil(differences.size / np.unique(clusters).size)
    low, high = clusters.max() + 1, clusters.max() + 2
    return (
        np.append(differences, np.repeat(MAJORITY_SUPPORT, n_each)),
        np.append(clusters, np.repeat([low, high], n_each)),
    )
