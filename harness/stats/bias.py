"""What moves a judge besides the answer: its place, its author's family, its format."""

from typing import NamedTuple

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.proportions import clopper_pearson_interval, wilson_interval
from harness.stats.requires import require_count


class PositionBias(NamedTuple):
    """What the order of two answers does to their judge.

    Attributes:
        n_pairs: Pairs asked in both orders.
        win_rate: Of the candidate, pairs that flip or tie counted as half, in [0, 1].
        consistency: Share of pairs with one verdict in both orders.
        consistency_interval: Wilson.
        pvalue_consistent: Exact two-sided test of equal wins, over pairs that both orders
            decide alike.
        first_slot_share: Among reversed pairs, those that went to the answer shown first.
            Not estimable without reversed pairs.
        first_slot_interval: Clopper-Pearson of that share.
        pvalue_position: Exact two-sided test that it is one half.
    """

    n_pairs: int
    win_rate: float
    consistency: float
    consistency_interval: Interval
    pvalue_consistent: float
    first_slot_share: float | NotEstimable
    first_slot_interval: Interval | NotEstimable
    pvalue_position: float


def position_bias(
    *,
    n_candidate_both: int,
    n_baseline_both: int,
    n_first_both: int,
    n_second_both: int,
    n_other: int,
    confidence_level: float,
) -> PositionBias | NotEstimable:
    """Summarise pairs that were judged in both orders.

    Args:
        n_candidate_both: Pairs won by the candidate in both orders.
        n_baseline_both: Pairs won by the baseline in both orders.
        n_first_both: Pairs won in both orders by the answer shown first.
        n_second_both: Pairs won in both orders by the answer shown second.
        n_other: Pairs with a tie in both orders; they are consistent.
        confidence_level: In (0, 1).

    Returns:
        The summary; not estimable without pairs.

    Raises:
        ValueError: A count is negative or no whole number.

    References:
        Zheng et al. (2023), arXiv 2306.05685, section 3.3, for asking both orders.
    """
    wins, losses = (
        require_count("n_candidate_both", n_candidate_both),
        require_count("n_baseline_both", n_baseline_both),
    )
    first, second = require_count("n_first_both", n_first_both), require_count("n_second_both", n_second_both)
    ties = require_count("n_other", n_other)
    n_pairs = wins + losses + first + second + ties
    if n_pairs == 0:
        return NotEstimable("no pair was judged in both orders")
    n_alike, n_reversed = wins + losses + ties, first + second
    none = NotEstimable("no pair was reversed by the order")
    return PositionBias(
        n_pairs=n_pairs,
        win_rate=(wins + (n_pairs - wins - losses) / 2) / n_pairs,
        consistency=n_alike / n_pairs,
        consistency_interval=wilson_interval(
            count=n_alike, n_cases=n_pairs, confidence_level=confidence_level
        ),
        pvalue_consistent=mcnemar_exact(gain=wins, loss=losses).pvalue,
        first_slot_share=first / n_reversed if n_reversed else none,
        first_slot_interval=clopper_pearson_interval(
            count=first, n_cases=n_reversed, confidence_level=confidence_level
        )
        if n_reversed
        else none,
        pvalue_position=mcnemar_exact(gain=first, loss=second).pvalue,
    )
