import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import all_tables, probabilities

from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import mcnemar_exact, mcnemar_midp
from harness.stats.planning import (
    connor_sample_size,
    design_effect,
    miller_sample_size,
    noninferiority_sample_size,
    normal_detectable_effect,
    resolution,
    retrodesign,
)
from harness.stats.power import critical_count, mcnemar_power, minimum_detectable_effect, sample_size

PLAN = {"gain_rate": 0.0617126874, "loss_rate": 0.031712713, "alpha": 0.05}
TESTS = {"exact": mcnemar_exact, "midp": mcnemar_midp}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("gain_rate", "loss_rate"), [(0.1, 0.1), (0.25, 0.05), (0.5, 0.5), (0.3, 0.0)])
def test_power_is_the_probability_of_the_tables_that_reject(test, gain_rate, loss_rate):
    n_cases, tables = 30, all_tables(30)
    rejects = np.array([TESTS[test](gain=g, loss=c).pvalue <= 0.05 for g, c in tables])

    by_table = probabilities(tables, n_cases, gain_rate, loss_rate)[rejects].sum()
    found = mcnemar_power(n_cases=n_cases, gain_rate=gain_rate, loss_rate=loss_rate, alpha=0.05, test=test)
    assert found == pytest.approx(by_table, abs=1e-12)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.2])
def test_the_critical_count_is_the_last_one_that_rejects(test, alpha):
    totals = np.arange(400)
    critical = critical_count(totals, alpha=alpha, test=test)
    for total, smaller in zip(totals.tolist(), critical.tolist(), strict=True):
        if smaller >= 0:
            assert TESTS[test](gain=smaller, loss=total - smaller).pvalue <= alpha
        if 2 * (smaller + 1) <= total:
            assert TESTS[test](gain=smaller + 1, loss=total - smaller - 1).pvalue > alpha


@given(n_cases=st.integers(1, 3000), discordance=st.floats(0.001, 1))
@settings(max_examples=60, deadline=None)
def test_the_exact_test_never_exceeds_its_level(n_cases, discordance):
    half = discordance / 2
    size = mcnemar_power(n_cases=n_cases, gain_rate=half, loss_rate=half, alpha=0.05, test="exact")

    assert size <= 0.05


@given(n_cases=st.integers(1, 3000), discordance=st.floats(0.001, 0.6))
@settings(max_examples=60, deadline=None)
def test_the_midp_test_holds_its_level_up_to_sixty_percent_discordance(n_cases, discordance):
    half = discordance / 2
    size = mcnemar_power(n_cases=n_cases, gain_rate=half, loss_rate=half, alpha=0.05, test="midp")

    assert size <= 0.0505


def test_the_midp_test_exceeds_its_level_only_when_nearly_every_case_is_discordant():
    def largest_size(discordance):
        half = discordance / 2
        return max(
            mcnemar_power(n_cases=n, gain_rate=half, loss_rate=half, alpha=0.05, test="midp")
            for n in range(5, 300)
        )

    assert largest_size(0.8) < 0.051
    assert largest_size(0.9) < 0.054
    assert largest_size(1.0) == pytest.approx(0.0768, abs=1e-4)


@pytest.mark.parametrize(("test", "n_cases"), [("exact", 862), ("midp", 802)])
def test_the_sample_size_is_the_first_from_which_power_stays_up(test, n_cases):
    found = sample_size(**PLAN, power=0.8, test=test)

    assert found.n_cases == n_cases
    after = [mcnemar_power(**PLAN, n_cases=n, test=test) for n in range(n_cases, n_cases + 60)]
    assert min(after) >= 0.8 > mcnemar_power(**PLAN, n_cases=n_cases - 1, test=test)
    assert found.power == after[0]


def test_where_power_rises_in_steps_the_last_step_below_decides():
    plan = {"gain_rate": 0.55, "loss_rate": 0.45, "alpha": 0.05}
    found = sample_size(**plan, power=0.8, test="exact")
    enough = [n for n in range(700, 900) if mcnemar_power(**plan, n_cases=n, test="exact") >= 0.8]

    assert enough[0] < found.n_cases == 820
    assert set(range(820, 900)) <= set(enough)
    assert 819 not in enough


def test_a_few_strong_gains_need_only_a_few_cases():
    found = sample_size(gain_rate=0.9, loss_rate=0.0, alpha=0.05, power=0.8, test="exact")

    assert found.n_cases == 7


def test_a_tiny_difference_is_planned_without_a_search_through_every_number():
    found = sample_size(gain_rate=0.052, loss_rate=0.05, alpha=0.05, power=0.8, test="midp")
    guess = connor_sample_size(gain_rate=0.052, loss_rate=0.05, alpha=0.05, power=0.8)

    assert found.n_cases == pytest.approx(guess, rel=0.01)


def test_equal_rates_and_hopeless_differences_have_no_sample_size():
    equal = sample_size(gain_rate=0.1, loss_rate=0.1, alpha=0.05, power=0.8, test="midp")
    tiny = sample_size(gain_rate=0.10001, loss_rate=0.1, alpha=0.05, power=0.8, test="midp")

    assert isinstance(equal, NotEstimable)
    assert isinstance(tiny, NotEstimable)


@pytest.mark.parametrize(("discordance", "points"), [(0.10, 9.1), (0.20, 13.3)])
def test_eighty_cases_detect_only_disasters(discordance, points):
    found = minimum_detectable_effect(n_cases=80, discordance=discordance, alpha=0.05, power=0.8, test="midp")

    assert round(100 * found.difference, 1) == points
    assert found.power == pytest.approx(0.8, abs=1e-9)


