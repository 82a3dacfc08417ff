"""What a judge is shown of two answers."""

import pytest
from pairs import a_judge, a_pair_plan

from harness.domain.errors import InputError
from harness.graders.judge_request import judge_prompt_problem
from harness.graders.pair_request import pair_delimiter, pair_messages

PLAN = a_pair_plan()
SHOWN = {"prompt": "Why?", "reference": None}


def test_both_answers_are_shown_in_their_order_each_between_its_own_lines():
    content = pair_messages(PLAN, first="because $second", second="so", **SHOWN)[-1].content
    delimiter = pair_delimiter(PLAN.judge, first="because $second", second="so", **SHOWN)

    assert f"<first-{delimiter}>\nbecause $second\n</first-{delimiter}>" in content
    assert f"<second-{delimiter}>\nso\n</second-{delimiter}>" in content
    assert content.index("because") < content.index("<second-")


def test_the_delimiter_is_of_both_answers_and_their_order():
    judge = a_judge()

    found = {pair_delimiter(judge, first=one, second=two, **SHOWN) for one, two in ("ab", "ba", "aa", "bb")}

    assert len(found) == 4
    assert all(len(delimiter) == 32 for delimiter in found)


def test_a_system_text_goes_before():
    plan = PLAN.model_copy(update={"judge": a_judge(system="Be fair.")})

    assert [message.role for message in pair_messages(plan, first="a", second="b", **SHOWN)] == [
        "system",
        "user",
    ]


def test_without_a_judge_nothing_is_compared():
    with pytest.raises(InputError, match="no judge"):
        pair_messages(PLAN.model_copy(update={"judge": None}), first="a", second="b", **SHOWN)


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("$first alone", "no $second: the judge would not see what it judges"),
        ("$second alone", "no $first: the judge would not see what it judges"),
        ("$answer", "line 1: unknown placeholder $answer"),
    ],
)
def test_a_pairwise_prompt_shows_both_answers(prompt, wanted):
    assert wanted in (judge_prompt_problem(prompt, mode="pairwise") or "")


def test_a_prompt_with_both_is_in_order():
    assert judge_prompt_problem("$prompt $first $second $delimiter", mode="pairwise") is None
