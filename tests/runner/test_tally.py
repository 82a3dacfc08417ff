"""Counting while a run goes on."""

import pytest

from harness.domain.calls import Usage
from harness.domain.specs import Price
from harness.runner.tally import Tally

PRICES = {"baseline": Price(prompt=1.0, completion=2.0), "judge": Price(prompt=10.0, completion=0.0)}
USAGE = Usage(prompt_tokens=1_000_000, completion_tokens=500_000)


def progress(tally, n_planned=10, elapsed_s=4.0):
    return tally.progress(phase="cases", n_planned=n_planned, elapsed_s=elapsed_s, waiting_for=None)


def test_the_cost_is_that_of_the_tokens_at_their_prices():
    tally = Tally(PRICES)
    tally.answered("baseline", USAGE)
    tally.answered("judge", USAGE)

    assert progress(tally).cost == pytest.approx(1.0 + 1.0 + 10.0)
    assert progress(tally).prompt_tokens == 2_000_000


def test_what_was_on_disk_costs_nothing_now_and_its_cost_stands_apart():
    tally = Tally(PRICES)
    tally.cached("baseline", USAGE)
    shown = progress(tally)

    assert (shown.cost, shown.reused_cost) == (0.0, pytest.approx(2.0))
    assert (shown.n_calls, shown.n_cached, shown.n_done) == (0, 1, 1)
    assert (shown.prompt_tokens, shown.completion_tokens) == (0, 0)


def test_without_a_price_for_every_endpoint_there_is_no_cost():
    tally = Tally({**PRICES, "candidate": None})
    tally.answered("baseline", USAGE)

    assert progress(tally).cost is None
    assert progress(tally).reused_cost is None


def test_usage_that_a_server_did_not_count_is_unknown_and_not_zero():
    tally = Tally(PRICES)
    tally.answered("baseline", None)

    assert progress(tally).n_usage_unknown == 1


def test_tries_are_counted_by_what_they_ended_in():
    tally = Tally(PRICES)
    for error in ("timeout", None, "rate_limit", "timeout"):
        tally.attempt(error)

    assert progress(tally).errors == (("rate_limit", 1), ("timeout", 2))


def test_the_time_left_is_that_of_the_calls_left_at_the_pace_so_far():
    tally = Tally(PRICES)
    assert progress(tally).eta_s is None
    tally.cached("judge", None)
    tally.answered("judge", None)
    tally.n_failed += 1

    assert progress(tally, n_planned=10, elapsed_s=4.0).eta_s == pytest.approx(7 * 4.0 / 2)


def test_votes_that_turned_out_needless_are_taken_off_the_total():
    tally = Tally(PRICES)
    tally.n_dropped += 4

    assert progress(tally, n_planned=10).n_total == 6


def test_a_plan_of_nothing_has_a_progress():
    assert progress(Tally({}), n_planned=0).n_total == 1
