"""The worlds of the simulation: what is true in each, and an experiment drawn from it."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.domain.specs import Estimand
from harness.domain.verdicts import CaseResult, Graded, graded

Drawn = tuple[tuple[int, ...], ...]

_PASS, _FAIL, _NONE = graded("pass"), graded("fail"), graded(None, "unreadable")
_GRADES = (_FAIL, _PASS, _NONE)


class Stratum(NamedTuple):
    """A part of the cases, a number of them fixed beforehand.

    Attributes:
        share: Of the cases.
        weight: Of the part in the target, or of each of its cases.
        tilt: Its difference, in units of the world's.
    """

    share: float
    weight: float
    tilt: float


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
        weighted: What the weights are of; none where every case counts the same.
        strata: The parts that are weighted.
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
    weighted: Literal["tags", "cases"] | None = None
    strata: tuple[Stratum, ...] = ()


def worlds() -> Iterator[World]:
    """Yield the grid."""
    shares, tilts = (0.02, 0.1, 0.4), (0.0, 0.5)
    # A tilt of 1 is an arm that only ever gains, or only ever loses.
    for n, share in product((20, 50, 200, 2000), shares):
        yield World("one answer, one way", "majority", n, 1, share, share)
    for n, share in product((20, 50, 200), shares):
        yield World("mean, one way", "mean", n, 1, share, share)
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
        for share, tilt in ((0.02, 0.0), (0.1, 0.0), (0.1, 0.5), (0.1, 1.0), (0.4, 0.0), (0.4, 0.5)):
            yield World("clusters", "majority", sum(sizes), 1, share, share * tilt, sizes, alike)
        yield World("clusters", "mean", sum(sizes), 3, 0.4, 0.0, sizes, alike)
    for sizes in TOO_FEW:
        yield World("clusters", "majority", sum(sizes), 1, 0.4, 0.0, sizes, alike=True)
    for n, tilt in product((50, 200), tilts):
        yield World("judge noise", "majority", n, 3, 0.1, 0.1 * tilt, noise=0.1)
        yield World("judge noise", "mean", n, 3, 0.1, 0.1 * tilt, noise=0.1)
        yield World("missing", "majority", n, 1, 0.2, 0.2 * tilt, missing=0.05)
        yield World("missing", "mean", n, 3, 0.1, 0.1 * tilt, missing=0.05)
    yield from weighted_worlds()


def weighted_worlds() -> Iterator[World]:
    """Yield worlds whose difference is carried over to other weights than the cases have."""
    for n, share, tilt in product((50, 200), (0.02, 0.1, 0.4), (0.0, 1.0)):
        yield World("weights of tags", "majority", n, 1, share, share * tilt, weighted="tags", strata=BY_TAG)
        for strata in BY_CASE:
            yield World(
                "weights of cases", "majority", n, 1, share, share * tilt, weighted="cases", strata=strata
            )
    for n in (50, 200):
        yield World("weights of tags", "mean", n, 3, 0.1, 0.1, weighted="tags", strata=BY_TAG)
        yield World("weights of cases", "mean", n, 3, 0.1, 0.1, weighted="cases", strata=BY_CASE[1])


# Three tags at 60, 30 and 10% of the cases, a third of the target each; they do not move alike.
BY_TAG = (Stratum(0.6, 1, 1), Stratum(0.3, 1, 0), Stratum(0.1, 1, -0.5))
# One in five cases weighs 3, 10 or 50 times as much as the others, and only those change sides.
BY_CASE = tuple((Stratum(0.8, 1, 0), Stratum(0.2, heavy, 1)) for heavy in (3, 10, 50))
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
    """Return the true difference of the estimand, as judged and at the weights, by enumeration."""
    if world.strata:
        parts = [truth(of_stratum(world, stratum)) for stratum in world.strata]
        weights = [_counts_for(world, stratum) for stratum in world.strata]
        return math.fsum(w * part for w, part in zip(weights, parts, strict=True)) / math.fsum(weights)
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


def of_stratum(world: World, stratum: Stratum) -> World:
    """Return the world as it is inside one of its parts."""
    difference = world.difference * stratum.tilt
    return world._replace(difference=difference, weighted=None, strata=())


def _counts_for(world: World, stratum: Stratum) -> float:
    return stratum.weight if world.weighted == "tags" else stratum.weight * stratum.share


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


def draw(world: World, rng: np.random.Generator, *, turned: bool) -> Drawn:
    """Draw one experiment: for each case the grades of both arms, the arms turned round if wanted.

    Without clusters or weights the order of the cases means nothing, so they are sorted: equal
    tables are analysed once.
    """
    chances = _chances(world, rng)
    shape = (world.n_cases, 2, world.repeats)
    grades = (rng.random(shape) < chances[:, :, None]).astype(np.int8)
    grades[rng.random(shape) < world.missing] = 2
    # Which repeat it was means nothing either.
    rows = np.sort(grades[:, ::-1] if turned else grades, axis=2).reshape(world.n_cases, -1)
    if not world.clusters and not world.strata:
        rows = rows[np.lexsort(rows.T)]
    return tuple(map(tuple, rows.tolist()))


def _chances(world: World, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return how likely each arm passes each case, shape (n_cases, 2)."""
    if world.strata:
        parts = zip(world.strata, _sizes(world), strict=True)
        worlds_inside = [of_stratum(world, stratum)._replace(n_cases=size) for stratum, size in parts]
        return np.concatenate([_chances(inside, rng) for inside in worlds_inside])
    population = kinds(world)
    shares = np.array([kind.share for kind in population])
    chances = np.array([[kind.baseline, kind.candidate] for kind in population])
    sizes = np.array(world.clusters or (1,) * world.n_cases)
    drawn = rng.choice(len(population), size=sizes.size if world.alike else world.n_cases, p=shares)
    return np.asarray(chances[np.repeat(drawn, sizes) if world.alike else drawn], dtype=np.float64)


def _sizes(world: World) -> list[int]:
    return [round(world.n_cases * stratum.share) for stratum in world.strata]


def results(world: World, rows: Drawn) -> list[CaseResult]:
    """Return an experiment as the analysis takes it."""
    names = np.repeat(np.arange(len(world.clusters)), world.clusters) if world.clusters else range(len(rows))
    arms = {row: _arms(row, world.repeats) for row in set(rows)}
    return [
        CaseResult(f"c{number}", f"g{name}", tags, weight, "exploratory", *arms[row])
        for number, (name, row, (tags, weight)) in enumerate(
            zip(names, rows, _tags_and_weights(world), strict=True)
        )
    ]


def _tags_and_weights(world: World) -> Sequence[tuple[tuple[str, ...], float]]:
    if not world.strata:
        return [((), 1.0)] * world.n_cases
    by_case = world.weighted == "cases"
    return [
        ((f"t{number}",), stratum.weight if by_case else 1.0)
        for number, (stratum, size) in enumerate(zip(world.strata, _sizes(world), strict=True))
        for _ in range(size)
    ]


def _arms(row: tuple[int, ...], repeats: int) -> tuple[tuple[Graded, ...], tuple[Graded, ...]]:
    grades = tuple(_GRADES[grade] for grade in row)
    return grades[:repeats], grades[repeats:]
