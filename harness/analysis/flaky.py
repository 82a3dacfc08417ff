"""Cases that disagree with themselves, and the headline with and without them."""

import math

import numpy as np

from harness.analysis.mean import mean_differences
from harness.analysis.table import ArmCounts, BoolArray, FloatArray, Table
from harness.domain.case_blocks import FlakyBlock, Part
from harness.stats.estimability import NotEstimable
from harness.stats.flaky import FEWEST_REPEATS, Stratum, ThreeNumbers, three_numbers_cross_fitted

RULE = "in either arm at least 2 repeats pass and at least 2 fail"
COMPARED_RULE = "at least 2 repeats prefer an arm and at least 2 do not"


def flaky_block(table: Table, *, alpha: float, compared: bool = False) -> FlakyBlock:
    """Return the mean difference over all cases, over the flaky and over the stable ones.

    The parts add up to the headline by their contributions. Flagging and
    measuring on the same repeats is biased, since a case at the boundary is
    flagged by the very luck that is measured. So each half of the repeats also
    flags what the other half measures (cross-fitted). Either way the parts
    describe, and never replace, the headline.

    Args:
        table: The cases.
        alpha: For the level of the strata's intervals.
        compared: Whether a pass is a preference; the rule is the same in other words.
    """
    found = mean_differences(table, of="pass")
    differences = found.differences
    flagged = (_wavers(table.baseline) | _wavers(table.candidate))[found.known]
    asked = np.concatenate([table.baseline.asked, table.candidate.asked])
    too_few = asked.size == 0 or int(asked.max()) < FEWEST_REPEATS
    fitted = None if too_few else _cross_fitted(table, alpha=alpha)
    return FlakyBlock(
        rule=COMPARED_RULE if compared else RULE,
        n_flaky=int(flagged.sum()),
        headline=_part(differences, np.ones(differences.size, dtype=bool)),
        flaky=_part(differences, flagged),
        stable=_part(differences, ~flagged),
        cross_fitted_flaky=_stratum(fitted.flaky) if fitted else None,
        cross_fitted_stable=_stratum(fitted.stable) if fitted else None,
        reflagged_share=_known(fitted.reflagged_share) if fitted else None,
        hard_gains=_unanimous(table, was="failed", now="passed"),
        hard_losses=_unanimous(table, was="passed", now="failed"),
        reason=f"fewer than {FEWEST_REPEATS} repeats: no case can be flagged" if too_few else None,
    )


def _cross_fitted(table: Table, *, alpha: float) -> ThreeNumbers | None:
    baseline, candidate = table.baseline.outcomes, table.candidate.outcomes
    if baseline is None or candidate is None or baseline.shape != candidate.shape:
        return None
    found = three_numbers_cross_fitted(
        baseline=baseline, candidate=candidate, clusters=table.clusters, confidence_level=1 - alpha
    )
    return None if isinstance(found, NotEstimable) else found


def _stratum(found: Stratum) -> Part:
    return Part(n_cases=found.n_cases, difference=_known(found.difference), contribution=found.contribution)


def _known(value: float | NotEstimable) -> float | None:
    return None if isinstance(value, NotEstimable) else value


def _wavers(arm: ArmCounts) -> BoolArray:
    return np.minimum(arm.passed, arm.failed) >= 2


def _part(differences: FloatArray, keep: BoolArray) -> Part:
    n_kept, total = int(keep.sum()), math.fsum(differences[keep])
    return Part(
        n_cases=n_kept,
        difference=total / n_kept if n_kept else None,
        contribution=total / differences.size if differences.size else None,
    )


def _unanimous(table: Table, *, was: str, now: str) -> tuple[str, ...]:
    before = getattr(table.baseline, was) == table.baseline.asked
    after = getattr(table.candidate, now) == table.candidate.asked
    some = (table.baseline.asked > 0) & (table.candidate.asked > 0)
    return tuple(table.results[row].case for row in np.flatnonzero(before & after & some))
