"""Recall at K, with the denominator under its own name."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.checks import RecallAtK
from harness.domain.verdicts import Graded
from harness.graders.checks import check_problem, grade_by_checks
from harness.graders.recall import recall_at_k

POSITIVES = [f"p{n}" for n in range(1, 9)]


def a_recall(*, kind="recall", positives=POSITIVES, k=3, at_least=0.375, ranked="json"):
    written = {"kind": kind, "positives": positives, "k": k, "at_least": at_least, "ranked": ranked}
    return RecallAtK.from_json(json.dumps(written))


def grade(items, **fields):
    return grade_by_checks([a_recall(**fields)], json.dumps(items))


def test_three_of_eight_positives_among_the_first_three_are_three_eighths():
    assert recall_at_k(a_recall(), '["p1", "p2", "p3"]') == (3, 8)
    assert grade(["p1", "p2", "p3"]) == Graded("pass", None, 3 / 8)
    assert grade(["p1", "p2", "p3"], at_least=0.376) == Graded("fail", None, 3 / 8)


def test_divided_by_the_smaller_of_positives_and_k_it_is_another_metric():
    assert recall_at_k(a_recall(kind="capped-recall"), '["p1", "p2", "p3"]') == (3, 3)
    assert grade(["p1", "x", "p3"], kind="capped-recall", at_least=1.0) == Graded("fail", None, 2 / 3)


def test_a_case_without_positives_is_coverage_and_neither_nought_nor_one():
    for kind in ("recall", "capped-recall"):
        assert grade(["p1"], kind=kind, positives=[]) == Graded(None, "not_applicable", None)


def test_only_the_first_k_count():
    assert recall_at_k(a_recall(), '["x", "y", "z", "p1"]') == (0, 8)


def test_an_item_named_twice_counts_once_and_uses_up_a_place():
    assert recall_at_k(a_recall(positives=["a", "b"]), '["a", "a", "a", "b"]') == (1, 2)
    assert recall_at_k(a_recall(positives=["a", "b"]), '["a", "a", "b"]') == (2, 2)


def test_the_threshold_is_compared_in_whole_numbers():
    # 0.1 * 3 is 0.30000000000000004 as a float.
    ten = [f"p{n}" for n in range(10)]

    assert grade(ten[:3], positives=ten, at_least=0.3).outcome == "pass"
    assert grade(ten[:2], positives=ten, at_least=0.3).outcome == "fail"
    assert grade(["a"], positives=["a", "b", "c"], at_least=0.3333333333333333).outcome == "pass"
    assert grade(["a"], positives=["a", "b", "c"], at_least=0.3333333333333334).outcome == "fail"


def test_a_ranking_may_be_a_line_an_item():
    check = a_recall(ranked="lines")

    assert recall_at_k(check, "p1\n\n  p2 \r\nx\n") == (2, 8)
    assert recall_at_k(check, "1. p1\n2. p2\n3. p3") == (0, 8)


@pytest.mark.parametrize(
    "answer", ["p1, p2", '{"ranking": ["p1"]}', "[1, 2]", '["p1", null]', '"p1"', "[NaN]", ""]
)
def test_an_answer_that_is_no_ranking_fails_without_a_score(answer):
    assert grade_by_checks([a_recall(at_least=0.0)], answer) == Graded("fail", None, None)


def test_an_empty_ranking_finds_nothing():
    assert grade([], at_least=0.1) == Graded("fail", None, 0.0)


def test_two_recalls_in_one_case_give_no_score():
    checks = [a_recall(), a_recall(kind="capped-recall", at_least=1.0)]

    assert grade_by_checks(checks, '["p1", "p2", "p3"]') == Graded("pass", None, None)


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        (a_recall(at_least=0.5), "0.5 of 8 positives cannot be among the first 3"),
        (a_recall(positives=["a", "a"]), "named twice"),
    ],
)
def test_a_recall_that_no_ranking_could_reach_is_refused(check, complaint):
    problem = check_problem(check)

    assert problem is not None
    assert complaint in problem


def test_the_capped_form_can_reach_one_and_no_positives_are_no_problem():
    assert check_problem(a_recall(kind="capped-recall", at_least=1.0)) is None
    assert check_problem(a_recall(positives=[])) is None


@settings(deadline=None)
@given(st.lists(st.sampled_from([*POSITIVES, "x", "y"]), max_size=12), st.integers(1, 12))
def test_recall_is_a_share_that_never_falls_with_k(items, k):
    answer = json.dumps(items)
    here = recall_at_k(a_recall(k=k), answer)
    next_ = recall_at_k(a_recall(k=k + 1), answer)

    assert here is not None
    assert next_ is not None
    assert 0 <= here.n_hits <= min(k, here.n_wanted)
    assert here.n_hits <= next_.n_hits
