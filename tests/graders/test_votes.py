"""From votes to the grade of one answer."""

import pytest
from judge_specs import a_judge, a_scale

from harness.domain.verdicts import Graded, Verdict
from harness.graders.votes import grade_by_votes

PASS_FAIL = a_judge("PASS", "FAIL")
SCALE = a_scale(1, 10, passing=["7", "8", "9", "10"], scores=list(range(10, 0, -1)))


def votes(*labels):
    """A label, or a reason in brackets for a vote without one."""
    return tuple(
        Verdict(None, label.strip("()")) if label.startswith("(") else Verdict(label, None)
        for label in labels
    )


def test_seven_eight_and_nine_are_three_passes():
    assert grade_by_votes(SCALE, votes("7", "8", "9")) == Graded("pass", None, 8.0)


def test_labels_become_pass_or_fail_before_the_majority():
    assert grade_by_votes(SCALE, votes("6", "5", "10", "9", "4")).outcome == "fail"


@pytest.mark.parametrize("labels", [("PASS", "(unreadable)", "FAIL"), ("FAIL", "(unreadable)", "PASS")])
def test_a_missing_vote_never_breaks_a_tie(labels):
    assert grade_by_votes(PASS_FAIL, votes(*labels)) == Graded(None, "no_majority", None)


def test_a_missing_vote_is_no_fail():
    assert grade_by_votes(PASS_FAIL, votes("PASS", "(failed)")) == Graded(None, "no_majority", None)
    assert grade_by_votes(PASS_FAIL, votes("PASS", "PASS", "(failed)")) == Graded("pass", None, None)


def test_one_reason_shared_by_all_votes_is_the_reason_of_the_answer():
    assert grade_by_votes(PASS_FAIL, votes("(unreadable)", "(unreadable)")).reason == "unreadable"
    assert grade_by_votes(PASS_FAIL, votes("(unreadable)", "(failed)")).reason == "no_majority"


def test_a_score_is_the_mean_of_all_votes_or_there_is_none():
    assert grade_by_votes(SCALE, votes("8", "9")).score == 8.5
    assert grade_by_votes(SCALE, votes("8", "9", "(failed)")).score is None
    assert grade_by_votes(PASS_FAIL, votes("PASS")).score is None


def test_votes_that_tie_have_a_score_and_no_outcome():
    assert grade_by_votes(SCALE, votes("6", "9")) == Graded(None, "no_majority", 7.5)
