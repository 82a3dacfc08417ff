"""The majority rule, and what a graded answer is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.verdicts import NO_VERDICTS, graded, majority


def test_a_judge_that_fails_half_of_the_time_has_no_majority():
    assert majority(["pass", None], asked=2).label is None


@pytest.mark.parametrize("labels", [["pass", None, "fail"], ["fail", None, "pass"]])
def test_a_missing_vote_never_breaks_a_tie(labels):
    found = majority(labels, asked=3)

    assert found.label is None
    assert found.tally == (("fail", 1), ("pass", 1))


def test_two_of_three_are_a_majority_even_if_the_third_never_came():
    assert majority(["pass", "pass"], asked=3).label == "pass"


def test_one_of_three_asked_is_no_majority_though_it_is_the_only_one_that_came():
    assert majority(["pass"], asked=3).label is None


def test_no_vote_is_no_majority():
    assert majority([], asked=5) == (None, 5, ())


def test_more_votes_than_asked_for_are_refused():
    with pytest.raises(ValueError, match="2 votes came, 1 were asked for"):
        majority(["pass", "pass"], asked=1)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["pass", "fail", "tie", None]), max_size=9), st.integers(0, 3), st.randoms())
def test_the_order_of_votes_changes_nothing_and_a_majority_is_more_than_half(labels, n_missing, random):
    asked = len(labels) + n_missing
    found = majority(labels, asked=asked)
    shuffled = random.sample(labels, len(labels))

    assert majority(shuffled, asked=asked) == found
    assert found.label is None or 2 * labels.count(found.label) > asked


def test_a_graded_answer_has_an_outcome_or_a_reason_and_not_both():
    with pytest.raises(ValueError):
        graded(None, None)
    with pytest.raises(ValueError):
        graded("pass", "failed")


def test_no_reason_for_no_verdict_is_named_twice():
    assert len(set(NO_VERDICTS)) == len(NO_VERDICTS) == 9
