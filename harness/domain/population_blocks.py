"""What a section says of other mixes of cases, and of preferences."""

from typing import Literal

from harness.domain.blocks import IntervalBlock
from harness.domain.estimate_blocks import DecisionVerdict
from harness.domain.record import Count, Record, Text


class StratumBlock(Record):
    """One part of the target population."""

    tag: Text
    n_cases: Count
    observed_share: float
    target_share: float
    difference: float | None
    interval: IntervalBlock | None


class OpposedSlice(Record):
    """A slice whose sign is not the overall one; at ``break_even_share`` of it the difference is 0."""

    tag: Text
    n_cases: Count
    difference: float
    overall: float
    share: float
    break_even_share: float


class PopulationBlock(Record):
    """The primary difference carried over to the plan's weights, and what the mix decides.

    ``difference`` and what follows are null where the plan gives no weights.
    ``macro`` counts every slice alike, ``micro`` every case. ``opposed`` are
    slices against all other cases.
    """

    weighted_by: Literal["tags", "cases"] | None = None
    n_cases: Count = 0
    n_outside: Count = 0
    difference: float | None = None
    unweighted: float | None = None
    standard_error: float | None = None
    df: float | None = None
    interval: IntervalBlock | None = None
    narrow_interval: IntervalBlock | None = None
    effective_n: float | None = None
    verdict: DecisionVerdict | None = None
    strata: tuple[StratumBlock, ...] = ()
    macro: float | None = None
    micro: float | None = None
    opposed: tuple[OpposedSlice, ...] = ()
    reason: str | None = None


class WinRateBlock(Record):
    """How often the candidate is preferred, ties counting half, over the verdicts of both orders.

    The interval is cluster-robust; both orders of a pair are in one cluster.
    """

    n_verdicts: Count
    rate: float | None
    interval: IntervalBlock | None
    reason: str | None = None


class AbilityBlock(Record):
    """The candidate's log ability, the baseline's being 0: Davidson, without ties Bradley and Terry.

    ``log_tie`` is the logarithm of the tie parameter, null where nothing tied.
    """

    log_ability: float | None
    interval: IntervalBlock | None
    log_tie: float | None
    reason: str | None = None


class PreferencesBlock(Record):
    """What a pairwise judge prefers. A pair is both arms' answers of one repeat, asked in both orders.

    ``ties`` are pairs whose orders both say so, reversals (each order prefers
    the same place, so another answer), and pairs with a tie in one order.
    """

    n_pairs: Count
    n_no_preference: Count
    candidate_preferred: Count
    baseline_preferred: Count
    ties: Count
    ties_in_both_orders: Count
    ties_by_reversal: Count
    win_rate: WinRateBlock
    ability: AbilityBlock
