"""Judges side by side: agreement against a published value, counts and differences by hand."""

import pytest

from harness.analysis.panel import judged_arms, judges_agreement, panel_estimate
from harness.domain.specs import AnalysisSpec
from tests.analysis.results import case

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section A: binary data, two
# observers, no missing data; alpha = 0.095.
MEG = (0, 1, 0, 0, 0, 0, 0, 0, 1, 0)
OWEN = (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)
SPEC = AnalysisSpec(margin=0.05, seed=1)


def as_cases(verdicts):
    """Ten verdicts as those on both arms' answers to five cases."""
    return [case(f"c{n}", [verdicts[n]], [verdicts[n + 5]]) for n in range(5)]


def agreement(*judges):
    return judges_agreement(judges, {each.case for each in judges[0]}, seed=1)


def test_alpha_of_two_judges_is_the_published_one():
    found = agreement(as_cases(MEG), as_cases(OWEN))

    assert found.alpha == pytest.approx(1 - 19 * 4 / (14 * 6))
    assert round(found.alpha, 3) == 0.095
    assert (found.n_answers, found.n_unanimous) == (10, 6)


def test_an_answer_on_which_one_judge_has_no_verdict_is_not_unanimous_and_counts_for_the_others():
    judge, other = [case("c1", [1], [1])], [case("c1", [None], [1])]

    assert agreement(judge, other)[:2] == (2, 1)


def test_judges_without_any_verdict_have_no_alpha_and_say_why():
    silent = [case("c1", [None], [None])]

    assert agreement(silent, silent) == (0, 0, None, None, "no judge has a verdict on any answer")


def test_judges_that_never_differ_have_no_interval_of_no_width():
    found = agreement(*[[case(f"c{n}", [n % 2], [1]) for n in range(20)]] * 3)

    assert found.alpha == 1
    assert found.alpha_interval is None
    assert found.alpha_reason == "all ratings of every item agree: resamples of them cannot differ"


def test_the_interval_of_alpha_lies_around_it_and_is_the_same_every_time():
    judges = [[case(f"c{n}", [(n + shift) % 3 > 0], [n % 2]) for n in range(30)] for shift in (0, 1)]
    found = agreement(*judges)

    assert found.alpha_interval.low < found.alpha < found.alpha_interval.high
    assert agreement(*judges) == found


def test_cases_with_checks_are_in_no_count_of_the_judges():
    results = [case("c1", [1, 0], [1, 1]), case("checked", [1, 1], [1, 1])]
    baseline, candidate = judged_arms(results, {"c1"})

    assert (baseline.n_answers, baseline.n_pass, baseline.n_fail) == (2, 1, 1)
    assert (candidate.n_answers, candidate.n_pass, candidate.n_fail) == (2, 2, 0)


def test_verdicts_that_a_judge_did_not_give_are_counted_by_reason():
    baseline, _ = judged_arms([case("c1", [None, 1], [1, 1])], {"c1"})

    assert baseline.no_verdict == (("unreadable", 1),)


def test_the_change_is_the_difference_less_the_panels():
    found = panel_estimate([case(f"c{n}", [0], [n < 6]) for n in range(12)], SPEC, headline=0.75)

    assert found.difference == 0.5
    assert found.change == -0.25


def test_a_difference_that_is_not_there_has_no_change():
    found = panel_estimate([case("c1", [None], [1])], SPEC, headline=0.75)

    assert found.difference is None
    assert found.change is None
    assert found.reason == "no case is graded in both arms"
