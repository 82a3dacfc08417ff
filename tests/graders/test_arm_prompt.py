"""What an arm is asked: its template around the case, never the reference."""

import pytest
from runs import a_plan

from harness.domain.cases import Case, Message
from harness.domain.errors import InputError
from harness.domain.plan import Template
from harness.graders.arm_prompt import answer_messages, arm_template_problem, prompt_text

CASE = Case(id="c", prompt="What is $x {{y}}?", reference="secret")
TURNS = (
    Message(role="user", content="Hi"),
    Message(role="assistant", content="Hello"),
    Message(role="user", content="Why?"),
)


def plan_with(**baseline):
    return a_plan(templates={"baseline": baseline, "candidate": {}})


def said(plan, case, arm="baseline"):
    return [(message.role, message.content) for message in answer_messages(plan, case, arm)]


def test_without_a_template_the_prompt_goes_as_it_stands():
    assert said(plan_with(), CASE) == [("user", "What is $x {{y}}?")]


def test_the_template_goes_around_the_prompt_and_the_system_text_before_it():
    plan = plan_with(prompt="Q: $prompt ($$)", system="Be $brief.")

    assert said(plan, CASE) == [("system", "Be $brief."), ("user", "Q: What is $x {{y}}? ($)")]
    assert said(plan, CASE, "candidate") == [("user", "What is $x {{y}}?")]


def test_messages_go_as_they_stand_and_a_template_goes_around_the_last():
    case = Case(id="c", messages=TURNS)

    assert said(plan_with(prompt="[$prompt]"), case) == [
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "[Why?]"),
    ]


def test_a_template_cannot_go_around_what_the_assistant_said():
    case = Case(id="c-7", messages=TURNS[:2])

    with pytest.raises(InputError, match=r"case 'c-7', arm baseline: .* the assistant's"):
        answer_messages(plan_with(prompt="[$prompt]"), case, "baseline")


def test_an_arm_never_sees_the_reference():
    problem = arm_template_problem(Template(prompt="$prompt $reference"))

    assert problem is not None
    assert "unknown placeholder $reference" in problem
    assert arm_template_problem(Template(system="$reference")) is None


def test_a_judge_is_shown_the_whole_conversation():
    assert prompt_text(CASE) == "What is $x {{y}}?"
    assert prompt_text(Case(id="c", messages=TURNS[:1])) == "Hi"
    assert prompt_text(Case(id="c", messages=TURNS)) == ("[user]\nHi\n\n[assistant]\nHello\n\n[user]\nWhy?")
