"""A plan whose texts are withheld leads to the same numbers, and no text is forgotten."""

import pytest

from harness.domain.cases import Anchor, Canary, Case
from harness.domain.checks import Contains, RecallAtK
from harness.domain.errors import Tampered
from harness.domain.formats import format_of
from harness.domain.plan import PanelJudge, Plan
from harness.graders.checks import grade_by_checks
from harness.redaction.lines import committed, without
from harness.redaction.plan_lines import ITEM_TEXTS, plan_again, plan_drafts
from tests.runs import a_plan

SECRET = bytes(32)
# What everybody sees of a copy: no field of these holds a text that somebody may want to withhold.
CLEAR = {
    Case: {"id", "cluster", "tags", "weight", "split"},
    Canary: {"id", "expected", "grader", "kind"},
    Anchor: {"id", "reviews", "label", "selection", "case", "arm", "tags"},
}


def _lines(plan: Plan):
    grade = lambda canary: grade_by_checks(canary.checks, canary.answer) if canary.checks else None  # noqa: E731
    drafts = plan_drafts(plan, grade=grade)
    return [committed(draft, secret=SECRET, index=index) for index, draft in enumerate(drafts)]


def _again(plan: Plan, *, hidden=frozenset({"prompt", "answer", "reference", "templates", "judge_prompt"})):
    return plan_again(without(line, hidden) for line in _lines(plan))


@pytest.mark.parametrize("kind", [Case, Canary, Anchor])
def test_every_field_of_an_item_is_a_text_or_plainly_none(kind):
    texts = {field for fields in ITEM_TEXTS[kind.__name__.lower()].values() for field in fields}

    assert not texts & CLEAR[kind]
    assert texts | CLEAR[kind] == set(kind.model_fields), "a new field: can somebody want to withhold it?"


def test_every_setting_of_a_plan_is_known_to_hold_no_text_but_the_prompts():
    known = {"version", "experiment", "gold", "held_out", "moved", "judge", "panel", "inputs"}
    items = {"cases", "canaries", "anchors"}
    texts = {"templates", "judge_prompt"}

    assert known | items | texts == set(Plan.model_fields), "a new field: can somebody want to withhold it?"
    assert {"prompt", "spec"} <= set(PanelJudge.model_fields)


def test_a_plan_that_withholds_nothing_is_the_plan():
    plan = a_plan(templates={"baseline": {"prompt": "Now $prompt", "system": "s"}, "candidate": {}})

    assert _again(plan, hidden=frozenset()) == plan


def test_what_is_withheld_is_in_no_field_of_what_stands_in():
    plan = a_plan(
        cases=[{"id": "c0", "prompt": "SECRET", "reference": "SECRET", "why": "SECRET"}],
        templates={"baseline": {"prompt": "SECRET $prompt", "system": "SECRET"}, "candidate": {}},
        judge_prompt="SECRET $answer",
    )

    assert "SECRET" in str(plan)
    assert "SECRET" not in str(_again(plan))


@pytest.mark.parametrize("answer", ["", "x", "| a | b |", "plain words", "- a\n- list", "**bold**" * 50])
def test_an_anchor_stands_in_as_long_and_as_formatted(answer):
    plan = a_plan(anchors=1)
    anchor = plan.anchors[0].model_copy(update={"answer": answer})
    found = _again(plan.model_copy(update={"anchors": (anchor,)})).anchors[0].answer

    assert (len(found), format_of(found)) == (len(answer), format_of(answer))
    assert found != answer or len(answer) < 2


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (Contains(kind="contains", texts=("yes",), need="all"), "yes"),
        (Contains(kind="contains", texts=("yes",), need="all"), "no"),
        (Contains(kind="contains", texts=("yes",), need="all"), "yes" * 1_000_000),
        (RecallAtK(kind="recall", positives=(), k=1, at_least=1.0, ranked="lines"), "a"),
    ],
)
def test_a_canary_of_the_checks_stands_in_with_the_same_grade(check, answer):
    plan = a_plan(canaries=1)
    fields = {"grader": "checks", "checks": (check,), "answer": answer}
    planted = plan.model_copy(update={"canaries": (plan.canaries[0].model_copy(update=fields),)})
    for hidden in (frozenset({"answer"}), frozenset({"reference"}), frozenset({"answer", "reference"})):
        found = _again(planted, hidden=hidden).canaries[0]
        wanted = grade_by_checks(planted.canaries[0].checks, answer)

        assert grade_by_checks(found.checks, found.answer)[:2] == wanted[:2]


def test_a_case_of_the_checks_stays_one():
    plan = a_plan(
        cases=[{"id": "c0", "prompt": "?", "checks": [{"kind": "json"}]}, {"id": "c1", "prompt": "?"}]
    )

    assert [bool(case.checks) for case in _again(plan).cases] == [True, False]


@pytest.mark.parametrize("order", [lambda it: it[1:], lambda it: [it[0], *it], lambda it: []])
def test_lines_in_another_order_make_no_plan(order):
    with pytest.raises(Tampered, match="lines of a redacted run"):
        plan_again(order(_lines(a_plan())))
