"""How much more often answers of one format pass: as judged, and among answers of like length."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.leniency import leniency_difference
from harness.stats.samples import BoolArray, FloatArray, scores

N_STRATA = 5


class FormatDifference(NamedTuple):
    """Pass rate inside the group less outside.

    Attributes:
        difference: In [-1, 1].
        interval: Cluster-robust, with four invented answers.
        pvalue: Two-sided t test of no difference with the same.
        n_left_out: Answers of a length that occurs in one of the two groups only.
    """

    difference: float
    interval: Interval
    pvalue: float
    n_left_out: int


def format_difference(
    *,
    passed: ArrayLike,
    formatted: BoolArray,
    lengths: ArrayLike | None,
    clusters: Sequence[str] | ArrayLike,
    confidence_level: float,
) -> FormatDifference | NotEstimable:
    """Compare how often formatted and plain answers pass, at equal length where lengths are given.

    Length is held equal by fifths: only answers within one fifth of the lengths are compared.

    Args:
        passed: Whether the judge passes each answer. Shape (n_answers,).
        formatted: Whether it is written in the format. Shape (n_answers,).
        lengths: Length of each answer, in any unit. Shape (n_answers,). None: not looked at.
        clusters: Name of each answer's cluster, such as its case. Shape (n_answers,).
        confidence_level: In (0, 1).

    Returns:
        The difference; not estimable where all answers are of one format, where no fifth of
        the lengths has both, or below ten clusters.

    Raises:
        ValueError: NaN, infinite, or unequal shapes.
    """
    outcomes = scores(passed, name="passed")
    inside = np.asarray(formatted, dtype=np.bool_)
    if inside.all() or not inside.any():
        return NotEstimable(f"all {inside.size} answers are {'formatted' if inside.all() else 'plain'}")
    found = leniency_difference(
        judge=outcomes,
        human=np.zeros_like(outcomes) if lengths is None else _fifths(scores(lengths, name="lengths")),
        in_group=inside,
        clusters=clusters,
        confidence_level=confidence_level,
    )
    if isinstance(found, NotEstimable):
        return NotEstimable(found.reason.replace("human score occurs", "fifth of the lengths has answers"))
    method = "plus_four" if lengths is None else "plus_four_equal_length"
    return FormatDifference(
        found.difference, found.interval._replace(method=method), found.pvalue, found.n_left_out
    )


def _fifths(lengths: FloatArray) -> FloatArray:
    """Return the fifth of each length, as a number in [0, 1]; equal lengths are in one fifth."""
    cuts = np.quantile(lengths, np.arange(1, N_STRATA) / N_STRATA, method="inverted_cdf")
    return np.asarray(np.searchsorted(cuts, lengths, side="left") / (N_STRATA - 1), dtype=np.float64)
