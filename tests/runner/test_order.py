"""Calls go out in a seeded order that lets drift in time reach both arms alike."""

from collections import Counter
from itertools import pairwise

import pytest
from runs import a_plan

from harness.domain.order import interleaved, rounds, seeded_order
from harness.runner.requests import answers_in_call_order
from harness.runner.spread import n_due

IDS = [f"c{n}" for n in range(50)]
CASES = a_plan(cases=50).cases


def test_the_order_follows_from_the_seed_and_the_purpose():
    order = seeded_order(IDS, seed=1, purpose="answers 0")

    assert order == seeded_order(IDS, seed=1, purpose="answers 0")
    assert sorted(order) == list(range(50))
    assert order != seeded_order(IDS, seed=2, purpose="answers 0")
    assert order != seeded_order(IDS, seed=1, purpose="answers 1")


def test_the_order_is_the_same_on_every_machine():
    # By hand: printf '7\\np\\n%s' a | sha256sum, and so on.
    assert seeded_order(["a", "b", "c", "d", "e"], seed=7, purpose="p") == [3, 4, 0, 2, 1]


def test_an_added_case_does_not_move_the_others():
    more = [*IDS, "new"]
    longer = [more[index] for index in seeded_order(more, seed=1, purpose="p")]

    assert [name for name in longer if name != "new"] == [
        IDS[index] for index in seeded_order(IDS, seed=1, purpose="p")
    ]


def test_both_arms_of_a_case_are_asked_side_by_side():
    asked = list(interleaved(CASES, repeats=3, seed=1))
    pairs = list(zip(asked[::2], asked[1::2], strict=True))

    assert all(first[0] is second[0] and first[2] == second[2] for first, second in pairs)
    assert all({first[1], second[1]} == {"baseline", "candidate"} for first, second in pairs)
    assert Counter(first[1] for first, _ in pairs) == {"baseline": 75, "candidate": 75}


def test_a_repeat_begins_when_every_case_was_asked_in_the_one_before():
    repeats = [repeat for _, _, repeat in interleaved(CASES, repeats=3, seed=1)]

    assert repeats == sorted(repeats)
    assert Counter(repeats) == {0: 100, 1: 100, 2: 100}


def test_each_round_has_its_own_order():
    asked = [case.id for case, arm, _ in interleaved(CASES, repeats=2, seed=1) if arm == "baseline"]

    assert asked[:50] != asked[50:]
    assert list(rounds(IDS, repeats=2, seed=1, purpose="p"))[:50] != [(n, 0) for n in range(50)]


@pytest.mark.parametrize(("n_spread", "n_total"), [(3, 10), (10, 10), (25, 10), (0, 10), (4, 0)])
def test_spread_calls_are_even_and_complete(n_spread, n_total):
    due = [n_due(n_spread=n_spread, n_passed=passed, n_total=n_total) for passed in range(n_total + 1)]
    steps = [after - before for before, after in pairwise(due)]

    assert due[-1] == n_spread
    assert not steps or max(steps) - min(steps) <= 1


def test_the_plan_orders_its_answers_by_its_seed():
    orders = [[request.name for request in answers_in_call_order(a_plan(seed=seed))] for seed in (1, 1, 2)]

    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])
