"""Does the human scale cover what people would say? Coverage by simulation, through the audit of a run.

    python bench/human_scale.py [--replicates 1000] [--seed 20260301] [--write]

Every replicate draws what people think of both arms' answers to each case, lets a judge err about
them, hands some cases to people, and gives plan and reading to `harness.audits.human_scale`, as every
run does. Prints the tables; with --write, docs/human-scale.md is written again. Exits with 1 where the
combined row covers less than .93 by more than two standard errors at as many anchors as the harness
asks for, or more.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.audits import human_scale
from harness.domain.blocks import IntervalBlock
from harness.domain.calls import Subject
from harness.domain.cases import ARMS, Anchor, Arm, Case, Review
from harness.domain.fitness import HumanScaleBlock
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import CaseResult, Verdict, Vote, graded
from harness.stats import prediction_powered
from harness.stats.prediction_powered import FEWEST_ANCHOR_CLUSTERS, FEWEST_ANCHORS

sys.path.insert(0, str(Path(__file__).parent))

from planted_judges import world as planted_world

LIMIT = 0.93
_PASS, _FAIL = graded("pass"), graded("fail")
_REVIEWS = {good: (Review(by="r1", label="pass" if good else "fail"),) for good in (False, True)}
_VERDICTS = {says: Verdict("pass" if says else "fail", None) for says in (False, True)}

EVEN = (0.40, 0.15, 0.10, 0.35)
ONE_WAY = (0.40, 0.15, 0.00, 0.45)
LARGE = (0.30, 0.30, 0.00, 0.40)
RARE = (0.85, 0.04, 0.02, 0.09)


class World(NamedTuple):
    """One row of a table.

    Attributes:
        name: What is special about it.
        mix: How often people pass both answers, the candidate's alone, the baseline's alone, neither.
        sensitivity: How often the judge passes what people pass, on both arms.
        specificity: How often it fails what people fail, on the baseline and on the candidate.
        n_cases: Cases.
        per_cluster: Cases of a cluster, all of one kind; anchors are drawn as whole clusters.
    """

    name: str
    mix: tuple[float, float, float, float]
    sensitivity: float
    specificity: tuple[float, float]
    n_cases: int = 600
    per_cluster: int = 1

    @property
    def difference(self) -> float:
        """What people would say, candidate minus baseline."""
        return self.mix[1] - self.mix[2]

    def rate(self, arm: Arm) -> float:
        """How often people pass the arm's answers."""
        return self.mix[0] + self.mix[2 if arm == "baseline" else 1]


WORLDS = (
    World("errs alike", EVEN, 0.95, (0.90, 0.90)),
    World("specificity differs by .15", EVEN, 0.95, (0.95, 0.80)),
    World("specificity differs by .15, one-way difference", ONE_WAY, 0.95, (0.95, 0.80)),
    World("specificity differs by .15, large difference", LARGE, 0.95, (0.95, 0.80)),
    World("specificity differs by .15, rare differences", RARE, 0.95, (0.95, 0.80)),
    World("specificity differs by .15, 100 cases", EVEN, 0.95, (0.95, 0.80), n_cases=100),
    World("perfect judge", ONE_WAY, 1.0, (1.0, 1.0)),
    World("random judge", ONE_WAY, 0.5, (0.5, 0.5)),
    World("specificity differs by .15, clusters of 4", EVEN, 0.95, (0.95, 0.80), per_cluster=4),
    World("specificity differs by .15, clusters of 10", EVEN, 0.95, (0.95, 0.80), per_cluster=10),
)
FEW = (6,)
ENOUGH = (10, 15, 20, 33, 100)
CLUSTERS = (6, 10, 40)


class Found(NamedTuple):
    """What the replicates of one row came to: shares that cover, of those that gave a number."""

    n_replicates: int
    judge_only: float
    human_only: float
    combined: float
    refused: float
    corrected: tuple[float, float]
    uncorrected: float


def rows() -> Iterator[tuple[World, int]]:
    """Yield each world with its numbers of anchors."""
    for world in WORLDS:
        if world.per_cluster > 1:
            for n in CLUSTERS:
                if n * world.per_cluster < world.n_cases:
                    yield world, n * world.per_cluster
        else:
            for n in (*FEW, *ENOUGH):
                if n < world.n_cases:
                    yield world, n


