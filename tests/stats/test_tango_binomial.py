"""Tango's interval with exact binomial limits where a cell is empty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from harness.stats.paired_difference import tango_interval, tango_noninferiority
from harness.stats.tango_binomial import tango_binomial_interval, tango_binomial_noninferiority
from tests.stats.tables import all_tables, probabilities

TABLES = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 200)).filter(lambda t: sum(t) > 0)


def interval_of(gain, loss, n_cases, level=0.95):
    return tango_binomial_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=level)


@pytest.mark.parametrize(("gain", "loss", "n_cases"), [(7, 3, 50), (1, 1, 20), (60, 40, 200)])
def test_without_an_empty_cell_it_is_tangos(gain, loss, n_cases):
    tango = tango_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=0.95)

    assert interval_of(gain, loss, n_cases) == tango


def test_with_gains_alone_it_reaches_as_far_as_scipys_exact_limits():
    exact = binomtest(12, 60).proportion_ci(confidence_level=0.95, method="exact")
    found = interval_of(12, 0, 60)

    assert found.low <= exact.low
    assert found.high == pytest.approx(exact.high, abs=1e-12)
    assert found.method == "tango_binomial"


def test_where_every_case_changes_it_is_that_of_a_share_of_gains():
    exact = binomtest(32, 50).proportion_ci(confidence_level=0.95, method="exact")

    # Tango's leaves 0 out here, which 6.5% of fair coins do.
    assert tango_interval(gain=32, loss=18, n_cases=50, confidence_level=0.95).low > 0
    assert interval_of(32, 18, 50).low == pytest.approx(2 * exact.low - 1, abs=1e-12)
    assert interval_of(32, 18, 50).low < 0


@given(table=TABLES)
@settings(max_examples=80, deadline=None)
def test_it_holds_tangos_and_swapping_the_arms_mirrors_it_to_the_last_bit(table):
    gain, loss, rest = table
    n_cases = gain + loss + rest
    found, swapped = interval_of(gain, loss, n_cases), interval_of(loss, gain, n_cases)
    tango = tango_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=0.95)

    assert (found.low, found.high) == (-swapped.high, -swapped.low)
    assert -1 <= found.low <= tango.low
    assert tango.high <= found.high <= 1


@given(table=TABLES, margin=st.sampled_from([0.01, 0.052, 0.2]))
@settings(max_examples=80, deadline=None)
def test_the_test_claims_what_the_interval_of_twice_the_level_rules_out(table, margin):
    gain, loss, rest = table
    n_cases = gain + loss + rest
    test = tango_binomial_noninferiority(gain=gain, loss=loss, n_cases=n_cases, margin=margin)

    assert (test.pvalue < 0.05) == (interval_of(gain, loss, n_cases, 0.9).low > -margin)


@pytest.mark.parametrize("margin", [0.0514, 0.06])
def test_fifty_cases_that_can_only_be_lost_pass_at_the_margin_itself_no_more_often_than_said(margin):
    tables = all_tables(50)
    weights = probabilities(tables, 50, 0.0, margin)

    def false_claims(test):
        claims = [test(gain=g, loss=s, n_cases=50, margin=margin).pvalue < 0.05 for g, s in tables]
        return float(weights @ np.array(claims))

    assert false_claims(tango_binomial_noninferiority) <= 0.05
    if margin == 0.0514:
        assert round(false_claims(tango_noninferiority), 3) == 0.071


@pytest.mark.parametrize("n_gained", [4.0, 5.5, 9.5])
def test_with_gains_alone_it_holds_the_truth_as_often_as_it_says(n_gained):
    gains, n_cases = range(60), 132
    weights = probabilities([(gain, 0) for gain in gains], n_cases, n_gained / n_cases, 0.0)

    def coverage(method):
        limits = [method(gain=g, loss=0, n_cases=n_cases, confidence_level=0.95) for g in gains]
        return float(weights @ np.array([each.low <= n_gained / n_cases <= each.high for each in limits]))

    assert coverage(tango_binomial_interval) >= 0.95
    if n_gained == 5.5:
        assert round(coverage(tango_interval), 3) == 0.926
