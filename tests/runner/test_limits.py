"""When a run stops asking."""

import pytest

from harness.domain.calls import Failure
from harness.domain.specs import Budget
from harness.runner.limits import endpoint_problem, spent
from harness.runner.waiting import waiting_for


def problem(kind, *, in_a_row, answered):
    failure = Failure(kind=kind, detail=f"it said {kind}")
    return endpoint_problem(failure, n_in_a_row=in_a_row, n_answered=answered)


@pytest.mark.parametrize("kind", ["wrong_key", "no_quota", "not_found", "redirect", "certificate"])
def test_an_endpoint_that_cannot_answer_is_given_up_at_the_first_call(kind):
    assert problem(kind, in_a_row=1, answered=1000) == f"it said {kind}"


@pytest.mark.parametrize("kind", ["bad_request", "forbidden", "timeout", "connection", "rate_limit"])
def test_a_failure_that_may_be_one_calls_own_does_not_end_the_run(kind):
    assert problem(kind, in_a_row=1, answered=0) is None
    assert problem(kind, in_a_row=20, answered=1) is None


def test_an_endpoint_that_never_answered_is_given_up_after_a_few_calls():
    assert problem("bad_request", in_a_row=4, answered=0) is None
    assert problem("bad_request", in_a_row=5, answered=0) == (
        "5 calls in a row failed, the last one with bad_request: it said bad_request"
    )


def test_an_endpoint_that_went_away_is_given_up_in_the_end():
    assert problem("connection", in_a_row=49, answered=9) is None
    assert problem("connection", in_a_row=50, answered=9) is not None


def test_a_budget_without_limits_is_never_spent():
    assert spent(Budget(), n_calls=10**9, cost=1e9) is None


def test_a_budget_is_spent_at_its_limit():
    assert spent(Budget(calls=10), n_calls=9, cost=0.0) is None
    assert spent(Budget(calls=10), n_calls=10, cost=0.0) == "budget: 10 calls are made"
    assert spent(Budget(cost=1.5), n_calls=10, cost=1.49) is None
    assert spent(Budget(cost=1.5, currency="EUR"), n_calls=10, cost=1.5) == "budget: 1.5 EUR are spent"


def test_at_zero_percent_a_line_says_what_is_waited_for():
    busy = {"baseline": 3, "candidate": 0, "judge": 1}

    assert waiting_for(busy, n_done=0, quiet_s=4.2) == (
        "the first response of baseline (3 in flight), judge (1 in flight), for 4 s"
    )
    assert waiting_for({"baseline": 0}, n_done=0, quiet_s=0.0) == "the first call to be made, for 0 s"


def test_a_run_that_moves_waits_for_nothing_and_one_that_stands_says_so():
    assert waiting_for({"judge": 1}, n_done=5, quiet_s=9.9) is None
    assert (
        waiting_for({"judge": 1}, n_done=5, quiet_s=61.0)
        == "another response of judge (1 in flight), for 61 s"
    )
