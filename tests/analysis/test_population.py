"""Differences at another mix of cases, through the public analysis."""

import random

import pytest

from harness.analysis import analyse, decide
from harness.domain.specs import AnalysisSpec
from tests.analysis.results import case

WEIGHTS = {"established": 0.5, "new": 0.5}


def reversal():
    """900 established cases at 80% to 85%, 100 new ones at 40% to 30%."""
    rows = [case(f"e{i}", [int(i < 720)], [int(i < 765)], tags=("established",)) for i in range(900)]
    return rows + [case(f"n{i}", [int(i < 40)], [int(i < 30)], tags=("new",)) for i in range(100)]


def test_plus_three_and_a_half_at_ninety_to_ten_is_minus_two_and_a_half_at_even_shares():
    spec = AnalysisSpec(margin=0.01, seed=1, weights=WEIGHTS)
    section = analyse(reversal(), spec)
    population = section.population

    assert section.primary.difference == pytest.approx(0.035, abs=1e-12)
    assert section.primary.verdict == "improvement"
    assert population.difference == pytest.approx(-0.025, abs=1e-12)
    assert population.unweighted == pytest.approx(0.035, abs=1e-12)
    assert [(s.tag, s.n_cases, s.observed_share, s.target_share) for s in population.strata] == [
        ("established", 900, 0.9, 0.5),
        ("new", 100, 0.1, 0.5),
    ]
    assert population.effective_n == pytest.approx(1 / (0.25 / 900 + 0.25 / 100))
    assert (population.macro, population.micro) == (pytest.approx(-0.025), pytest.approx(0.035))


def test_a_sign_that_hangs_on_the_mix_is_flagged_with_the_share_at_which_it_turns():
    (opposed,) = analyse(reversal(), AnalysisSpec(margin=0.01, seed=1)).population.opposed

    assert (opposed.tag, opposed.share) == ("new", pytest.approx(0.1))
    assert opposed.break_even_share == pytest.approx(1 / 3)


def test_a_verdict_that_the_declared_mix_does_not_share_is_inconclusive():
    spec = AnalysisSpec(margin=0.01, seed=1, weights=WEIGHTS)

    decision = decide(analyse(reversal(), spec), (), spec, basis="exploratory", n_closed=0)

    assert decision.verdict == "inconclusive"
    assert any(
        reason.startswith("the_mix_decides: ") and "-2.5 points" in reason for reason in decision.reasons
    )


def test_weights_that_are_the_mix_change_the_difference_in_nothing():
    spec = AnalysisSpec(margin=0.01, seed=1, weights={"established": 9, "new": 1})
    population = analyse(reversal(), spec).population

    assert population.difference == pytest.approx(0.035, abs=1e-12)
    assert population.effective_n == pytest.approx(1000)
    assert population.verdict == "improvement"


def test_a_small_stratum_with_a_large_weight_costs_precision():
    at_the_mix, even = (
        analyse(reversal(), AnalysisSpec(margin=0.01, seed=1, weights=weights)).population
        for weights in ({"established": 9, "new": 1}, WEIGHTS)
    )

    assert even.standard_error > 2 * at_the_mix.standard_error
    assert even.interval.low < even.difference < even.interval.high


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([case("a", [1], [0], tags=("established", "new")), *reversal()], "1 cases carry two"),
        (
            [case(f"x{i}", [1], [0], cluster="k", tags=("established", "new")[i : i + 1]) for i in range(2)]
            + reversal(),
            "1 clusters lie in two",
        ),
        ([row for row in reversal() if "new" not in row.tags], "new, 0.5 of the target: no case"),
    ],
)
def test_weights_of_no_partition_give_no_number(rows, reason):
    population = analyse(rows, AnalysisSpec(margin=0.01, seed=1, weights=WEIGHTS)).population

    assert population.interval is None
    assert reason in population.reason


def test_equal_case_weights_are_no_weights_and_doubling_them_all_changes_nothing():
    rng = random.Random(2)
    rows = [case(f"c{i}", [rng.randint(0, 1)], [rng.randint(0, 1)]) for i in range(200)]
    weighted = [row._replace(weight=1.0 + i % 3) for i, row in enumerate(rows)]
    doubled = [row._replace(weight=2 * row.weight) for row in weighted]
    spec = AnalysisSpec(margin=0.03, seed=1)
    once, twice = analyse(weighted, spec).population, analyse(doubled, spec).population

    assert analyse(rows, spec).population.weighted_by is None
    assert once.weighted_by == "cases"
    expected = sum(
        r.weight * ((r.candidate[0].outcome == "pass") - (r.baseline[0].outcome == "pass")) for r in weighted
    )
    assert once.difference == pytest.approx(expected / sum(r.weight for r in weighted))
    assert once.difference == pytest.approx(twice.difference)
    assert once.interval.low == pytest.approx(twice.interval.low)
    assert once.effective_n < 200


def test_a_case_that_weighs_twice_is_like_two_cases_of_one_cluster():
    rng = random.Random(8)
    values = [(rng.randint(0, 1), rng.randint(0, 1)) for _ in range(400)]
    heavy = [
        case(f"c{i}", [b], [c])._replace(weight=2.0 if i % 2 else 1.0) for i, (b, c) in enumerate(values)
    ]
    twins = [
        case(f"c{i}.{copy}", [b], [c], cluster=f"c{i}")
        for i, (b, c) in enumerate(values)
        for copy in range(2 if i % 2 else 1)
    ]
    spec = AnalysisSpec(margin=0.03, seed=1, estimand="mean")
    weighted, doubled = analyse(heavy, spec).population, analyse(twins, spec)

    assert weighted.difference == pytest.approx(doubled.primary.difference)
    assert weighted.standard_error == pytest.approx(doubled.mean.standard_error, rel=0.03)
