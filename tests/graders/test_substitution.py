"""One pass over the template, never over what is put in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.errors import InputError
from harness.graders.substitution import fill, missing_value, placeholders, template_problem


def test_placeholders_are_replaced_and_two_dollars_are_one():
    filled = fill("$prompt costs $$5: ${answer}!", {"prompt": "Tea", "answer": "no"})

    assert filled == "Tea costs $5: no!"


@pytest.mark.parametrize(
    "text",
    [
        "<p>{{ user.name | upper }}</p>",
        "{% for x in y %}{{ x }}{% endfor %}",
        "$answer ${answer} $$ $1 $",
        "%s {0} {prompt} \\1 \\g<0>",
    ],
)
def test_what_is_put_in_arrives_character_for_character(text):
    assert fill("[$prompt]", {"prompt": text, "answer": "never"}) == f"[{text}]"


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_text_that_is_put_in_is_searched_again(prompt, answer):
    assert fill("$prompt|$answer", {"prompt": prompt, "answer": answer}) == f"{prompt}|{answer}"


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        (
            "one\nThe answer must match $expected",
            "line 2: unknown placeholder $expected; wanted one of $prompt",
        ),
        ("$prompts", "unknown placeholder $prompts"),
        ("${ }", "a dollar sign that starts no placeholder"),
        ("$5 a day", "line 1: a dollar sign that starts no placeholder; $$ stands for a dollar sign"),
        ("${prompt", "a dollar sign that starts no placeholder"),
        ("the end $", "a dollar sign that starts no placeholder"),
    ],
)
def test_a_placeholder_that_nothing_fills_is_refused(template, complaint):
    found = template_problem(template, known=("prompt",))

    assert found is not None
    assert complaint in found
    with pytest.raises(InputError):
        fill(template, {"prompt": "p"})


def test_a_placeholder_without_a_value_is_refused_and_named():
    assert missing_value("$reference", {"reference": None}) == (
        "the template mentions $reference, and there is no reference"
    )
    with pytest.raises(InputError, match="no reference"):
        fill("$reference", {"reference": None})


def test_a_value_that_no_placeholder_mentions_may_be_missing():
    assert fill("$$reference: $prompt", {"prompt": "p", "reference": None}) == "$reference: p"


def test_an_empty_value_is_a_value():
    assert fill("[$answer]", {"answer": ""}) == "[]"


def test_each_placeholder_is_named_once_in_its_order():
    assert placeholders("$b $$c ${a} $b") == ("b", "a")
