"""Preferences in the tables of gains and losses, and the win rate beside them."""

from math import log

import pytest
from scipy.stats import binomtest

from harness.analysis.section import analyse
from harness.domain.calls import Subject
from harness.domain.preferences import Pair, grade_pair
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult, graded

SPEC = AnalysisSpec(margin=0.05, seed=1)
ORDERS = {
    "W": ("win", "win"),
    "L": ("loss", "loss"),
    "T": ("tie", "tie"),
    "R": ("win", "loss"),
    "-": (None, "win"),
}


def section(*cases, clusters=None):
    """The section of these cases: of each, one letter a repeat. ``R`` is a reversal, ``-`` no verdict."""
    results, pairs = [], []
    for number, letters in enumerate(cases):
        mine = [
            Pair(Subject(kind="case", id=f"c{number}", answer=repeat), *ORDERS[letter])
            for repeat, letter in enumerate(letters)
        ]
        grades = [grade_pair(pair) for pair in mine]
        pairs += mine
        results.append(
            CaseResult(
                case=f"c{number}",
                cluster=clusters[number] if clusters else f"c{number}",
                tags=(),
                weight=1.0,
                split="exploratory",
                baseline=tuple(grade.baseline for grade in grades),
                candidate=tuple(grade.candidate for grade in grades),
            )
        )
    return analyse(results, SPEC, pairs=pairs)


def test_wins_are_gains_losses_losses_and_ties_stay_in_the_denominator():
    found = section(*["W"] * 9, *["L"] * 3, *["T"] * 5, *["R"] * 3).majority

    assert (found.both_pass, found.gain, found.loss, found.both_fail, found.n_cases) == (0, 9, 3, 8, 20)
    assert (found.candidate_rate, found.baseline_rate, found.difference) == (0.45, 0.15, 6 / 20)


def test_the_exact_test_is_the_sign_test_of_wins_and_losses():
    found = section(*["W"] * 9, *["L"] * 3, *["T"] * 8).majority

    assert found.pvalue_exact == pytest.approx(binomtest(9, 12).pvalue)


@pytest.mark.parametrize(
    ("letters", "gain", "loss", "both_fail", "no_majority"),
    [
        ("WWL", 1, 0, 0, 0),
        ("WLT", 0, 0, 1, 0),
        ("WLR", 0, 0, 1, 0),
        ("LLT", 0, 1, 0, 0),
        ("WW-", 1, 0, 0, 0),
        ("W--", 0, 0, 0, 1),
        ("WT-", 0, 0, 0, 1),
    ],
)
def test_a_case_goes_to_the_arm_that_most_of_its_repeats_prefer(letters, gain, loss, both_fail, no_majority):
    found = section(letters).majority

    assert (found.gain, found.loss, found.both_fail, found.no_majority) == (
        gain,
        loss,
        both_fail,
        no_majority,
    )


def test_missing_pairs_are_set_against_and_for_the_candidate():
    primary = section(*["W"] * 20, *["T"] * 20, *["-"] * 10).primary

    assert primary.difference == 0.5
    # Ten pairs may all be losses, or all be wins: (20 - 10) / 50 and (20 + 10) / 50.
    assert primary.worst_case.low < 0.2 < primary.worst_case.high
    assert primary.best_case.low < 0.6 < primary.best_case.high


def test_the_mean_is_wins_less_losses_a_repeat():
    found = section("WWWT", "WLTT", "LLLW").mean

    assert found.difference == pytest.approx((3 / 4 + 0 + -2 / 4) / 3)
    assert (found.candidate_mean, found.baseline_mean) == (pytest.approx(5 / 12), pytest.approx(4 / 12))


def test_pairs_are_counted_by_what_both_orders_say():
    found = section("WW", "LT", "R-").preferences

    assert (found.n_pairs, found.n_no_preference) == (6, 1)
    assert (found.candidate_preferred, found.baseline_preferred, found.ties) == (2, 1, 2)
    assert (found.ties_in_both_orders, found.ties_by_reversal) == (1, 1)


def test_the_win_rate_is_over_the_verdicts_of_both_orders_with_ties_as_half():
    found = section(*["W"] * 12, *["L"] * 6, *["R"] * 4, *["T"] * 3).preferences.win_rate

    assert (found.n_verdicts, found.rate) == (50, (24 + 4 + 3) / 50)
    assert found.interval.low < found.rate < found.interval.high


def test_both_orders_of_a_pair_do_not_make_two_pairs():
    once = section(*["W"] * 12, *["L"] * 6).preferences.win_rate.interval

    # Two alike verdicts a case are worth what one is: the t interval of 18 cases, not of 36.
    assert once.high - once.low == pytest.approx(2 * 2.1098 * (0.2222 / 17) ** 0.5, rel=1e-3)


def test_two_arms_have_davidsons_closed_form():
    found = section(*["W"] * 12, *["L"] * 6, *["R"] * 4, *["T"] * 3).preferences.ability

    # Davidson (1970): with two arms the expected counts are the counts. Wins 28, losses 16, ties 6.
    assert found.log_ability == pytest.approx(log(28 / 16))
    assert found.log_tie == pytest.approx(log(6 / (28 * 16) ** 0.5))


def test_without_ties_it_is_bradley_and_terrys():
    found = section(*["W"] * 12, *["L"] * 6).preferences.ability

    assert (found.log_ability, found.log_tie) == (pytest.approx(log(2)), None)


def test_an_arm_that_wins_every_pair_has_no_finite_ability():
    found = section(*["W"] * 12).preferences

    assert (found.ability.log_ability, found.win_rate.rate) == (None, 1.0)
    assert found.ability.reason
    assert found.win_rate.reason


def test_no_pair_is_no_number():
    found = section("-", "-").preferences

    assert (found.win_rate.rate, found.win_rate.reason) == (None, "no pair has a preference")
    assert found.ability.reason == "no pair has a preference"


def test_cases_that_are_judged_alone_have_no_preferences():
    result = CaseResult("c", "c", (), 1.0, "exploratory", (graded("pass"),), (graded("pass"),))

    assert analyse([result], SPEC).preferences is None


def test_the_parts_of_the_variance_are_those_of_one_difference_a_repeat():
    found = section(*["WL", "WW", "LL", "TW", "LW", "WL", "TT", "WW", "LW", "WL"]).variance

    by_part = {each.part: each.variance for each in found.components}
    # Half the mean square of how far a case's two repeats are apart: 2, 0, 0, 1, 2, 2, 0, 0, 2, 2.
    assert by_part["answer"] == pytest.approx((4 + 0 + 0 + 1 + 4 + 4 + 0 + 0 + 4 + 4) / 2 / 10)


def test_an_arm_lacks_answers_and_not_preferences():
    lost, unpaired = graded(None, "truncated"), graded(None, "unpaired")
    unread = graded(None, "unreadable")
    results = [
        CaseResult(f"c{n}", f"c{n}", (), 1.0, "exploratory", (was,), (now,))
        for n, (was, now) in enumerate([(lost, unpaired), (lost, unpaired), (unread, unread)])
    ]
    found = analyse(results, SPEC, pairs=[]).missingness

    assert (found.baseline_only, found.candidate_only) == (2, 0)
