"""Which stakes: the Beta mixtures that early stopping could bet with, and bets that adapt to the past."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.stats.betting import betting_evidence
from harness.stats.sequential import mean_evidence

FloatArray = NDArray[np.float64]
Weigh = Callable[[FloatArray], float]
CONCENTRATIONS = (0.5, 1.0, 2.0, 5.0, 10.0)
N_REPLICATES = 300


class Plan(NamedTuple):
    """Cases of one kind: how many, weighed how often, how much the arms differ on them."""

    name: str
    n_max: int
    discordance: float
    difference: float
    repeats: int


PLANS = (
    Plan("majority", 600, 0.1, 0.05, 1),
    Plan("majority", 400, 0.2, 0.1, 1),
    Plan("majority", 1500, 0.2, 0.05, 1),
    Plan("mean of 5", 400, 0.3, 0.15, 5),
)


def stakes_table(*, seed: int) -> Iterator[str]:
    """Yield the rows: share of runs that stop, and cases asked as a share of all, for each kind of bet."""
    kinds: dict[str, Weigh] = {f"Beta({a:g}, {a:g})": _mixture(a) for a in CONCENTRATIONS}
    kinds["adapting"] = lambda seen: betting_evidence(seen, alpha=0.05).log_evalue
    yield f"| cases | at most | differ | by | {' | '.join(kinds)} |"
    yield f"|---|---|---|---|{'---|' * len(kinds)}"
    for number, plan in enumerate(PLANS):
        drawn = [_draw(plan, np.random.default_rng([seed, number, n])) for n in range(N_REPLICATES)]
        cells = [_cell(plan, drawn, weigh) for weigh in kinds.values()]
        what = f"{plan.name} | {plan.n_max:,} | {plan.discordance:.0%} | {100 * plan.difference:g} points"
        yield f"| {what} | {' | '.join(cells)} |"


def _mixture(concentration: float) -> Weigh:
    return lambda seen: mean_evidence(seen, concentration=concentration).log_evalue


def _draw(plan: Plan, rng: np.random.Generator) -> FloatArray:
    """Draw differences: of clear cases, or of the means of repeats that waver on both sides."""
    gain = (plan.discordance + plan.difference) / 2
    loss = plan.discordance - gain
    kinds = rng.choice(3, size=plan.n_max, p=[1 - plan.discordance, gain, loss])
    low, high = (0.0, 1.0) if plan.repeats == 1 else (0.25, 0.9)
    chances = np.array([[high, high], [low, high], [high, low]])[kinds]
    passes = rng.binomial(plan.repeats, chances)
    return np.round((passes[:, 1] - passes[:, 0]) / plan.repeats, 12)


def _cell(plan: Plan, drawn: list[FloatArray], weigh: Weigh) -> str:
    ends = range(plan.n_max // 20, plan.n_max + 1, plan.n_max // 20)
    stops = [next((end for end in ends if weigh(d[:end]) >= math.log(20)), None) for d in drawn]
    stopped = sum(stop is not None for stop in stops) / len(stops)
    asked = sum(stop or plan.n_max for stop in stops) / len(stops) / plan.n_max
    return f"{stopped:.2f}, {asked:.2f}"
