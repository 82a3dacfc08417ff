"""Calls and cost before anything is sent."""

import pytest
from project import CASES, EXPERIMENT, PROMPT, Project

from harness.inputs.spend import estimate_spend
from harness.runner.requests import n_calls_planned

PRICED = 'backend = "chat"\nbase_url = "http://localhost:1/v1"\nprice = { prompt = 2, completion = 10 }\n'


def test_calls_are_counted_by_endpoint_and_as_the_runner_makes_them(project: Project) -> None:
    project.replace("experiment.toml", "votes = 1", "votes = 3")
    plan = project.load()

    spend = estimate_spend(plan)

    # 3 cases x 3 answers an arm; (2 judged cases x 2 arms x 3 answers + 1 canary + 1 anchor) x 3 votes.
    assert {found.endpoint: found.n_calls for found in spend.endpoints} == {
        "baseline": 9,
        "candidate": 9,
        "judge": 42,
    }
    assert spend.n_calls == n_calls_planned(plan).total == 60


def test_a_recorded_run_costs_nothing(project: Project) -> None:
    spend = estimate_spend(project.load())

    assert (spend.cost_at_least, spend.currency) == (0.0, "USD")
    assert "characters / 4" in spend.method


def test_prompt_tokens_are_a_fourth_of_the_characters(project: Project) -> None:
    n_chars = 3 * sum(len(str(row["prompt"])) for row in CASES)

    baseline = estimate_spend(project.load()).endpoints[0]

    assert baseline.prompt_tokens_at_least == -(-n_chars // 4)


def test_a_price_and_a_token_limit_bound_the_cost_on_both_sides(project: Project) -> None:
    project.write(
        "experiment.toml",
        EXPERIMENT.replace('backend = "recorded"\n', PRICED + "sampling = { max_tokens = 100 }\n", 1),
    )

    found = estimate_spend(project.load()).endpoints[0]

    assert found.completion_tokens_at_most == 900
    assert found.cost_at_least == pytest.approx(found.prompt_tokens_at_least * 2 / 1e6)
    assert found.cost_at_most == pytest.approx((found.prompt_tokens_at_least * 2 + 900 * 10) / 1e6)


def test_without_a_limit_there_is_no_upper_bound(project: Project) -> None:
    project.write("experiment.toml", EXPERIMENT.replace('backend = "recorded"\n', PRICED, 1))

    spend = estimate_spend(project.load())

    assert spend.endpoints[0].cost_at_least is not None
    assert (spend.endpoints[0].cost_at_most, spend.cost_at_most) == (None, None)


def test_without_a_price_there_is_no_cost(project: Project) -> None:
    unpriced = PRICED.replace("price = { prompt = 2, completion = 10 }\n", "")
    project.write("experiment.toml", EXPERIMENT.replace('backend = "recorded"\n', unpriced, 1))

    spend = estimate_spend(project.load())

    assert (spend.cost_at_least, spend.cost_at_most) == (None, None)


def test_a_vote_shows_an_answer_of_at_most_the_arm_s_limit(project: Project) -> None:
    limited = 'backend = "recorded"\nsampling = { max_completion_tokens = 50 }\n'
    project.write("experiment.toml", EXPERIMENT.replace('backend = "recorded"\n', limited, 2))

    judge = estimate_spend(project.load()).endpoints[2]

    # 2 judged cases x 3 answers x 2 arms, 50 tokens each.
    assert judge.prompt_tokens_at_most == judge.prompt_tokens_at_least + 600
    assert judge.prompt_tokens_at_least * 4 >= len(PROMPT) * judge.n_calls