def test_too_few_discordant_cases_detect_nothing_and_the_reason_says_so():
    found = minimum_detectable_effect(n_cases=40, discordance=0.1, alpha=0.05, power=0.8, test="exact")

    assert isinstance(found, NotEstimable)
    assert "40 cases" in found.reason
    assert "even gains alone" in found.reason


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_cases": 0}, "n_cases must"),
        ({"n_cases": True}, "n_cases must"),
        ({"gain_rate": -0.1}, "gain_rate must"),
        ({"loss_rate": math.nan}, "loss_rate must"),
        ({"gain_rate": 0.9, "loss_rate": 0.2}, "must not exceed 1"),
        ({"alpha": 0}, "alpha must"),
        ({"test": "chi-square"}, "'exact' or 'midp'"),
    ],
)
def test_a_plan_out_of_range_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        mcnemar_power(**{**PLAN, "n_cases": 100, "test": "exact"} | changed)


def test_the_normal_table_of_detectable_points_is_the_printed_one():
    points = [
        round(100 * normal_detectable_effect(n_cases=n, variance=0.0918, alpha=0.05, power=0.8), 1)
        for n in (200, 400, 800, 1200, 2000, 5000)
    ]

    assert points == [6.0, 4.2, 3.0, 2.5, 1.9, 1.2]


def test_repeats_save_cases_only_as_far_as_they_average_noise():
    plan = {"difference": 0.03, "alpha": 0.05, "power": 0.8}
    noise = {"variance_between": 0.02, "variance_baseline": 0.1, "variance_candidate": 0.1}
    n1, n5, nmany = (miller_sample_size(**plan, **noise, n_repeats=k) for k in (1, 5, 10**9))

    assert n1 / n5 == pytest.approx((0.02 + 0.2) / (0.02 + 0.04))
    assert nmany == pytest.approx(n1 * 0.02 / 0.22)


def test_noninferiority_within_three_points_at_ten_percent_discordance_takes_687_cases():
    n = noninferiority_sample_size(discordance=0.1, margin=0.03, alpha=0.05, power=0.8)

    assert math.ceil(n) == 687


def test_clusters_of_one_have_no_design_effect_and_equal_ones_the_textbook_one():
    assert design_effect(cluster_sizes=[1] * 30, intracluster_correlation=0.4) == 1.0
    assert design_effect(cluster_sizes=[5] * 30, intracluster_correlation=0.4) == pytest.approx(2.6)


def test_unequal_clusters_cost_more_than_equal_ones_of_the_same_mean():
    equal = design_effect(cluster_sizes=[5, 5, 5, 5], intracluster_correlation=0.2)

    assert design_effect(cluster_sizes=[1, 1, 1, 17], intracluster_correlation=0.2) > equal


@pytest.mark.parametrize("sizes", [[], [0, 3], [2.5], [True], [[1, 2]]])
def test_cluster_sizes_that_are_none_are_refused(sizes):
    with pytest.raises(ValueError, match="cluster_sizes"):
        design_effect(cluster_sizes=sizes, intracluster_correlation=0.2)


@given(effect=st.floats(0.01, 20), error=st.floats(0.1, 5))
def test_significance_always_exaggerates_and_is_rarely_of_the_wrong_sign(effect, error):
    found = retrodesign(true_effect=effect, standard_error=error, alpha=0.05)

    assert 0.05 <= found.power <= 1
    assert 0 <= found.type_s <= 0.5
    assert found.exaggeration >= 1 - 1e-9


def test_a_run_of_two_hundred_overstates_a_true_gain_of_three_points_by_eighty_five_percent():
    found = retrodesign(true_effect=0.03, standard_error=math.sqrt(0.0925 / 200), alpha=0.05)

    assert round(found.power, 2) == 0.29
    assert round(found.exaggeration, 2) == 1.85


def test_a_run_twice_as_precise_as_needed_had_four_times_the_cases():
    found = resolution(n_cases=400, standard_error=0.01, margin=2 * 0.028015852, alpha=0.05, power=0.8)

    assert found.minimum_detectable_effect == pytest.approx(0.028015852)
    assert found.share_of_cases_needed == pytest.approx(4.0)
    assert found.n_cases_needed in (100, 101)


def test_a_run_without_spread_has_no_resolution():
    found = resolution(n_cases=400, standard_error=0.0, margin=0.02, alpha=0.05, power=0.8)

    assert isinstance(found, NotEstimable)


@pytest.mark.parametrize(
    "call",
    [
        lambda: connor_sample_size(gain_rate=0.1, loss_rate=0.1, alpha=0.05, power=0.8),
        lambda: connor_sample_size(gain_rate=0.7, loss_rate=0.4, alpha=0.05, power=0.8),
        lambda: normal_detectable_effect(n_cases=10, variance=-1, alpha=0.05, power=0.8),
        lambda: retrodesign(true_effect=0, standard_error=1, alpha=0.05),
        lambda: retrodesign(true_effect=1, standard_error=0, alpha=0.05),
        lambda: resolution(n_cases=10, standard_error=0.1, margin=0, alpha=0.05, power=0.8),
        lambda: noninferiority_sample_size(discordance=0, margin=0.1, alpha=0.05, power=0.8),
        lambda: design_effect(cluster_sizes=[2], intracluster_correlation=1.5),
    ],
)
def test_a_formula_out_of_its_range_is_refused(call):
    with pytest.raises(ValueError, match="must"):
        call()
