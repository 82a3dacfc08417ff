"""Votes on two answers become one preference."""

import pytest
from msgspec.structs import replace
from pairs import a_judge

from harness.domain.calls import Subject
from harness.domain.preferences import grade_pair, pairs_of, preference_of, settled
from harness.domain.verdicts import Verdict, Vote

JUDGE = a_judge()
ABOUT = Subject(kind="case", id="c1", answer=0)


def votes(first, *labels, about=ABOUT):
    """Votes of one order; null is an unreadable one."""
    subject = replace(about, first=first)
    return [
        Vote(subject, repeat, Verdict(label, None if label else "unreadable"), 0)
        for repeat, label in enumerate(labels)
    ]


@pytest.mark.parametrize(
    ("label", "ours_first", "wanted"),
    [("A", True, "win"), ("A", False, "loss"), ("B", True, "loss"), ("B", False, "win"), ("C", True, "tie")],
)
def test_a_label_names_a_place_and_the_order_says_whose_it_is(label, ours_first, wanted):
    assert preference_of(JUDGE, label, ours_first=ours_first) == wanted


@pytest.mark.parametrize(
    ("candidate_first", "baseline_first", "wanted", "consistent", "slot"),
    [
        ("A", "B", "win", True, 0),
        ("B", "A", "loss", True, 0),
        ("C", "C", "tie", True, 0),
        ("A", "A", "tie", False, 1),
        ("B", "B", "tie", False, -1),
        ("A", "C", "tie", False, 0),
        ("C", "A", "tie", False, 0),
    ],
)
def test_both_orders_must_prefer_the_same_answer(candidate_first, baseline_first, wanted, consistent, slot):
    given = [*votes("candidate", candidate_first), *votes("baseline", baseline_first)]

    pair = settled(JUDGE, given, asked=1)

    assert (pair.preference, pair.is_consistent, pair.slot) == (wanted, consistent, slot)


def test_each_order_is_settled_by_more_than_half_of_the_votes_asked_for():
    given = [*votes("candidate", "A", "A", "B"), *votes("baseline", "B", "B", None)]

    assert settled(JUDGE, given, asked=3).preference == "win"


def test_a_pair_without_a_majority_in_one_order_has_no_preference():
    given = [*votes("candidate", "A", "A", "A"), *votes("baseline", "B", "A", None)]

    pair = settled(JUDGE, given, asked=3)

    assert (pair.preference, pair.is_consistent, pair.reason) == (None, None, "no_majority")


def test_one_shared_reason_is_the_reason():
    pair = settled(JUDGE, [*votes("candidate", "A"), *votes("baseline", None)], asked=1)

    assert (pair.preference, pair.reason) == (None, "unreadable")


def test_an_order_that_was_never_asked_says_nothing():
    pair = settled(JUDGE, votes("candidate", "A"), asked=1)

    assert (pair.preference, pair.reason) == (None, "not_run")


def test_labels_of_several_steps_count_before_the_majority():
    judge = a_judge(
        labels=["A>>B", "A>B", "A=B", "B>A", "B>>A"],
        first=["A>>B", "A>B"],
        second=["B>A", "B>>A"],
        tie=["A=B"],
    )
    given = [*votes("candidate", "A>>B", "A>B", "B>A"), *votes("baseline", "B>A", "B>>A", "A=B")]

    assert settled(judge, given, asked=3).preference == "win"


@pytest.mark.parametrize(
    ("labels", "baseline", "candidate"),
    [("AB", "fail", "pass"), ("BA", "pass", "fail"), ("AA", "fail", "fail"), ("CC", "fail", "fail")],
)
def test_a_win_is_a_gain_a_loss_a_loss_and_a_tie_neither(labels, baseline, candidate):
    pair = settled(JUDGE, [*votes("candidate", labels[0]), *votes("baseline", labels[1])], asked=1)

    grade = grade_pair(pair)

    assert (grade.baseline.outcome, grade.candidate.outcome) == (baseline, candidate)


def test_the_same_missing_verdict_stands_in_both_arms():
    grade = grade_pair(settled(JUDGE, [*votes("candidate", "A"), *votes("baseline", None)], asked=1))

    assert grade.baseline == grade.candidate
    assert grade.baseline.reason == "unreadable"


def test_pairs_are_parted_by_what_they_are_about():
    anchor = Subject(kind="anchor", id="a1")
    given = [*votes("candidate", "A"), *votes("answer", "B", about=anchor), *votes("baseline", "B")]
    given += votes("other", "A", about=anchor)

    found = pairs_of(JUDGE, given, asked=1)

    assert [(pair.subject.kind, pair.preference) for pair in found] == [("case", "win"), ("anchor", "loss")]
