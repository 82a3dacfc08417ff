"""Level and coverage of what decides, by simulation with known truth through the public analysis.

    python bench/validity.py [--minutes 11] [--seed 20260101] [--write]

Every replicate makes case results, gives them to `harness.analysis.analyse`, and compares what it
says with the truth they were drawn from. Prints the table; with --write, docs/validity.md is written
again. Exits with 1 if what may decide has a level above .06 or a coverage below .93 by more than two
standard errors anywhere in the grid.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from enumerated import extremes, t_coverage

from harness.analysis import analyse
from harness.analysis.gating import FEWEST_CLUSTERS, FEWEST_DF
from harness.analysis.section import deciding
from harness.domain.report import GuardrailBlock, PrimaryBlock
from harness.domain.specs import AnalysisSpec, Estimand, Guardrail
from harness.domain.verdicts import CaseResult, Graded, graded

MARGIN = 0.25
ALPHA = 0.05
ENUMERATED_CASES = (20, 30, 50, 100)
LEVEL_LIMIT, COVERAGE_LIMIT = 0.06, 0.93
_PASS, _FAIL, _NONE = graded("pass"), graded("fail"), graded(None, "unreadable")
_GRADES = (_FAIL, _PASS, _NONE)
# Replicates of each world that go through the whole analysis too, and must come to the same.
N_WHOLE = 5
# Worlds nearest to a limit after the first pass: drawn again, with a number of replicates fixed here.
N_AGAIN = 12


class Kind(NamedTuple):
    """A kind of case: how likely each arm passes it, and its share of the population."""

    share: float
    baseline: float
    candidate: float


class World(NamedTuple):
    """One row of the table.

    Attributes:
        name: The group of worlds it belongs to.
        estimand: Declared primary.
        n_cases: Cases.
        repeats: Answers of each arm to each case.
        discordance: Share of cases on which the arms truly differ.
        difference: True difference of the kinds, before noise and majority.
        clusters: Sizes of the clusters; none where every case stands alone.
        alike: Whether all cases of a cluster are of one kind.
        noise: How often a judge turns a verdict.
        missing: How often an answer has no verdict.
    """

    name: str
    estimand: Estimand
    n_cases: int
    repeats: int
    discordance: float
    difference: float
    clusters: tuple[int, ...] = ()
    alike: bool = False
    noise: float = 0.0
    missing: float = 0.0


class Found(NamedTuple):
    """What the replicates of one world came to, as shares of them.

    Attributes:
        n_replicates: Replicates.
        refused: No interval.
        covered: The interval holds the truth, among those with an interval.
        rejected: The interval leaves 0 out; at no difference this is the level.
        wrong: The verdict is one that the truth contradicts.
        not_worse: A loss as large as the truth is claimed to be ruled out, by the guardrail
            whose margin is the true loss.
    """

    n_replicates: int
    refused: float
    covered: float
    rejected: float
    wrong: float
    not_worse: float | None


def worlds() -> Iterator[World]:
    """Yield the grid."""
    shares, tilts = (0.02, 0.1, 0.4), (0.0, 0.5)
    for n, share, tilt in product((20, 50, 200, 2000), shares, tilts):
        yield World("one answer", "majority", n, 1, share, share * tilt)
    for repeats, n, share, tilt in product((1, 5), (20, 50, 200), shares, tilts):
        yield World("mean of repeats", "mean", n, repeats, share, share * tilt)
    for share, tilt in product(shares, tilts):
        yield World("mean of repeats", "mean", 50, 3, share, share * tilt)
        yield World("mean of repeats", "mean", 2000, 5, share, share * tilt)
    for n, repeats, share in product((20, 200), (3, 5), (0.02, 0.4)):
        yield World("majority of repeats", "majority", n, repeats, share, 0.0)
    for sizes, alike in product(CARRYING, (False, True)):
        for share, tilt in ((0.02, 0.0), (0.1, 0.0), (0.1, 0.5), (0.4, 0.0), (0.4, 0.5)):
            yield World("clusters", "majority", sum(sizes), 1, share, share * tilt, sizes, alike)
        yield World("clusters", "mean", sum(sizes), 3, 0.4, 0.0, sizes, alike)
    for sizes in TOO_FEW:
        yield World("clusters", "majority", sum(sizes), 1, 0.4, 0.0, sizes, alike=True)
    for n, tilt in product((50, 200), tilts):
        yield World("judge noise", "majority", n, 3, 0.1, 0.1 * tilt, noise=0.1)
        yield World("judge noise", "mean", n, 3, 0.1, 0.1 * tilt, noise=0.1)
        yield World("missing", "majority", n, 1, 0.2, 0.2 * tilt, missing=0.05)
        yield World("missing", "mean", n, 3, 0.1, 0.1 * tilt, missing=0.05)


# Sizes of clusters.
TOO_FEW = ((8,) * 5, (2, 4, 6, 12, 16), (2,) * 19 + (40,))
CARRYING = (
    (6,) * 8,
    (4,) * 10,
    tuple(1 + (g * g) % 17 for g in range(10)),
    tuple(1 + (g * g) % 17 for g in range(20)),
    tuple(1 + g % 5 for g in range(40)),
    tuple(1 + g % 5 for g in range(100)),
)


def kinds(world: World) -> tuple[Kind, ...]:
    """Return the population: agreeing cases, gains and losses, and with repeats wavering ones."""
    gain = (world.discordance + world.difference) / 2
    loss = world.discordance - gain
    agreeing = 1 - world.discordance
    clear: tuple[Kind, ...]
    if world.repeats == 1:
        clear = (Kind(agreeing * 0.6, 1, 1), Kind(agreeing * 0.4, 0, 0), Kind(gain, 0, 1), Kind(loss, 1, 0))
    else:
        clear = (
            Kind(agreeing * 0.5, 1, 1),
            Kind(agreeing * 0.4, 0, 0),
            Kind(agreeing * 0.1, 0.5, 0.5),
            Kind(gain, 0.2, 0.9),
            Kind(loss, 0.9, 0.2),
        )
    noise = world.noise
    return tuple(
        Kind(k.share, *(p * (1 - noise) + (1 - p) * noise for p in (k.baseline, k.candidate))) for k in clear
    )


def truth(world: World) -> float:
    """Return the true difference of the estimand, as judged, by enumeration."""
    if world.estimand == "mean":
        return math.fsum(kind.share * (kind.candidate - kind.baseline) for kind in kinds(world))
    total = known = 0.0
    for kind in kinds(world):
        (was, was_not), (now, now_not) = (
            _majority_chances(chance, world) for chance in (kind.baseline, kind.candidate)
        )
        total += kind.share * (now * was_not - was * now_not)
        known += kind.share * (was + was_not) * (now + now_not)
    return total / known


def _majority_chances(chance: float, world: World) -> tuple[float, float]:
    """Return how likely more than half of the answers asked for pass, and fail."""
    seen, asked = 1 - world.missing, world.repeats
    passes = fails = 0.0
    for n_pass in range(asked + 1):
        for n_fail in range(asked + 1 - n_pass):
            ways = math.comb(asked, n_pass) * math.comb(asked - n_pass, n_fail)
            weight = ways * (seen * chance) ** n_pass * (seen * (1 - chance)) ** n_fail
            weight *= world.missing ** (asked - n_pass - n_fail)
            passes += weight if 2 * n_pass > asked else 0.0
            fails += weight if 2 * n_fail > asked else 0.0
    return passes, fails


def draw(world: World, rng: np.random.Generator, *, turned: bool) -> tuple[tuple[int, ...], ...]:
    """Draw one experiment: for each case the grades of both arms, the arms turned round if wanted.

    Without clusters the order of the cases means nothing, so they are sorted: equal tables are
    analysed once.
    """
    population = kinds(world)
    shares = np.array([kind.share for kind in population])
    chances = np.array([[kind.baseline, kind.candidate] for kind in population])
    sizes = np.array(world.clusters or (1,) * world.n_cases)
    drawn = rng.choice(len(population), size=sizes.size if world.alike else world.n_cases, p=shares)
    of_case = np.repeat(drawn, sizes) if world.alike else drawn
    shape = (world.n_cases, 2, world.repeats)
    grades = (rng.random(shape) < chances[of_case][:, :, None]).astype(np.int8)
    grades[rng.random(shape) < world.missing] = 2
    # Which repeat it was means nothing either.
    rows = np.sort(grades[:, ::-1] if turned else grades, axis=2).reshape(world.n_cases, -1)
    if not world.clusters:
        rows = rows[np.lexsort(rows.T)]
    return tuple(map(tuple, rows.tolist()))


def results(world: World, rows: Sequence[tuple[int, ...]]) -> list[CaseResult]:
    """Return an experiment as the analysis takes it."""
    names = np.repeat(np.arange(len(world.clusters)), world.clusters) if world.clusters else range(len(rows))
    arms = {row: _arms(row, world.repeats) for row in set(rows)}
    return [
        CaseResult(f"c{number}", f"g{name}", (), 1.0, "exploratory", *arms[row])
        for number, (name, row) in enumerate(zip(names, rows, strict=True))
    ]


def _arms(row: tuple[int, ...], repeats: int) -> tuple[tuple[Graded, ...], tuple[Graded, ...]]:
    grades = tuple(_GRADES[grade] for grade in row)
    return grades[:repeats], grades[repeats:]


def simulate(world: World, *, n_replicates: int, rng: np.random.Generator) -> Found:
    """Run one world; the first replicates also through the whole `analyse`."""
    # A true gain is turned round into a loss of that size: a guardrail with that margin must fail.
    true = -abs(truth(world))
    guardrails = (Guardrail(name="loss", margin=-true, estimand=world.estimand),) if true else ()
    spec = AnalysisSpec(estimand=world.estimand, alpha=ALPHA, margin=MARGIN, seed=1, guardrails=guardrails)

    @lru_cache(maxsize=20_000)
    def said(rows: tuple[tuple[int, ...], ...]) -> Said:
        return _said(*deciding(results(world, rows), spec))

    refused = covered = rejected = wrong = not_worse = 0
    for number in range(n_replicates):
        rows = draw(world, rng, turned=bool(true))
        found = said(rows)
        if number < N_WHOLE:
            section = analyse(results(world, rows), spec)
            assert found == _said(section.primary, section.guardrails)
        refused += found.low is None
        if found.low is None or found.high is None:
            continue
        covered += found.low <= true <= found.high
        rejected += found.low > 0 or found.high < 0
        wrong += _contradicts(found.verdict, true)
        not_worse += found.guardrail_passed
    measured = n_replicates - refused
    return Found(
        n_replicates=n_replicates,
        refused=refused / n_replicates,
        covered=covered / measured if measured else math.nan,
        rejected=rejected / n_replicates,
        wrong=wrong / n_replicates,
        not_worse=not_worse / n_replicates if true else None,
    )


class Said(NamedTuple):
    """What the analysis said of one experiment."""

    low: float | None
    high: float | None
    verdict: str
    guardrail_passed: bool


def _said(primary: PrimaryBlock, guardrails: Sequence[GuardrailBlock]) -> Said:
    interval = primary.interval
    return Said(
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        verdict=primary.verdict,
        guardrail_passed=any(block.status == "pass" for block in guardrails),
    )


def _contradicts(verdict: str, true: float) -> bool:
    if verdict == "improvement":
        return true <= 0
    if verdict == "regression":
        return true >= 0
    if verdict == "equivalent":
        return abs(true) >= MARGIN
    return verdict == "non_inferior" and true <= -MARGIN


def problems(world: World, found: Found) -> list[str]:
    """Return what breaks a limit by more than two standard errors."""
    n = found.n_replicates
    level_error = 2 * math.sqrt(LEVEL_LIMIT * (1 - LEVEL_LIMIT) / n)
    cover_error = 2 * math.sqrt(COVERAGE_LIMIT * (1 - COVERAGE_LIMIT) / max(n * (1 - found.refused), 1))
    broken = []
    if found.refused < 1 and found.covered < COVERAGE_LIMIT - cover_error:
        broken.append(f"coverage {found.covered:.3f}")
    if truth(world) == 0 and found.rejected > LEVEL_LIMIT + level_error:
        broken.append(f"level {found.rejected:.3f}")
    if found.wrong > LEVEL_LIMIT + level_error:
        broken.append(f"wrong verdicts {found.wrong:.3f}")
    if found.not_worse is not None and found.not_worse > LEVEL_LIMIT + level_error:
        broken.append(f"guardrail {found.not_worse:.3f}")
    return broken


class Row(NamedTuple):
    """A world with what came of it."""

    world: World
    found: Found


def run(*, minutes: float, seed: int) -> list[Row]:
    """Simulate every world for about so long in all, then those nearest to a limit once more."""
    began_s = time.process_time()
    grid = list(worlds())
    rows = []
    for number, world in enumerate(grid):
        left_s = 60 * minutes - (time.process_time() - began_s)
        rows.append(Row(world, _timed(world, left_s / (len(grid) - number), seed=seed, number=number)))
        print(_line(rows[-1]), file=sys.stderr, flush=True)
    for number in sorted(range(len(rows)), key=lambda i: _distance(rows[i]))[:N_AGAIN]:
        world = rows[number].world
        n = 3000 if world.n_cases <= 300 else 1000
        again = simulate(world, n_replicates=n, rng=np.random.default_rng([seed + 1, number, 1]))
        rows[number] = Row(world, again)
        print("again", _line(rows[number]), file=sys.stderr, flush=True)
    return rows


def _timed(world: World, seconds: float, *, seed: int, number: int) -> Found:
    """Simulate for about so long: the number of replicates is set by a first few, not by results."""
    began_s = time.process_time()
    simulate(world, n_replicates=30, rng=np.random.default_rng([seed, number, 0]))
    one_s = max((time.process_time() - began_s) / 30, 1e-5)
    n = int(min(max(seconds / one_s, 400), 20_000))
    return simulate(world, n_replicates=n, rng=np.random.default_rng([seed, number, 1]))


def _distance(row: Row) -> float:
    """How far the world is from a limit; negative beyond it."""
    if row.found.refused == 1:
        return 1.0
    levels = [row.found.wrong, row.found.not_worse or 0.0]
    if truth(row.world) == 0:
        levels.append(row.found.rejected)
    return min(row.found.covered - COVERAGE_LIMIT, LEVEL_LIMIT - max(levels))


def _line(row: Row) -> str:
    world, found = row
    where = f"{len(world.clusters)} of {min(world.clusters)}-{max(world.clusters)}" if world.clusters else "-"
    where += ", each of one kind" if world.alike else ""
    true = truth(world)
    cells = (
        world.name,
        world.estimand,
        f"{world.n_cases}",
        f"{world.repeats}",
        f"{world.discordance:g}",
        where,
        f"{100 * true:.1f}",
        "refused" if found.refused == 1 else f"{found.covered:.3f}",
        f"{found.rejected:.3f}" if true == 0 else "",
        f"{found.wrong:.3f}",
        "" if found.not_worse is None else f"{found.not_worse:.3f}",
        f"{found.n_replicates:,}",
    )
    return f"| {' | '.join(cells)} |"


def document(rows: Sequence[Row], *, minutes: float, seed: int) -> str:
    """Return docs/validity.md."""
    n = [row.found.n_replicates for row in rows]
    measured = [row for row in rows if row.found.refused < 1]
    lowest = min(measured, key=lambda row: row.found.covered)
    levels = [row for row in measured if truth(row.world) == 0]
    highest = max(levels, key=lambda row: row.found.rejected)
    wrong = max(measured, key=lambda row: row.found.wrong)
    claims = max(
        (row for row in measured if row.found.not_worse is not None), key=lambda row: row.found.not_worse or 0
    )
    broken = [f"- {_line(row)}: {', '.join(problems(*row))}" for row in rows if problems(*row)]
    return "\n".join(
        [
            "# Does it keep its word?",
            "",
            f"Made by `python bench/validity.py --minutes {minutes:g} --write`; not edited by hand. Case results with a known",  # noqa: E501
            "truth go through the public analysis, and what it says is held against that truth: not the",
            "formulas are simulated but the room that decides. Most replicates run the part of",
            f"`harness.analysis.analyse` that decides; the first {N_WHOLE} of each world run all of it, and",
            "must say the same. After a first pass the worlds nearest to a limit are drawn again from",
            "another seed, with more replicates, and the second draw stands.",
            "",
            f"- seed {seed} (second draws {seed + 1}), {sum(n):,} replicates in {len(rows)} worlds,",
            f"  {min(n):,} to {max(n):,} a world. The standard error of a level near .05 is .22 over the root",  # noqa: E501
            f"  of the replicates: {0.218 / math.sqrt(min(n)):.4f} at most, {0.218 / math.sqrt(max(n)):.4f} at least.",  # noqa: E501
            f"- nominal: 95% intervals, level .05, margin {MARGIN:g}.",
            f"- lowest coverage {lowest.found.covered:.3f} ({_place(lowest.world)}).",
            f"- highest level {highest.found.rejected:.3f} ({_place(highest.world)}).",
            f"- most wrong verdicts {wrong.found.wrong:.3f} ({_place(wrong.world)}).",
            f"- most false claims of a guardrail {claims.found.not_worse or 0:.3f} ({_place(claims.world)}).",
            f"- worlds beyond level {LEVEL_LIMIT:g} or coverage {COVERAGE_LIMIT:g} by more than two standard errors:"  # noqa: E501
            f" {len(broken) or 'none'}.",
            *broken,
            "",
            "## Domain",
            "",
            "- Majority, every case alone: Tango's score interval. Below 50 cases the report says so",
            "  (`caution`). Every table there can be, by enumeration (`bench/enumerated.py`), discordances",
            "  to 1 by steps of .02 and differences to .3:",
            *map(_extremes_line, ENUMERATED_CASES),
            "- Mean of passes, and majority in clusters: the plus-two interval on CR2, always. A plain t",
            f"  interval covers {t_coverage(n_units=20, share=0.05):.0%} of 95% where one in twenty of 20",
            "  cases differs. In clusters the two invented units are clusters of average size: with two",
            "  invented cases the interval covers "
            f"{t_coverage(n_units=10, share=0.1, cluster_size=10, invented_cases=True):.0%} at 10 clusters",
            "  of which one in ten differs as a whole. Where cases of a cluster do not move together this",
            "  is cautious.",
            f"- Clusters: refused below {FEWEST_CLUSTERS}, where no sign flip of whole clusters can reach .05. Below",  # noqa: E501
            f"  {FEWEST_DF:g} Satterthwaite degrees of freedom, which hang on the sizes of the clusters alone, the",  # noqa: E501
            "  interval is shown with a caution, a difference is claimed only where the exact sign flips of",
            "  whole clusters confirm it, and neither equivalence nor a guardrail is claimed at all.",
            "  `refused` below means that there was no interval.",
            "- A mean of scores: the t interval on CR2, refused where fewer than 15, and fewer than half, of",
            "  the cases or clusters differ. It is not simulated here: scores have no common shape.",
            "- Missing verdicts here are missing at random; the worst and best case bounds speak where they are not.",  # noqa: E501
            "- Judge noise turns verdicts alike in both arms: the truth held against is the difference as judged.",  # noqa: E501
            "",
            "## Table",
            "",
            "`truth` is the true difference of the estimand in points, `coverage` the share of intervals that hold it,",  # noqa: E501
            "`level` the share that leave 0 out where the truth is 0, `wrong` the share of verdicts that the truth",  # noqa: E501
            "contradicts, `false guardrail` how often a guardrail whose margin is the true loss passes.",
            "",
            "| worlds | estimand | cases | K | discordance | clusters | truth | coverage | level | wrong |"
            " false guardrail | replicates |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|",
            *map(_line, rows),
            "",
        ]
    )


def _extremes_line(n_cases: int) -> str:
    found = extremes(n_cases)
    return (
        f"  - {n_cases} cases: coverage at least {found.coverage:.3f}; a guardrail passes at a true loss of"
        f" its margin in at most {found.guardrail:.3f}; zero is left out where it is true in at most"
        f" {found.level:.3f} (discordance {found.level_discordance:g})."
    )


def _place(world: World) -> str:
    where = f", {len(world.clusters)} clusters" if world.clusters else ""
    return f"{world.name}, {world.estimand}, n = {world.n_cases}, K = {world.repeats}{where}"


def main() -> int:
    """Do it and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=11.0)
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--write", action="store_true", help="write docs/validity.md")
    arguments = parser.parse_args()
    rows = run(minutes=arguments.minutes, seed=arguments.seed)
    text = document(rows, minutes=arguments.minutes, seed=arguments.seed)
    print(text)
    if arguments.write:
        (Path(__file__).parents[1] / "docs" / "validity.md").write_text(text, encoding="utf-8")
    return 1 if any(problems(*row) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
