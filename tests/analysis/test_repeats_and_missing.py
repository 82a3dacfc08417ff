"""Where noise comes from and what is missing, through the public analysis."""

import random

import pytest

from harness.analysis import analyse
from harness.analysis.variance import CallCosts, JudgeVotes
from harness.domain.calls import Subject
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import Verdict, Vote
from tests.analysis.results import case

SPEC = AnalysisSpec(margin=0.05, seed=1, estimand="mean")


def tossed(n, repeats, seed=4):
    """Every case a coin toss in both arms: all noise, no cases that truly differ."""
    rng = random.Random(seed)
    return [
        case(
            f"c{i}", [rng.randint(0, 1) for _ in range(repeats)], [rng.randint(0, 1) for _ in range(repeats)]
        )
        for i in range(n)
    ]


def test_coin_tosses_are_all_noise_of_answers():
    block = analyse(tossed(600, 5), SPEC).variance
    parts = {part.part: part for part in block.components}

    assert parts["answer"].variance == pytest.approx(0.5, abs=0.03)
    assert parts["case"].variance == pytest.approx(0, abs=0.03)
    assert parts["answer"].share > 0.8
    assert parts["vote"].variance is None
    assert parts["answer"].interval.low < 0.5 < parts["answer"].interval.high
    assert block.standard_error_one_answer == pytest.approx((0.5 / 600) ** 0.5, rel=0.1)


def test_answers_that_repeat_themselves_have_no_noise_to_average():
    rng = random.Random(3)
    rows = [case(f"c{i}", [rng.randint(0, 1)] * 3, [rng.randint(0, 1)] * 3) for i in range(300)]
    parts = {part.part: part for part in analyse(rows, SPEC).variance.components}

    assert parts["answer"].variance == 0
    assert parts["case"].share == 1


def test_one_answer_each_cannot_be_split():
    assert analyse(tossed(50, 1), SPEC).variance is None


def test_the_cheapest_repeats_reach_the_margin_or_say_that_none_do():
    costs = CallCosts(answer=0.02, vote=0.01, unit="USD")
    far = analyse(tossed(600, 5), SPEC, costs=costs).variance.allocation
    near = analyse(tossed(30, 5), SPEC, costs=costs).variance.allocation

    assert far.unit == "USD"
    # 0.5 / K / n cases reach (margin / 2.80)^2 with n = 600 from K = 3 on.
    assert far.n_answers == 3
    assert far.n_cases == 600
    assert far.cost == pytest.approx(600 * 3 * 0.03)
    assert near.n_answers is None
    assert near.reason


def test_votes_that_waver_on_one_answer_are_the_judges_part():
    rng = random.Random(6)
    rows = [case(f"c{i}", [1, 1], [1, 1]) for i in range(400)]
    votes = [
        Vote(
            subject=Subject(kind="case", id=row.case, arm=arm, answer=answer),
            repeat=repeat,
            verdict=Verdict("good" if rng.random() < 0.8 else "bad", None),
            started_ms=0,
        )
        for row in rows
        for arm in ("baseline", "candidate")
        for answer in range(2)
        for repeat in range(3)
    ]
    judged = JudgeVotes(votes=votes, passing=frozenset({"good"}), n_votes=3)
    block = analyse(rows, SPEC, judged=judged).variance
    parts = {part.part: part for part in block.components}

    assert block.n_votes == 3
    assert parts["vote"].variance == pytest.approx(2 * 0.8 * 0.2, abs=0.03)
    assert parts["answer"].variance == pytest.approx(0, abs=0.03)


def test_verdicts_missing_in_one_arm_only_are_a_difference_of_their_own():
    rows = [case(f"c{i}", [1], [None if i < 30 else 1]) for i in range(300)]
    block = analyse(rows, AnalysisSpec(margin=0.05, seed=1)).missingness

    assert (block.candidate_only, block.baseline_only, block.difference) == (30, 0, 0.1)
    assert block.interval.low > 0.05
    assert block.pvalue < 1e-6


def test_verdicts_that_go_missing_by_whole_clusters_are_counted_by_clusters():
    def missing_of(size):
        names = [f"c{i}" for i in range(300)]
        rows = [
            case(name, [1], [None if i < 30 else 1], cluster=f"g{i // size}") for i, name in enumerate(names)
        ]
        return analyse(rows, AnalysisSpec(margin=0.05, seed=1)).missingness

    alone, by_ten = missing_of(1), missing_of(10)

    assert alone.interval.method == "tango_binomial"
    assert (by_ten.candidate_only, by_ten.difference) == (30, 0.1)
    # Three of thirty documents: as much as three of thirty cases.
    assert by_ten.interval.low < 0 < alone.interval.low
    assert by_ten.pvalue > 0.05 > alone.pvalue


def test_too_few_clusters_give_no_interval_of_what_is_missing_and_say_why():
    rows = [case(f"c{i}", [1], [None if i < 30 else 1], cluster=f"g{i // 75}") for i in range(300)]
    block = analyse(rows, AnalysisSpec(margin=0.05, seed=1)).missingness

    assert (block.difference, block.interval, block.pvalue) == (0.1, None, None)
    assert "4 clusters" in block.reason


def test_nothing_missing_is_no_difference_in_what_is_missing():
    block = analyse(tossed(100, 3), SPEC).missingness

    assert (block.difference, block.pvalue) == (0, 1)
    assert block.interval.low < 0 < block.interval.high
