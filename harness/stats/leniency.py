"""Whether a judge is more lenient towards one group of answers than people are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.cluster_robust import t_interval
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import SMALLEST_PVALUE
from harness.stats.samples import (
    BoolArray,
    FloatArray,
    IntArray,
    cluster_codes,
    probability,
    same_length,
    scores,
)

FEWEST_CLUSTERS = 10


class Leniency(NamedTuple):
    """The judge's score inside a group less outside it, at equal human score.

    Attributes:
        n_inside: Answers of the group that could be compared.
        n_outside: Other answers that could.
        n_left_out: Answers whose human score occurs on one side only.
        n_clusters: Clusters of the answers compared.
        difference: Mean difference of the judge's scores, in [-1, 1].
        standard_error: Cluster-robust, with four invented answers.
        interval: Two-sided t interval with the same, cut to [-1, 1].
        pvalue: Two-sided t test of no difference with the same, above 0.
    """

    n_inside: int
    n_outside: int
    n_left_out: int
    n_clusters: int
    difference: float
    standard_error: float
    interval: Interval
    pvalue: float


def leniency_difference(
    *,
    judge: ArrayLike,
    human: ArrayLike,
    in_group: BoolArray,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> Leniency | NotEstimable:
    """Compare a judge's scores inside and outside a group among answers people score alike.

    The group may be the judge's own model family (self-preference), Markdown answers
    (format) or long ones (verbosity). Comparing only answers of one human score keeps a
    better group from looking favoured, and a judge who errs at random from looking unfair
    because good answers have only one way to go. For the interval, a pass and a fail are
    invented on either side: a judge who never strayed from people may still stray.

    Args:
        judge: The judge's score of each answer, in [0, 1]. Shape (n_answers,).
        human: People's score of each answer, in [0, 1]. Shape (n_answers,).
        in_group: Whether the answer belongs to the group. Shape (n_answers,).
        clusters: Name of each answer's cluster, such as its case. None: all independent.
        confidence_level: In (0, 1).

    Returns:
        The difference; not estimable when no human score occurs on both sides, or below
        ten clusters.

    Raises:
        ValueError: NaN, infinite, unequal shapes, or scores outside [0, 1].

    References:
        Least squares on group and human score as categories, by Frisch & Waugh (1933);
        standard error of Liang & Zeger (1986), Biometrika 73(1), 13-22, with G/(G-1).
    """
    verdicts, truth, inside = _checked(judge, human, in_group)
    level = probability(confidence_level, name="confidence_level")
    codes = cluster_codes(clusters, n_cases=verdicts.size)
    groups = np.arange(verdicts.size) if codes is None else codes
    _, strata = np.unique(truth, return_inverse=True)
    used = _shared_strata(strata, inside)
    if not np.any(used):
        return NotEstimable("no human score occurs both inside and outside the group")
    n_clusters = np.unique(groups[used]).size
    if n_clusters < FEWEST_CLUSTERS:
        return NotEstimable(f"{n_clusters} clusters can be compared; {FEWEST_CLUSTERS} are needed")
    compared = verdicts[used], strata[used], inside[used], groups[used]
    difference, _ = _adjusted(*compared)
    centre, error = _adjusted(*_with_invented(*compared))
    df = float(n_clusters - 1)
    return Leniency(
        n_inside=int(np.sum(inside & used)),
        n_outside=int(np.sum(~inside & used)),
        n_left_out=int(np.sum(~used)),
        n_clusters=n_clusters,
        difference=difference,
        standard_error=error,
        interval=t_interval(
            centre=centre,
            error=error,
            df=df,
            level=level,
            support=(-1.0, 1.0),
            method="plus_four_equal_human_score",
        ),
        pvalue=max(2 * float(special.stdtr(df, -abs(centre) / error)), SMALLEST_PVALUE),
    )


def _checked(
    judge: ArrayLike, human: ArrayLike, in_group: BoolArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    verdicts, truth = scores(judge, name="judge"), scores(human, name="human")
    inside = np.asarray(in_group)
    if inside.dtype != np.bool_:
        raise ValueError(f"in_group must hold booleans, found {inside.dtype}")
    same_length(judge=verdicts, human=truth, in_group=inside)
    if min(verdicts.min(), truth.min()) < 0 or max(verdicts.max(), truth.max()) > 1:
        raise ValueError("scores must lie in [0, 1]")
    return verdicts, truth, inside


def _shared_strata(strata: IntArray, inside: BoolArray) -> BoolArray:
    """Answers whose human score occurs inside the group and outside it."""
    sizes, members = np.bincount(strata), np.bincount(strata, weights=inside)
    return np.asarray(((members > 0) & (members < sizes))[strata], dtype=np.bool_)


def _with_invented(
    verdicts: FloatArray, strata: IntArray, inside: BoolArray, groups: IntArray
) -> tuple[FloatArray, IntArray, BoolArray, IntArray]:
    """Add a pass and a fail inside and outside, in a stratum and in clusters of their own."""
    return (
        np.append(verdicts, [0.0, 1.0, 0.0, 1.0]),
        np.append(strata, np.full(4, strata.max() + 1)),
        np.append(inside, [True, True, False, False]),
        np.append(groups, groups.max() + 1 + np.arange(4)),
    )


def _adjusted(
    verdicts: FloatArray, strata: IntArray, inside: BoolArray, groups: IntArray
) -> tuple[float, float]:
    """Least-squares effect of the group beside the human score, and its clustered error."""
    member = _centred(inside.astype(np.float64), strata)
    outcome = _centred(verdicts, strata)
    information = float(member @ member)
    difference = float(member @ outcome) / information
    pull = member * (outcome - difference * member) / information
    _, codes = np.unique(groups, return_inverse=True)
    moves = np.bincount(codes, weights=pull)
    return difference, float(moves @ moves * moves.size / (moves.size - 1)) ** 0.5


def _centred(values: FloatArray, strata: IntArray) -> FloatArray:
    means = np.bincount(strata, weights=values) / np.maximum(np.bincount(strata), 1)
    return np.asarray(values - means[strata], dtype=np.float64)
