"""docs/validity.md from what was counted and enumerated."""

import math
from collections.abc import Callable, Iterator, Sequence
from textwrap import fill, indent

from enumerated import (
    Extremes,
    coverages,
    extremes,
    heavy_coverage,
    plus_two,
    sizes,
    student,
    t_coverage,
    tango,
    widened,
)
from validity import COVERAGE_LIMIT, LEVEL_LIMIT, N_AGAIN, N_WHOLE, TIMES_AGAIN, Row, problems
from worlds import World, truth

from harness.analysis.gating import FEWEST_CLUSTERS, FEWEST_DF
from harness.analysis.reading import FEWEST_CASES

ENUMERATED_CASES = (20, 30, 40, 50, 100, 200)


def document(rows: Sequence[Row], *, replicates: int, seed: int) -> str:
    """Return the page."""
    return "\n".join(
        [
            *_head(rows, replicates=replicates, seed=seed),
            "",
            "## Domain",
            "",
            *_domain(),
            "",
            "## Enumerated: majority, every case alone",
            "",
            *_enumerated(),
            "",
            "## Enumerated: why not another",
            "",
            *_others(),
            "",
            "## Simulated",
            "",
            *_table(rows),
            "",
        ]
    )


def _head(rows: Sequence[Row], *, replicates: int, seed: int) -> Iterator[str]:
    yield "# Does it keep its word?"
    yield ""
    yield _paragraph(
        f"Made by `python bench/validity.py --replicates {replicates} --seed {seed} --write`; not edited by "
        "hand. Case results with a known truth go through the public analysis, and what it says is held "
        "against that truth: not the formulas are simulated but the room that decides. Most replicates run "
        f"the part of `harness.analysis.analyse` that decides; the first {N_WHOLE} of each world run all of "
        "it, and must say the same. Worlds of 2,000 cases and those with weights are drawn half as often. "
        f"The {N_AGAIN} worlds nearest to a limit are drawn again from another "
        f"seed, {TIMES_AGAIN} times as often, and the second draw stands (`*`). The margin is the true "
        "difference, so that every claim to have ruled it out is false."
    )
    yield ""
    n = sum(row.found.n for row in rows)
    yield _bullet(
        f"seed {seed} (second draws {seed + 1}), {n:,} replicates in {len(rows)} worlds; 95% intervals, "
        "level .05."
    )
    yield from _extreme_lines(rows)
    broken = [f"  - {_place(row.world)}: {', '.join(problems(row))}" for row in rows if problems(row)]
    yield _bullet(
        f"worlds beyond level {LEVEL_LIMIT:g} or coverage {COVERAGE_LIMIT:g} by more than two standard "
        f"errors: {len(broken) or 'none'}."
    )
    yield from broken


def _extreme_lines(rows: Sequence[Row]) -> Iterator[str]:
    measured = [row for row in rows if row.found.refused < row.found.n]
    lowest = min(measured, key=lambda row: row.found.coverage)
    n = lowest.found.n - lowest.found.refused
    yield _bullet(f"lowest coverage {_with_error(lowest.found.coverage, n)}: {_place(lowest.world)}.")
    levels = [row for row in measured if truth(row.world) == 0]
    yield _highest("highest level", levels, lambda row: row.found.rejected)
    yield _highest("most wrong verdicts", measured, lambda row: row.found.wrong)
    yield _highest("most false claims of a guardrail", measured, lambda row: row.found.not_worse)


def _highest(what: str, rows: Sequence[Row], count: Callable[[Row], int]) -> str:
    row = max(rows, key=lambda each: count(each) / each.found.n)
    return _bullet(f"{what} {_with_error(count(row) / row.found.n, row.found.n)}: {_place(row.world)}.")


def _paragraph(text: str) -> str:
    return fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _bullet(text: str) -> str:
    return indent(_paragraph(text), "  ").replace("  ", "- ", 1)


def _with_error(share: float, n: int) -> str:
    return f"{share:.3f} (standard error {math.sqrt(share * (1 - share) / n):.4f}, {n:,} replicates)"


def _domain() -> Iterator[str]:
    yield _bullet(
        "Majority, every case alone: Tango's score interval, no narrower than the exact binomial one where "
        f"a cell is empty. From 20 cases on up to a discordance of .4, from {FEWEST_CASES} on at any; below "
        f"{FEWEST_CASES} the report carries a `caution`. The table below goes through every outcome there "
        "can be."
    )
    yield _bullet(
        "Mean of passes, and majority in clusters: the plus-two interval on CR2, always, no narrower than "
        "the score interval at effective counts. A plain t interval covers "
        f"{t_coverage(n_units=20, share=0.05):.0%} of 95% where one in twenty of 20 cases differs. In "
        "clusters the two invented units are clusters of average size: with two invented cases the "
        f"interval covers {t_coverage(n_units=10, share=0.1, cluster_size=10, invented_cases=True):.0%} at "
        "10 clusters of which one in ten differs as a whole. Where cases of a cluster do not move together "
        "this is cautious."
    )
    yield _bullet(
        f"Clusters: refused below {FEWEST_CLUSTERS}, where no sign flip of whole clusters can reach .05. "
        f"Below {FEWEST_DF:g} Satterthwaite degrees of freedom, which hang on the sizes of the clusters "
        "alone, the interval is shown with a caution, a difference is claimed only where the exact sign "
        "flips of whole clusters confirm it, and neither equivalence nor a guardrail is claimed at all. "
        "`refused` below means that there was no interval."
    )
    yield _bullet(
        "Case weights: two invented cases of the largest weight. With invented cases of average weight the "
        f"interval covers {heavy_coverage(n_cases=50, heavy=50, share=0.2, rate=0.1, invented=1.0):.0%} "
        "where one in five of 50 cases weighs 50 times as much and one in ten of those gains. Below "
        f"{FEWEST_DF:g} degrees of freedom nothing is claimed."
    )
    yield _bullet(
        "A mean of scores: the t interval on CR2, refused where fewer than 15, and fewer than half, of the "
        "cases or clusters differ. It is not simulated here: scores have no common shape."
    )
    yield _bullet("Missing verdicts here are missing at random; the bounds speak where they are not.")
    yield _bullet("Judge noise turns verdicts alike in both arms: the truth is the difference as judged.")


