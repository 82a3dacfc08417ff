"""The weighted mean difference, its error and its interval."""

import math

import numpy as np
import pytest

from harness.stats.estimability import NotEstimable
from harness.stats.means import paired_mean, paired_mean_plus_two
from harness.stats.weighted_mean import weighted_mean

ENDS = (-1.0, 1.0)


def fit(differences, weights, *, clusters=None, support=ENDS):
    return weighted_mean(
        differences=differences, weights=weights, clusters=clusters, confidence_level=0.95, support=support
    )


def by_matrix(values, weights):
    """HC2 and Satterthwaite degrees of freedom for variances of w^2, written out as matrices."""
    w, n = np.array(weights, dtype=float), float(np.sum(weights))
    residual = w * (np.array(values) - np.array(values) @ w / n)
    raised = np.diag(1 / np.sqrt(1 - w / n))
    # Residuals w_g d_g - w_g mean, as a linear map of independent sums with variance w^2.
    maker = np.eye(w.size) - np.outer(w, np.ones(w.size)) / n
    covariance = raised @ maker @ np.diag(w**2) @ maker.T @ raised
    error = math.sqrt(float(np.sum((raised @ residual) ** 2))) / n
    return error, np.trace(covariance) ** 2 / np.sum(covariance**2)


def test_error_and_degrees_of_freedom_are_those_of_the_matrices():
    values, weights = [1, 0, 0, -1, 1, 0, 0.5], [1, 4, 2, 2, 9, 1, 1]
    found = fit(values, weights, support=None)
    error, df = by_matrix(values, weights)

    assert found.difference == pytest.approx(np.average(values, weights=weights))
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    assert found.df == pytest.approx(df, rel=1e-9)


@pytest.mark.parametrize("weight", [1.0, 7.0])
def test_equal_weights_are_the_paired_t_test_and_the_plus_two_interval(weight):
    values = [1, 0, 0, -1, 1, 1, 0, 0, 1]
    plain = paired_mean(differences=values, confidence_level=0.95)
    plus_two = paired_mean_plus_two(differences=values, confidence_level=0.95, support=ENDS)
    bare, widened = fit(values, [weight] * 9, support=None), fit(values, [weight] * 9)

    assert bare.interval[:2] == pytest.approx(plain.interval[:2], rel=1e-12)
    assert (bare.standard_error, bare.df) == pytest.approx((plain.standard_error, 8.0), rel=1e-12)
    assert widened.interval[:2] == pytest.approx(plus_two[:2], rel=1e-12)


def test_four_heavy_cases_are_worth_about_four_degrees_of_freedom():
    assert 3 < fit([1, 0] * 10, [10] * 4 + [0.01] * 16, support=None).df < 5


def test_neither_the_order_of_the_cases_nor_the_unit_of_the_weights_changes_a_bit():
    rng = np.random.default_rng(3)
    values, weights = rng.choice([-1, 0, 0.2, 1], 40), rng.choice([1.0, 3.0, 0.7], 40)
    clusters = rng.integers(0, 12, 40)
    turned = rng.permutation(40)

    assert fit(values, weights, clusters=clusters) == fit(
        values[turned], 4 * weights[turned], clusters=clusters[turned]
    )


def test_cases_that_all_agree_keep_a_width():
    found = fit([0] * 30, [1, 2] * 15)

    assert found.interval.low < 0 < found.interval.high
    assert isinstance(fit([0] * 30, [1, 2] * 15, support=None), NotEstimable)


def test_a_cluster_is_one_unit_and_a_case_of_no_weight_is_none():
    together = fit([1, 1, 0, 0, -1, 0], [1, 2, 1, 1, 1, 0], clusters=[0, 0, 1, 2, 3, 4])

    assert (together.n_units, together.n_informative) == (4, 2)
    assert isinstance(fit([1, 0], [1, 0]), NotEstimable)


@pytest.mark.parametrize(
    ("values", "weights", "message"),
    [
        ([], [], "differences"),
        ([1, 0], [1], "differ"),
        ([1, math.nan], [1, 1], "differences"),
        ([1, 0], [1, -1], "negative"),
        ([1, 0], [1, math.inf], "weights"),
    ],
)
def test_bad_input_is_refused_by_name(values, weights, message):
    with pytest.raises(ValueError, match=message):
        fit(values, weights)


def test_rare_changes_of_a_heavy_fifth_are_held_as_often_as_said():
    rng = np.random.default_rng(4)
    weights = np.repeat([1.0, 50.0], [40, 10])
    rates = np.repeat([0.0, 0.1], [40, 10])
    truth, held = float(np.average(rates, weights=weights)), 0
    for _ in range(400):
        interval = fit((rng.random(50) < rates).astype(float), weights).interval
        held += interval.low <= truth <= interval.high

    assert held / 400 > 0.93
