"""Cases that disagree with themselves, and the headline with and without them."""

import numpy as np

from harness.analysis.mean import mean_differences
from harness.analysis.table import ArmCounts, BoolArray, FloatArray, Table
from harness.domain.report import FlakyBlock, Part

RULE = "in either arm at least 2 repeats pass and at least 2 fail"
_FEWEST_REPEATS = 4


def flaky_block(table: Table) -> FlakyBlock:
    """Return the mean difference over all cases, over the flaky and over the stable ones.

    The parts add up to the headline by their contributions. Flagging and
    measuring on the same repeats is biased, since a case at the boundary is
    flagged by the very luck that is measured: the parts describe, and never
    replace, the headline.
    """
    found = mean_differences(table, of="pass")
    differences = found.differences
    flagged = (_wavers(table.baseline) | _wavers(table.candidate))[found.known]
    asked = np.concatenate([table.baseline.asked, table.candidate.asked])
    too_few = asked.size == 0 or int(asked.max()) < _FEWEST_REPEATS
    return FlakyBlock(
        rule=RULE,
        n_flaky=int(flagged.sum()),
        headline=_part(differences, np.ones(differences.size, dtype=bool)),
        flaky=_part(differences, flagged),
        stable=_part(differences, ~flagged),
        hard_gains=_unanimous(table, was="failed", now="passed"),
        hard_losses=_unanimous(table, was="passed", now="failed"),
        reason=f"fewer than {_FEWEST_REPEATS} repeats: no case can be flagged" if too_few else None,
    )


def _wavers(arm: ArmCounts) -> BoolArray:
    return np.minimum(arm.passed, arm.failed) >= 2


def _part(differences: FloatArray, keep: BoolArray) -> Part:
    n_kept, total = int(keep.sum()), float(differences[keep].sum())
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
