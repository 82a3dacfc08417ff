"""docs/sequential.md, from what the simulation found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

from stakes import N_REPLICATES, stakes_table

if TYPE_CHECKING:
    from sequential import Row

_WIDTH = 120
_ABOUT = """
Made by `python bench/sequential.py --replicates {n_replicates} --write`; not edited by hand. What the method
is stands in [statistics.md](statistics.md#early-stopping). Every replicate draws cases in the order they
would be asked in, asks `harness.analysis.is_enough` after every batch as a run does, and reads the verdict at
the stop from the public analysis.
"""
_SAME = """
`false stops`: runs that told the arms apart, at most 5% whatever the batches. `peeking`: runs in which the
analysis of a fixed size, read after each of the same batches, would have claimed a difference ({n_peeked}
replicates). `coverage`: intervals at the stop that hold the truth. Where nothing is missing an interval
leaves 0 out exactly when the evidence ends a run, so in all runs without a false stop it held the truth after
every batch. `wrong`: verdicts that the truth contradicts.
"""
_DIFFERENT = """
The fixed design has the cases that the exact power of the mid-p test asks for at 80%; `finds` is how often it
claimed a difference here. The sequential plan may ask up to so many, or 1.5 or 2 times as many, in 20
batches.
`stops`: runs that the evidence ended. `asked`: cases asked on average, and as a share of the fixed design.
`excess`: by how much the difference at the stop is too large on average, in points.
"""
_STAKES = f"""
Share of runs that stop, and cases asked as a share of those that may be asked, in 20 batches, {N_REPLICATES}
replicates. `adapting`: bets sized by what was seen before, which hang on the order of the cases
(`harness.stats.betting`).
"""


class Replicates(NamedTuple):
    """How many there are: of each row, and of those peeked into."""

    each: int
    peeked: int


def page(rows: Sequence[Row], broken: Sequence[str], of: Replicates, *, seed: int) -> str:
    """Return the page."""
    level = [row for row in rows if not row.world.difference]
    effect = [row for row in rows if row.world.difference]
    blocks = [
        "# What early stopping promises, and what it saves",
        _paragraph(_ABOUT.format(n_replicates=of.each)),
        f"- Seed {seed}, {of.each:,} replicates a row; the standard error of a share near .05 is "
        f"{math.sqrt(0.05 * 0.95 / of.each):.4f}.\n"
        f"- Promises broken by more than two standard errors: {'; '.join(broken) or 'none'}.",
        "## Arms that do not differ",
        _paragraph(_SAME.format(n_peeked=of.peeked)),
        _table(
            "cases | at most | batch | differ | false stops | peeking | coverage | wrong",
            map(_level_line, level),
        ),
        "## Arms that differ",
        _paragraph(_DIFFERENT),
        _table(
            "planned for | true | differ | fixed: cases | finds | at most | stops | asked | of fixed | excess"
            " | coverage",
            map(_effect_line, effect),
        ),
        "## Why Beta(2, 2)",
        _paragraph(_STAKES),
        "\n".join(stakes_table(seed=seed)),
    ]
    return "\n\n".join(blocks) + "\n"


def _paragraph(text: str) -> str:
    return fill(" ".join(text.split()), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(head: str, lines: Iterable[str]) -> str:
    rule = "---|" * (head.count("|") + 1)
    return "\n".join([f"| {head} |", f"|{rule}", *lines])


def _level_line(row: Row) -> str:
    world, found = row
    cells = (
        world.name,
        f"{world.n_max:,}",
        f"{world.batch}",
        f"{world.discordance:.0%}",
        f"{found.stopped:.3f}",
        f"{found.peeked:.3f}",
        f"{found.covered:.3f}",
        f"{found.wrong:.3f}",
    )
    return f"| {' | '.join(cells)} |"


def _effect_line(row: Row) -> str:
    world, found = row
    cells = (
        world.name,
        f"{100 * world.difference:g} points",
        f"{world.discordance:.0%}",
        f"{world.n_fixed:,}",
        f"{found.fixed:.2f}",
        f"{world.n_max:,}",
        f"{found.stopped:.2f}",
        f"{found.n_asked:.0f}",
        f"{found.n_asked / world.n_fixed:.2f}",
        f"{100 * found.excess:+.1f}",
        f"{found.covered:.3f}",
    )
    return f"| {' | '.join(cells)} |"
