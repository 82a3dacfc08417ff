"""Which cases changed their majority verdict, and under which tags."""

from collections.abc import Mapping

import numpy as np

from harness.analysis.table import BoolArray, IntArray, Table
from harness.domain.report import Flip, FlipsBlock, TagFlips


def flips_block(table: Table, rows: Mapping[str, IntArray]) -> FlipsBlock:
    """Return every gain and loss, losses first, and their counts by tag.

    Args:
        table: The cases.
        rows: Its rows by tag.
    """
    baseline, candidate = table.baseline.majority, table.candidate.majority
    known = (baseline >= 0) & (candidate >= 0)
    changed = np.flatnonzero(known & (baseline != candidate))
    flips = [_flip(table, int(row), gained=bool(candidate[row] == 1)) for row in changed]
    return FlipsBlock(
        by_tag=_by_tag(rows, known, np.where(known, candidate - baseline, 0)),
        cases=tuple(sorted(flips, key=lambda flip: (flip.direction == "gain", flip.case))),
    )


def _flip(table: Table, row: int, *, gained: bool) -> Flip:
    result = table.results[row]
    return Flip(
        case=result.case,
        tags=result.tags,
        direction="gain" if gained else "loss",
        baseline_passes=int(table.baseline.passed[row]),
        candidate_passes=int(table.candidate.passed[row]),
        of=int(table.baseline.asked[row]),
    )


def _by_tag(rows: Mapping[str, IntArray], known: BoolArray, change: IntArray) -> tuple[TagFlips, ...]:
    return tuple(
        TagFlips(
            tag=tag,
            n_cases=int(known[carrying].sum()),
            gain=int(np.sum(change[carrying] > 0)),
            loss=int(np.sum(change[carrying] < 0)),
        )
        for tag, carrying in rows.items()
        if known[carrying].any()
    )
