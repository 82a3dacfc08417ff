"""Tables with next to nothing in them: a reason, never a number that is none; and never the order of rows."""

import math
import random

import pytest

from harness.analysis import analyse
from harness.domain.specs import AnalysisSpec, Guardrail
from harness.domain.verdicts import CaseResult, Graded
from tests.analysis.results import case

GUARDRAILS = (
    Guardrail(name="all", margin=0.05),
    Guardrail(name="mean", margin=0.05, estimand="mean"),
    Guardrail(name="tag", margin=0.05, tag="a"),
)
SPECS = (
    AnalysisSpec(margin=0.05, seed=1, slices=("a",), guardrails=GUARDRAILS),
    AnalysisSpec(margin=0.05, seed=1, estimand="mean", missing="fail", guardrails=GUARDRAILS),
    AnalysisSpec(margin=0.05, seed=1, estimand="mean", primary="score"),
    AnalysisSpec(margin=0.05, seed=1, weights={"a": 1, "b": 2}),
)


def scored(name: str, was: float, now: float) -> CaseResult:
    plain = case(name, [1], [1])
    return plain._replace(
        baseline=(Graded("pass", None, was),), candidate=(Graded("pass" if now > 0.5 else "fail", None, now),)
    )


def mixed() -> list[CaseResult]:
    rng = random.Random(3)
    return [
        case(
            f"c{i}",
            [rng.choice([0, 1, None]) for _ in range(5)],
            [rng.choice([0, 1, None]) for _ in range(5)],
            cluster=f"k{i % 9}",
            tags=("a",) if i % 2 else ("b",),
        )._replace(weight=rng.choice([1.0, 2.0, 7.0]))
        for i in range(40)
    ]


WORLDS = {
    "nothing": [],
    "one case": [case("c", [1], [0])],
    "two cases": [case("c", [1], [0]), case("d", [0], [1])],
    "no answers": [case(f"c{i}", [], []) for i in range(5)],
    "all missing": [case(f"c{i}", [None], [None], tags=("a",)) for i in range(20)],
    "one arm missing": [case(f"c{i}", [1], [None], tags=("a",)) for i in range(20)],
    "all alike": [case(f"c{i}", [1, 1], [1, 1], tags=("a",)) for i in range(20)],
    "all gained": [case(f"c{i}", [0, 0], [1, 1], tags=("b",)) for i in range(20)],
    "one cluster": [case(f"c{i}", [i % 2], [1], cluster="k") for i in range(20)],
    "alike in clusters": [case(f"c{i}", [1], [1], cluster=f"k{i % 7}") for i in range(20)],
    "unlike repeats": [case(f"c{i}", [1] * (1 + i % 3), [0] * (1 + i % 4)) for i in range(20)],
    "one weight": [case(f"c{i}", [i % 2], [1])._replace(weight=1e300 if i else 1e-300) for i in range(20)],
    "scores alike": [scored(f"c{i}", 0.4, 0.4) for i in range(20)],
    "scores": [scored(f"c{i}", i / 20, ((7 * i) % 20) / 20) for i in range(20)],
    "mixed": mixed(),
}


def not_finite(value: object, where: str = "") -> list[str]:
    if isinstance(value, float):
        return [] if math.isfinite(value) else [where]
    if isinstance(value, dict):
        return [bad for key, each in value.items() for bad in not_finite(each, f"{where}.{key}")]
    if isinstance(value, list | tuple):
        return [bad for each in value for bad in not_finite(each, where)]
    return []


def without_lists_of_cases(section):
    """Cases are listed in the order of the plan; everything else must not know it."""
    flaky = section.flaky.model_copy(update={"hard_gains": (), "hard_losses": ()})
    return section.model_copy(update={"flips": None, "flaky": flaky})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("world", WORLDS)
def test_every_number_is_finite_and_the_order_of_the_rows_changes_no_bit(world):
    rows = WORLDS[world]
    turned = random.Random(5).sample(rows, len(rows))
    for spec in SPECS:
        found = analyse(rows, spec)

        assert not_finite(found.model_dump()) == []
        assert without_lists_of_cases(found) == without_lists_of_cases(analyse(turned, spec))


# Tango's interval has limits for one case, nearly all there is; in the second, what is missing fails.
REFUSED = {
    0: ("nothing", "no answers", "all missing", "one cluster"),
    1: ("nothing", "no answers", "one case", "one cluster"),
}


@pytest.mark.parametrize(
    ("number", "world"), [(n, world) for n, worlds in REFUSED.items() for world in worlds]
)
def test_what_cannot_be_estimated_says_why(number, world):
    primary = analyse(WORLDS[world], SPECS[number]).primary

    assert primary.interval is None
    assert primary.reason
    assert primary.verdict == "inconclusive"


@pytest.mark.parametrize("scale", [10.0, 0.1])
def test_the_unit_of_the_scores_changes_no_pvalue(scale):
    spec = AnalysisSpec(margin=0.05, seed=1, estimand="mean", primary="score")
    rows = WORLDS["scores"]
    scaled = [scored(row.case, scale * row.baseline[0].score, scale * row.candidate[0].score) for row in rows]
    once, other = analyse(rows, spec).mean, analyse(scaled, spec).mean

    assert other.pvalue_permutation == once.pvalue_permutation
    assert other.pvalue == pytest.approx(once.pvalue, rel=1e-9)
