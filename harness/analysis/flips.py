"""Which cases changed their majority verdict, and under which tags."""

from collections.abc import Mapping

import numpy as np

from harness.analysis.table import BoolArray, IntArray, Table
from harness.domain.case_blocks import Flip, FlipsBlock, TagFlips
from harness.domain.verdicts import CaseResult


def flips_block(table: Table, rows: Mapping[str, IntArray]) -> FlipsBlock:
    """Return every gain and loss, losses first, and their counts by tag.

    Args:
        table: The cases.
        rows: Its rows by tag.
    """
    baseline, candidate = table.baseline.majority, table.candidate.majority
    known = (baseline >= 0) & (candidate >= 0)
    changed = np.flatnonzero(known & (baseline != candidate))
    flips = map(
        _flip,
        [table.results[row] for row in changed.tolist()],
        (candidate[changed] == 1).tolist(),
        table.baseline.passed[changed].tolist(),
        table.candidate.passed[changed].tolist(),
        table.baseline.asked[changed].tolist(),
    )
    return FlipsBlock(
        by_tag=_by_tag(rows, known, np.where(known, candidate - baseline, 0)),
        cases=tuple(sorted(flips, key=lambda flip: (flip.direction == "gain", flip.case))),
    )


def _flip(result: CaseResult, gained: bool, baseline: int, candidate: int, asked: int) -> Flip:
    return Flip(
        case=result.case,
        tags=result.tags,
        direction="gain" if gained else "loss",
        baseline_passes=baseline,
        candidate_passes=candidate,
        of=asked,
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
