import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.looks import group_sequential_constants, peeking_size
from harness.stats.multiplicity import (
    benjamini_hochberg,
    benjamini_yekutieli,
    graphical_procedure,
    holm,
)

ADJUSTMENTS = [holm, benjamini_hochberg, benjamini_yekutieli]
pvalue_lists = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
@given(pvalues=pvalue_lists, seed=st.integers(0, 100))
def test_adjusted_pvalues_follow_their_tests_whatever_the_order(adjust, pvalues, seed):
    order = np.random.default_rng(seed).permutation(len(pvalues))
    adjusted = adjust(pvalues)

    assert np.all(adjusted >= np.array(pvalues) - 1e-15)
    assert np.all(adjusted <= 1)
    assert np.array_equal(adjust(np.array(pvalues)[order]), adjusted[order])


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_no_test_at_all_needs_no_adjustment(adjust):
    assert adjust([]).shape == (0,)


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_one_test_keeps_its_pvalue(adjust):
    assert adjust([0.031]).tolist() == [0.031]


def test_the_published_family_of_fifteen_has_four_discoveries():
    pvalues = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
    ]

    assert np.sum(benjamini_hochberg(pvalues) <= 0.05) == 4
    assert np.sum(holm(pvalues) <= 0.05) == 3


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
@pytest.mark.parametrize("bad", [[0.1, math.nan], [-0.1], [1.1], [[0.1]], ["0.1"], [True]])
def test_what_is_no_pvalue_is_refused(adjust, bad):
    with pytest.raises(ValueError, match="pvalues must"):
        adjust(bad)


def test_holm_holds_the_chance_of_any_false_rejection():
    rng = np.random.default_rng(20)
    false_rejections = [np.any(holm(rng.uniform(size=8)) <= 0.05) for _ in range(4000)]

    # Three standard errors above .05 are .060.
    assert np.mean(false_rejections) < 0.060


@given(pvalue_lists)
def test_a_graph_of_equal_shares_that_hand_on_equally_is_holm(pvalues):
    n = len(pvalues)
    share = 1 / max(1, n - 1)
    transitions = [[0.0 if i == j else share for j in range(n)] for i in range(n)]
    found = graphical_procedure(pvalues=pvalues, weights=[1 / n] * n, transitions=transitions, alpha=0.05)

    assert found.adjusted == pytest.approx(holm(pvalues), abs=1e-9)


def test_what_nobody_hands_a_level_to_is_never_rejected():
    found = graphical_procedure(
        pvalues=[0.001, 0.0], weights=[1, 0], transitions=[[0, 0], [0, 0]], alpha=0.05
    )

    assert found.rejected.tolist() == [True, False]
    assert found.adjusted.tolist() == [0.001, 1.0]


def test_two_tests_that_only_feed_each_other_leave_nothing_for_a_third():
    found = graphical_procedure(
        pvalues=[0.01, 0.02, 0.0],
        weights=[0.5, 0.5, 0],
        transitions=[[0, 1, 0], [1, 0, 0], [0.5, 0.5, 0]],
        alpha=0.05,
    )

    assert found.adjusted.tolist() == [0.02, 0.02, 1.0]


@pytest.mark.parametrize(
    ("weights", "transitions"),
    [
        ([0.7, 0.7], [[0, 1], [1, 0]]),
        ([0.5], [[0, 1], [1, 0]]),
        ([0.5, 0.5], [[0.5, 0.5], [1, 0]]),
        ([0.5, 0.5], [[0, 1.5], [1, 0]]),
        ([0.5, math.nan], [[0, 1], [1, 0]]),
    ],
)
def test_a_graph_that_spends_more_than_its_level_is_refused(weights, transitions):
    with pytest.raises(ValueError, match=r"weights|diagonal"):
        graphical_procedure(pvalues=[0.1, 0.2], weights=weights, transitions=transitions, alpha=0.05)


def test_one_look_is_an_ordinary_test():
    assert peeking_size(n_looks=1, alpha_each=0.05) == pytest.approx(0.05, abs=1e-12)
    assert group_sequential_constants(n_looks=1, alpha=0.05) == pytest.approx((1.959964, 1.959964), abs=1e-6)


@pytest.mark.parametrize(("n_looks", "size"), [(2, 0.083), (3, 0.107), (4, 0.126), (5, 0.142), (10, 0.193)])
def test_every_look_at_five_percent_adds_false_alarms(n_looks, size):
    assert peeking_size(n_looks=n_looks, alpha_each=0.05) == pytest.approx(size, abs=0.0006)


@pytest.mark.parametrize(("n_looks", "constant"), [(2, 1.977), (3, 2.004), (4, 2.024), (5, 2.040)])
def test_obrien_fleming_bounds_are_the_tabulated_ones(n_looks, constant):
    found = group_sequential_constants(n_looks=n_looks, alpha=0.05)

    assert found.obrien_fleming == pytest.approx(constant, abs=0.0006)


def test_a_hundred_looks_are_still_integrated_and_not_lost():
    rng = np.random.default_rng(7)
    paths = np.cumsum(rng.normal(size=(20_000, 100)), axis=1) / np.sqrt(np.arange(1, 101))
    simulated = np.mean(np.any(np.abs(paths) > 1.959964, axis=1))

    assert peeking_size(n_looks=100, alpha_each=0.05) == pytest.approx(simulated, abs=0.011)


@pytest.mark.parametrize("n_looks", [0, -1, 2.0, True])
def test_looks_are_counted(n_looks):
    with pytest.raises(ValueError, match="n_looks must"):
        peeking_size(n_looks=n_looks, alpha_each=0.05)
