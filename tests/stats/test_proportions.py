import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.binomial import likely_counts, lower_tail, point_probability, upper_tail
from harness.stats.estimability import NotEstimable
from harness.stats.proportions import (
    clopper_pearson_interval,
    jeffreys_interval,
    newcombe_independent_interval,
    unpaired_difference,
    wilson_interval,
)

SHARES = [wilson_interval, clopper_pearson_interval, jeffreys_interval]


@pytest.mark.parametrize("method", SHARES)
@given(n_cases=st.integers(1, 5000), share=st.floats(0, 1), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_limits_of_a_share_stay_within_zero_and_one_and_around_it(method, n_cases, share, level):
    count = round(share * n_cases)
    interval = method(count=count, n_cases=n_cases, confidence_level=level)

    assert 0 <= interval.low <= count / n_cases <= interval.high <= 1
    assert interval.low < interval.high


@pytest.mark.parametrize("method", SHARES)
def test_counting_failures_mirrors_the_limits(method):
    passes = method(count=15, n_cases=148, confidence_level=0.95)
    fails = method(count=133, n_cases=148, confidence_level=0.95)

    assert passes.low == pytest.approx(1 - fails.high, abs=1e-12)


def test_clopper_pearson_never_covers_less_than_it_says():
    n_cases = 30
    intervals = [clopper_pearson_interval(count=x, n_cases=n_cases, confidence_level=0.95) for x in range(31)]
    low, high = np.array([interval[:2] for interval in intervals]).T
    for share in np.linspace(0.01, 0.99, 99):
        chances = point_probability(np.arange(31), n_cases, share)
        assert chances[(low <= share) & (share <= high)].sum() >= 0.95


def test_the_unpaired_interval_reproduces_newcombes_table():
    # Newcombe (1998) 17, 873-890, table II, method 10: 56/70 against 48/80, and 9/10 against 3/10.
    interval = newcombe_independent_interval(
        baseline_passes=48, baseline_cases=80, candidate_passes=56, candidate_cases=70, confidence_level=0.95
    )
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.0524, 0.3339)
    interval = newcombe_independent_interval(
        baseline_passes=3, baseline_cases=10, candidate_passes=9, candidate_cases=10, confidence_level=0.95
    )
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.1705, 0.8090)


def test_without_pairs_the_same_rates_say_far_less():
    found = unpaired_difference(
        baseline_passes=360, baseline_cases=500, candidate_passes=375, candidate_cases=500
    )

    assert round(found.pvalue, 2) == 0.28
    assert found.difference == pytest.approx(0.03)


def test_rates_without_any_spread_have_no_unpaired_test_but_an_interval():
    same = {"baseline_passes": 50, "baseline_cases": 50, "candidate_passes": 20, "candidate_cases": 20}

    assert isinstance(unpaired_difference(**same), NotEstimable)
    interval = newcombe_independent_interval(**same, confidence_level=0.95)
    assert interval.low < 0 < interval.high


@pytest.mark.parametrize("method", SHARES)
@pytest.mark.parametrize(
    ("count", "n_cases", "message"),
    [
        (True, 10, "count must"),
        (-1, 10, "count must"),
        (1.5, 10, "count must"),
        (math.nan, 10, "count must"),
        (0, 0, "n_cases must"),
        (11, 10, "count = 11 must not exceed n_cases = 10"),
    ],
)
def test_what_is_no_share_is_refused_by_name(method, count, n_cases, message):
    with pytest.raises(ValueError, match=message):
        method(count=count, n_cases=n_cases, confidence_level=0.95)


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1))
def test_binomial_tails_add_up_to_their_points(count, n_trials, probability):
    points = point_probability(np.arange(n_trials + 1), n_trials, probability)

    assert lower_tail(count, n_trials, probability) == pytest.approx(points[: count + 1].sum(), abs=1e-12)
    assert upper_tail(count, n_trials, probability) == pytest.approx(points[count:].sum(), abs=1e-12)


@pytest.mark.parametrize(("n_trials", "share"), [(5, 0.5), (1000, 0.001), (100_000, 0.3), (1000, 0.0)])
def test_likely_counts_leave_out_next_to_nothing(n_trials, share):
    kept = likely_counts(n_trials, share, share)

    assert lower_tail(kept[0] - 1, n_trials, share) + upper_tail(kept[-1] + 1, n_trials, share) < 1e-15
