"""Which cases changed their majority verdict, and under which tags."""

from collections import Counter

import numpy as np

from harness.analysis.table import Table
from harness.domain.report import Flip, FlipsBlock, TagFlips


def flips_block(table: Table) -> FlipsBlock:
    """Return every gain and loss, losses first, and their counts by tag."""
    baseline, candidate = table.baseline.majority, table.candidate.majority
    known = (baseline >= 0) & (candidate >= 0)
    changed = np.flatnonzero(known & (baseline != candidate))
    flips = [_flip(table, int(row), gained=bool(candidate[row] == 1)) for row in changed]
    return FlipsBlock(
        by_tag=_by_tag(table, known, baseline, candidate),
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


def _by_tag(
    table: Table, known: np.ndarray, baseline: np.ndarray, candidate: np.ndarray
) -> tuple[TagFlips, ...]:
    cases: Counter[str] = Counter()
    gains: Counter[str] = Counter()
    losses: Counter[str] = Counter()
    for row in np.flatnonzero(known):
        for tag in table.results[row].tags:
            cases[tag] += 1
            gains[tag] += int(candidate[row] > baseline[row])
            losses[tag] += int(candidate[row] < baseline[row])
    return tuple(
        TagFlips(tag=tag, n_cases=cases[tag], gain=gains[tag], loss=losses[tag]) for tag in sorted(cases)
    )