def template(world: World) -> Plan:
    """Return the plan without its anchors; a replicate adds them."""
    cases = tuple(
        Case(id=f"c{number}", prompt="p", cluster=f"k{number // world.per_cluster}")
        for number in range(world.n_cases)
    )
    planted = planted_world(np.random.default_rng(0)).plan
    repeats = planted.experiment.repeats.model_copy(update={"votes": 1})
    experiment = planted.experiment.model_copy(update={"repeats": repeats})
    return planted.model_copy(
        update={"experiment": experiment, "cases": cases, "canaries": (), "anchors": ()}
    )


def replicate(world: World, n_anchors: int, plan: Plan, rng: np.random.Generator) -> HumanScaleBlock:
    """Draw one run of this world and return what the harness says of it."""
    kinds = np.repeat(rng.choice(4, size=world.n_cases // world.per_cluster, p=world.mix), world.per_cluster)
    good = {"baseline": np.isin(kinds, (0, 2)), "candidate": np.isin(kinds, (0, 1))}
    says = {
        arm: np.where(
            good[arm],
            rng.random(world.n_cases) < world.sensitivity,
            rng.random(world.n_cases) >= specificity,
        )
        for arm, specificity in zip(ARMS, world.specificity, strict=True)
    }
    clusters = rng.permutation(world.n_cases // world.per_cluster)[: n_anchors // world.per_cluster]
    drawn = np.flatnonzero(np.isin(np.arange(world.n_cases) // world.per_cluster, clusters))
    anchors, votes = [], []
    for number in drawn.tolist():
        for arm in ARMS:
            name = f"c{number}-{arm}"
            anchors.append(
                Anchor(
                    id=name,
                    prompt="p",
                    answer="a",
                    reviews=_REVIEWS[bool(good[arm][number])],
                    selection="random",
                    case=f"c{number}",
                    arm=arm,
                )
            )
            votes.append(Vote(Subject(kind="anchor", id=name), 0, _VERDICTS[bool(says[arm][number])], 0))
    reading = Reading(
        cases=tuple(_result(case, number, says) for number, case in enumerate(plan.cases)),
        case_votes=(),
        anchor_votes=tuple(votes),
        canary_votes=(),
        checked_canaries=(),
        identities=(),
        answers=(),
    )
    found = human_scale(plan.model_copy(update={"anchors": tuple(anchors)}), reading, side="exploratory")
    assert found is not None
    return found


def _result(case: Case, number: int, says: dict[Arm, np.ndarray]) -> CaseResult:
    baseline, candidate = (_PASS if says[arm][number] else _FAIL for arm in ARMS)
    return CaseResult(case.id, case.group, (), 1.0, "exploratory", (baseline,), (candidate,))


def simulate(world: World, n_anchors: int, n_replicates: int, seed: int) -> Found:
    """Return how often each row of the human scale holds the truth."""
    rng = np.random.default_rng([seed, n_anchors, *world.name.encode()])
    plan = template(world)
    blocks = [replicate(world, n_anchors, plan, rng) for _ in range(n_replicates)]
    named = [{row.of: row.interval for row in block.rows} for block in blocks]
    arms = [{arm.arm: arm for arm in block.arms} for block in blocks]
    corrected = [[_holds(each[arm].interval, world.rate(arm)) for each in arms] for arm in ARMS]
    return Found(
        n_replicates=n_replicates,
        judge_only=_share([_holds(each["judge_only"], world.difference) for each in named]),
        human_only=_share([_holds(each["human_only"], world.difference) for each in named]),
        combined=_share([_holds(each["combined"], world.difference) for each in named]),
        refused=sum(each["combined"] is None for each in named) / n_replicates,
        corrected=(_share(corrected[0]), _share(corrected[1])),
        uncorrected=sum(found is None for each in corrected for found in each) / (2 * n_replicates),
    )


def _holds(interval: IntervalBlock | None, truth: float) -> bool | None:
    return None if interval is None else interval.low <= truth <= interval.high


def _share(found: Sequence[bool | None]) -> float:
    known = [each for each in found if each is not None]
    return sum(known) / len(known) if known else float("nan")


class Row(NamedTuple):
    """A row of the table, asked for and found."""

    world: World
    n_anchors: int
    found: Found


def _row(asked: tuple[World, int, int, int]) -> Row:
    # Below its floor the harness refuses; here it may not, to show why the floor is where it is.
    prediction_powered.FEWEST_ANCHORS = 2
    prediction_powered.FEWEST_ANCHOR_CLUSTERS = 2
    world, n_anchors, n_replicates, seed = asked
    return Row(world, n_anchors, simulate(world, n_anchors, n_replicates, seed))


def is_asked_for(row: Row) -> bool:
    """Return whether the harness gives a combined row for such anchors."""
    clusters = row.n_anchors // row.world.per_cluster
    return row.n_anchors >= FEWEST_ANCHORS and clusters >= FEWEST_ANCHOR_CLUSTERS


def fails(row: Row) -> bool:
    """Return whether the combined row covers too little, by more than two standard errors."""
    n = row.found.n_replicates * (1 - row.found.refused)
    return row.found.combined < LIMIT - 2 * (LIMIT * (1 - LIMIT) / max(n, 1)) ** 0.5


_HEAD = """\
# The human scale: does it cover?

Made by `python bench/human_scale.py --replicates {n} --seed {seed} --write`: {n} runs a row, each through
`harness.audits.human_scale`, as every run goes. People's verdicts on both arms' answers are drawn, a judge
errs about them, and some cases are labelled by people on both arms. Shares of 95% intervals that hold what
people would say of all such cases; {n} runs have a standard error of {error:.3f} around .95.

"judge alone" is what a report without anchors says. "combined" is PPI++ with its refusals lifted, "refused"
the share of runs in which the anchors did not vary and no number was given. The last columns are each arm's
pass rate on the human scale (Rogan and Gladen, interval of Lang and Reiczigel), of the runs that gave one.
Rows in bold are those for which the harness gives a combined row: {anchors} anchors or more, in {clusters}
clusters or more."""

_COLUMNS = (
    "world", "anchors", "judge alone", "people alone", "combined", "refused", "baseline's rate",
    "candidate's rate", "no rate",
)  # fmt: skip


def markdown(found: Sequence[Row], *, n_replicates: int, seed: int) -> str:
    """Return the page."""
    head = _HEAD.format(
        n=n_replicates,
        seed=seed,
        error=(0.95 * 0.05 / n_replicates) ** 0.5,
        anchors=FEWEST_ANCHORS,
        clusters=FEWEST_ANCHOR_CLUSTERS,
    )
    lines = [_COLUMNS, ["---", *["---:"] * (len(_COLUMNS) - 1)], *map(_cells, found)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{head}\n\n{table}\n\n{_lowest(found)}\n"


def _cells(row: Row) -> tuple[str, ...]:
    found, bold = row.found, "**" if is_asked_for(row) else ""
    shares = (found.judge_only, found.human_only, found.combined, found.refused, *found.corrected)
    numbers = [f"{share:.3f}" for share in (*shares, found.uncorrected)]
    numbers[2] = f"{bold}{numbers[2]}{bold}"
    return (row.world.name, str(row.n_anchors), *numbers)


def _lowest(found: Sequence[Row]) -> str:
    given = min((row for row in found if is_asked_for(row)), key=lambda row: row.found.combined)
    below = min((row for row in found if not is_asked_for(row)), key=lambda row: row.found.combined)
    return (
        f"The lowest combined share among the rows that the harness gives is {given.found.combined:.3f} "
        f"({given.world.name}, {given.n_anchors} anchors); among those that it refuses "
        f"{below.found.combined:.3f} ({below.world.name}, {below.n_anchors} anchors)."
    )


def main() -> None:
    """Run the simulation, print the page, and fail where the combined row covers too little."""
    arguments = argparse.ArgumentParser(description="Coverage of the human scale, by simulation.")
    arguments.add_argument("--replicates", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=20260301)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--write", action="store_true", help="Write docs/human-scale.md.")
    given = arguments.parse_args()
    asked = [(world, n, given.replicates, given.seed) for world, n in rows()]
    with ProcessPoolExecutor(given.workers) as pool:
        found = list(pool.map(_row, asked))
    text = markdown(found, n_replicates=given.replicates, seed=given.seed)
    print(text)
    if given.write:
        (Path(__file__).parents[1] / "docs" / "human-scale.md").write_text(text, encoding="utf-8")
    sys.exit(any(fails(row) for row in found if is_asked_for(row)))


if __name__ == "__main__":
    main()
