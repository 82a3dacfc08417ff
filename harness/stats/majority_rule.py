"""What a majority of K votes makes of a single vote's chance to pass."""

from typing import NamedTuple

from harness.stats.binomial import upper_tail
from harness.stats.requires import require_positive_count, require_within


class MajorityChance(NamedTuple):
    """Chances of the three outcomes of a majority; they add up to 1.

    Attributes:
        passing: More than half of the votes asked for pass.
        failing: More than half of the votes asked for fail.
        undecided: Neither: a tie at even K, or too many votes missing.
    """

    passing: float
    failing: float
    undecided: float


def majority_chance(*, pass_probability: float, n_votes: int, missing_probability: float) -> MajorityChance:
    """Return the chance that K independent votes have a majority for pass, for fail, or none.

    The majority is of the votes asked for, so a missing vote counts against both sides.

    Args:
        pass_probability: Chance that a vote that arrives is a pass, in [0, 1].
        n_votes: Votes asked for, K, at least 1.
        missing_probability: Chance that a vote gives no verdict, in [0, 1].

    Raises:
        ValueError: A probability outside [0, 1], or no votes.
    """
    n = require_positive_count("n_votes", n_votes)
    arrives = 1 - require_within("missing_probability", missing_probability, 0.0, 1.0)
    p = require_within("pass_probability", pass_probability, 0.0, 1.0)
    needed = n // 2 + 1
    passing = float(upper_tail(needed, n, arrives * p))
    failing = float(upper_tail(needed, n, arrives * (1 - p)))
    return MajorityChance(passing, failing, max(1 - passing - failing, 0.0))
