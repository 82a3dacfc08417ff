"""A label in brackets, wherever it stands in the reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import a_judge
from pydantic import ValidationError

from harness.graders.reply import read_reply

JUDGE = a_judge(reply="bracketed", marker=None)


@pytest.mark.parametrize("label", ["A", "B", "C"])
@given(
    before=st.text(st.characters(exclude_characters="[]>", exclude_categories=("Cs",))),
    after=st.text(st.characters(exclude_characters="[]>", exclude_categories=("Cs",))),
)
def test_one_pair_of_brackets_is_the_verdict_whatever_stands_around_it(label, before, after):
    assert read_reply(JUDGE, f"{before}[[{label}]]{after}").label == label


def test_two_labels_that_differ_are_no_verdict():
    found = read_reply(JUDGE, "[[A]]? no, [[B]]")

    assert (found.label, found.no_verdict, found.detail) == (None, "unreadable", "different verdicts: A, B")


def test_the_last_pair_must_hold_a_label():
    assert read_reply(JUDGE, "[[A]], and see [[note 3]]").no_verdict == "unreadable"
    assert read_reply(JUDGE, "see [[note 3]]: [[A]]").label == "A"


def test_no_brackets_are_no_verdict():
    assert read_reply(JUDGE, "A").detail == "no label in brackets"


@pytest.mark.parametrize(("field", "value"), [("open", ""), ("close", " "), ("marker", "Verdict:")])
def test_the_form_wants_brackets_and_no_marker(field, value):
    with pytest.raises(ValidationError, match=f"{field}|open, close"):
        a_judge(**{"reply": "bracketed", "marker": None, field: value})