def _enumerated() -> Iterator[str]:
    yield _paragraph(
        "Differences to .5 and discordances to the one named, closest together where few cases change. "
        "`false guardrail`: how often a loss as large as the margin is called ruled out at .05; `level`: "
        "how often zero is left out where it is true."
    )
    yield ""
    yield "| cases | discordance to | least coverage | most false guardrail | highest level |"
    yield "|---|---|---|---|---|"
    for n in ENUMERATED_CASES:
        for most in (0.4, 1.0):
            yield f"| {n} | {most:g} | {_cells(extremes(n, most_discordant=most, method=widened))} |"


def _cells(found: Extremes) -> str:
    return " | ".join(f"{at.number:.3f}" for at in found)


def _others() -> Iterator[str]:
    yield _paragraph(
        "Discordances to 1. The plus-two interval is that of a mean with one answer a case, before the "
        "score is asked."
    )
    yield ""
    yield "| cases | method | least coverage | most false guardrail | highest level |"
    yield "|---|---|---|---|---|"
    for name, method in (("paired t", student), ("Tango alone", tango), ("plus-two alone", plus_two)):
        for n in (20, 50, 100):
            yield f"| {n} | {name} | {_cells(extremes(n, most_discordant=1.0, method=method))} |"
    yield ""
    yield _paragraph(
        "Coverage over the differences there can be at a discordance of .1, and how often exact and mid-p "
        "McNemar reject at .05 where the arms are alike:"
    )
    yield ""
    yield "| cases | paired t covers | the interval that decides covers | exact rejects | mid-p rejects |"
    yield "|---|---|---|---|---|"
    for n in ENUMERATED_CASES:
        t, ours = (coverages(n, discordance=0.1, method=method) for method in (student, widened))
        size = sizes(n, discordance=0.1)
        yield f"| {n} | {_span(t)} | {_span(ours)} | {size['exact']:.3f} | {size['mid-p']:.3f} |"


def _span(found: tuple[float, float]) -> str:
    return f"{found[0]:.3f} to {found[1]:.3f}"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield _paragraph(
        "`truth` is the true difference of the estimand in points, `coverage` the share of intervals that "
        "hold it, `level` the share that leave 0 out where the truth is 0, `wrong` the share of verdicts "
        "that the truth contradicts, `false guardrail` how often a guardrail whose margin is the true loss "
        "passes. Standard errors near .05: .005 at 2,000 replicates, .003 at 6,000."
    )
    yield ""
    yield (
        "| worlds | estimand | cases | K | discordance | parts | truth | coverage | level | wrong | false "
        "guardrail | replicates |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    yield from map(_line, rows)


def _line(row: Row) -> str:
    world, found = row.world, row.found
    true = truth(world)
    cells = (
        world.name,
        world.estimand,
        f"{world.n_cases}",
        f"{world.repeats}",
        f"{world.discordance:g}",
        _parts(world),
        f"{100 * true:.1f}",
        "refused" if found.refused == found.n else f"{found.coverage:.3f}",
        f"{found.rejected / found.n:.3f}" if true == 0 else "",
        f"{found.wrong / found.n:.3f}",
        f"{found.not_worse / found.n:.3f}" if true != 0 and world.weighted is None else "",
        f"{found.n:,}{' *' if row.again else ''}",
    )
    return f"| {' | '.join(cells)} |"


def _parts(world: World) -> str:
    if world.weighted == "cases":
        return f"1 in 5 weighs {world.strata[-1].weight:g}"
    if world.weighted == "tags":
        return "60, 30, 10% to a third each"
    if not world.clusters:
        return "-"
    where = f"{len(world.clusters)} of {min(world.clusters)}-{max(world.clusters)}"
    return f"{where}, each of one kind" if world.alike else where


def _place(world: World) -> str:
    parts = _parts(world)
    where = "" if parts == "-" else f", {parts}"
    return (
        f"{world.name}, {world.estimand}, n = {world.n_cases}, K = {world.repeats}, discordance "
        f"{world.discordance:g}{where}, true difference {100 * truth(world):.1f}"
    )
