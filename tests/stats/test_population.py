import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.estimability import NotEstimable
from harness.stats.population import (
    averages,
    break_even_share,
    mix_sensitivity,
    poststratify,
    unpaired_reversal,
)

STRATA = {
    "means": [0.05, -0.1],
    "standard_errors": [0.02, 0.08],
    "dfs": [449, 49],
    "n_cases": [450, 50],
    "target_weights": [0.5, 0.5],
    "confidence_level": 0.95,
}


def test_a_population_with_more_newcomers_reverses_the_gain():
    found = poststratify(**STRATA)

    assert found.unweighted == pytest.approx(0.035)
    assert found.difference == pytest.approx(-0.025)
    assert found.interval.low < found.difference < found.interval.high


def test_a_big_weight_on_a_small_stratum_leaves_few_effective_cases():
    as_they_come = poststratify(**STRATA | {"target_weights": [0.9, 0.1]})
    reweighted = poststratify(**STRATA)

    assert as_they_come.effective_n == pytest.approx(500)
    assert reweighted.effective_n == pytest.approx(180)
    assert reweighted.standard_error > as_they_come.standard_error


def test_weights_need_not_sum_to_one_and_a_stratum_of_weight_zero_needs_no_case():
    found = poststratify(
        **STRATA
        | {
            "means": [0.05, -0.1, 0.0],
            "standard_errors": [0.02, 0.08, 0.0],
            "dfs": [449, 49, 0],
            "n_cases": [450, 50, 0],
            "target_weights": [7, 7, 0],
        }
    )

    assert found.difference == pytest.approx(-0.025)


def test_the_degrees_of_freedom_are_those_of_the_stratum_that_dominates_the_error():
    found = poststratify(**STRATA | {"standard_errors": [1e-9, 0.08]})

    assert found.df == pytest.approx(49)


@pytest.mark.parametrize("changed", [{"n_cases": [450, 1]}, {"dfs": [449, 0]}])
def test_a_stratum_with_weight_but_without_spread_to_judge_is_not_estimable(changed):
    found = poststratify(**STRATA | changed)

    assert isinstance(found, NotEstimable)
    assert "stratum 1" in found.reason


def test_strata_that_agree_throughout_have_no_interval_of_zero_width():
    assert isinstance(poststratify(**STRATA | {"standard_errors": [0, 0]}), NotEstimable)


def test_poststratified_intervals_cover():
    rng = np.random.default_rng(15)
    weights, sizes, means, covered = np.array([0.7, 0.3]), np.array([40, 12]), np.array([0.1, -0.1]), 0
    for _ in range(1000):
        samples = [rng.normal(m, s, n) for m, s, n in zip(means, (0.3, 0.8), sizes, strict=True)]
        found = poststratify(
            means=[sample.mean() for sample in samples],
            standard_errors=[sample.std(ddof=1) / math.sqrt(sample.size) for sample in samples],
            dfs=sizes - 1,
            n_cases=sizes,
            target_weights=weights,
            confidence_level=0.95,
        )
        covered += found.interval.low <= float(weights @ means) <= found.interval.high

    assert covered / 1000 == pytest.approx(0.95, abs=0.021)


def test_the_mix_that_turns_the_sign_is_named():
    found = mix_sensitivity(differences=[0.05, -0.1], weights=[450, 50])

    assert found.difference == pytest.approx(0.035)
    assert (found.opposed, found.flips) == ((1,), True)
    assert found.opposed_share == pytest.approx(0.1)
    assert found.break_even_share == pytest.approx(1 / 3)


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=6), st.lists(st.floats(0.01, 1), min_size=6, max_size=6)
)
def test_at_the_break_even_share_the_mixed_difference_is_zero(differences, weights):
    shares = np.array(weights[: len(differences)])
    found = mix_sensitivity(differences=differences, weights=shares)
    if not found.flips:
        assert found.break_even_share is None
        return
    opposed = np.isin(np.arange(len(differences)), found.opposed)
    values = np.array(differences)
    theirs, ours = (np.average(values[part], weights=shares[part]) for part in (opposed, ~opposed))

    mixed = found.break_even_share * theirs + (1 - found.break_even_share) * ours
    assert mixed == pytest.approx(0.0, abs=1e-9)
    assert 0 <= found.break_even_share <= 1


def test_slices_of_one_sign_leave_nothing_to_the_mix():
    found = mix_sensitivity(differences=[0.05, 0.1, 0.0], weights=[1, 2, 3])

    assert (found.opposed, found.flips, found.break_even_share) == ((), False, None)


def test_two_groups_of_one_sign_have_no_break_even():
    assert isinstance(break_even_share(first=0.1, second=0.2), NotEstimable)
    assert break_even_share(first=0.0, second=0.2) == 1.0


def test_arms_with_different_cases_may_lose_in_every_stratum_and_win_in_total():
    # Charig et al. (1986), kidney stones: small and large, treatment A the baseline.
    found = unpaired_reversal(
        baseline_passes=[81, 192],
        baseline_cases=[87, 263],
        candidate_passes=[234, 55],
        candidate_cases=[270, 80],
    )

    assert found.reversed
    assert found.pooled == pytest.approx(289 / 350 - 273 / 350)
    assert max(found.by_stratum) < 0


def test_the_same_mix_in_both_arms_is_never_reversed():
    found = unpaired_reversal(
        baseline_passes=[5, 40], baseline_cases=[10, 50], candidate_passes=[6, 30], candidate_cases=[10, 50]
    )

    assert not found.reversed


def test_macro_and_micro_averages_are_two_numbers_with_two_names():
    found = averages(means=[0.2, 0.8], n_cases=[90, 10])

    assert found.macro == pytest.approx(0.5)
    assert found.micro == pytest.approx(0.26)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: poststratify(**STRATA | {"target_weights": [0, 0]}), "not all be 0"),
        (lambda: poststratify(**STRATA | {"target_weights": [1, -1]}), "negative"),
        (lambda: poststratify(**STRATA | {"target_weights": [1.0]}), "paired"),
        (lambda: poststratify(**STRATA | {"means": [0.1, math.nan]}), "means"),
        (lambda: poststratify(**STRATA | {"standard_errors": [0.1, -0.1]}), "standard_errors"),
        (lambda: poststratify(**STRATA | {"n_cases": [True, False]}), "n_cases"),
        (lambda: averages(means=[0.1, 0.2], n_cases=[3, 0]), "slice 1 has no case"),
        (lambda: mix_sensitivity(differences=[], weights=[]), "differences"),
        (lambda: break_even_share(first=math.nan, second=0.1), "first must"),
        (
            lambda: unpaired_reversal(
                baseline_passes=[3], baseline_cases=[2], candidate_passes=[1], candidate_cases=[2]
            ),
            "no more passes than cases",
        ),
    ],
)
def test_populations_that_make_no_sense_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
