import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats.estimability import NotEstimable
from harness.stats.fourier import sign_sum_tail
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.permutation import (
    monte_carlo_pvalue,
    sign_flip,
    sign_flip_exact,
    sign_flip_monte_carlo,
)
from harness.stats.signed_units import counted, enumerated

OLD = np.array([0.6, 0.6, 0.5, 0.5, 0.4, 0.4, 0.3, 0.3])
NEW = np.array([0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.6])


def rng(seed=0):
    return np.random.default_rng(seed)


def by_listing(units):
    """All sign patterns of whole numbers, one by one."""
    total = abs(sum(units))
    signs = itertools.product((-1, 1), repeat=len(units))
    return np.mean([abs(np.dot(sign, units)) >= total for sign in signs])


@pytest.mark.parametrize("factor", [1.0, 10.0, 0.1, math.pi, 1e-200, 1e200])
def test_the_eight_pairs_give_their_pvalue_at_every_scale(factor):
    found = sign_flip_exact(differences=NEW * factor - OLD * factor)

    assert found.pvalue == 0.53125
    assert not found.is_bound
    assert found.n_informative == 6


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=9))
def test_the_exact_pvalue_is_that_of_listing_all_patterns(units):
    assert sign_flip_exact(differences=np.array(units) / 5).pvalue == by_listing(units)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 40))
def test_counting_and_enumerating_agree(sizes, distance):
    # A distance of the wrong parity lies between two sums and counts the same patterns.
    assert counted(np.array(sizes), distance) == enumerated(np.array(sizes) * 0.1, distance * 0.1)


@settings(max_examples=50)
@given(st.lists(st.integers(1, 9), min_size=21, max_size=60), st.integers(0, 10_000))
def test_the_transform_agrees_with_counting(sizes, seed):
    sizes = np.array(sizes)
    distance = abs(int(rng(seed).choice([-1, 1], sizes.size) @ sizes))
    distinct, repeats = np.unique(sizes, return_counts=True)

    tail = sign_sum_tail(sizes=distinct, repeats=repeats, distance=distance)

    assert tail == pytest.approx(counted(sizes, distance), abs=1e-13)


@pytest.mark.parametrize(("gain", "loss"), [(0, 0), (5, 0), (9, 9), (40, 55), (220, 160), (5200, 5000)])
def test_on_pass_and_fail_it_is_the_exact_mcnemar_test(gain, loss):
    d = np.repeat([1, -1, 0], [gain, loss, 30])

    assert sign_flip_exact(differences=d).pvalue == pytest.approx(
        mcnemar_exact(gain=gain, loss=loss).pvalue, abs=1e-12
    )


def test_a_pvalue_below_what_a_transform_resolves_is_a_bound():
    found = sign_flip_exact(differences=np.repeat([1, -1], [400, 100]))

    assert found.is_bound
    assert found.pvalue == 1e-10


def test_whole_clusters_flip():
    d = [1, 1, 1, 1, -1, -1, 2, 3]
    clusters = ["a", "a", "b", "b", "c", "c", "d", "d"]

    found = sign_flip_exact(differences=d, clusters=clusters)

    assert found.pvalue == by_listing([2, 2, -2, 5])
    assert (found.n_cases, found.n_clusters) == (8, 4)


def test_five_clusters_can_never_reject_at_5_percent_and_that_is_said():
    found = sign_flip_exact(differences=[1, 1, 1, 1, 1], clusters=list("abcde"))

    assert found.pvalue == found.smallest_pvalue == 2 / 2**5


def test_a_unit_that_adds_up_to_nothing_says_nothing():
    found = sign_flip_exact(differences=[1, -1, 1, 1], clusters=["a", "a", "b", "c"])

    assert found.n_informative == 2
    assert found.smallest_pvalue == 0.5


def test_no_difference_at_all_has_pvalue_one():
    found = sign_flip_exact(differences=[0.0] * 30)

    assert (found.pvalue, found.smallest_pvalue) == (1.0, 1.0)


@pytest.mark.parametrize(("d", "clusters"), [([0.3], None), ([0.3, 0.1], ["a", "a"])])
def test_a_single_unit_has_no_test(d, clusters):
    assert isinstance(sign_flip_exact(differences=d, clusters=clusters), NotEstimable)


def test_the_exact_ways_leave_the_generator_alone():
    generator = rng()
    before = generator.bit_generator.state

    found = sign_flip(differences=rng(1).integers(-5, 6, 5000) / 5, n_resamples=99, rng=generator)

    assert found.method == "fft"
    assert found.n_resamples is None
    assert generator.bit_generator.state == before


def test_continuous_scores_are_enumerated_up_to_twenty_units_and_drawn_beyond():
    d = rng(2).normal(0.3, 1.0, 40)

    few = sign_flip(differences=d[:16], n_resamples=20_000, rng=rng())
    drawn = sign_flip_monte_carlo(differences=d[:16], n_resamples=20_000, rng=rng())
    many = sign_flip(differences=d, n_resamples=999, rng=rng())

    assert few.method == "enumeration"
    assert drawn.pvalue == pytest.approx(few.pvalue, abs=0.02)
    assert (many.method, many.n_resamples) == ("monte_carlo", 999)
    assert isinstance(sign_flip_exact(differences=d), NotEstimable)


def test_random_patterns_give_the_law_of_all_patterns():
    d = rng(4).integers(-5, 6, 300) / 5

    exact = sign_flip_exact(differences=d)
    drawn = sign_flip_monte_carlo(differences=d, n_resamples=40_000, rng=rng())

    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=0.01)


def test_a_random_pvalue_counts_the_pattern_found():
    found = sign_flip_monte_carlo(differences=rng(5).normal(3.0, 0.1, 60), n_resamples=99, rng=rng())

    assert found.pvalue == found.smallest_pvalue == 0.01


@pytest.mark.parametrize(("n_as_extreme", "n_resamples"), [(-1, 9), (10, 9), (0, 0)])
def test_more_extreme_patterns_than_patterns_are_refused(n_as_extreme, n_resamples):
    with pytest.raises(ValueError):
        monte_carlo_pvalue(n_as_extreme=n_as_extreme, n_resamples=n_resamples)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=30), st.integers(0, 99))
def test_the_order_of_cases_changes_nothing(units, seed):
    d = np.array(units) / 5
    order = rng(seed).permutation(d.size)

    assert sign_flip_exact(differences=d[order]) == sign_flip_exact(differences=d)


def test_a_seeded_random_pvalue_does_not_depend_on_the_order_either():
    d = rng(6).normal(size=50)

    forwards = sign_flip_monte_carlo(differences=d, n_resamples=199, rng=rng(1))

    assert sign_flip_monte_carlo(differences=d[::-1], n_resamples=199, rng=rng(1)) == forwards


def test_the_level_is_kept_on_five_repeats():
    generator = rng(7)
    rejected = 0
    for _ in range(1000):
        d = generator.binomial(5, 0.5, 30) - generator.binomial(5, 0.5, 30)
        rejected += sign_flip_exact(differences=d).pvalue <= 0.05

    assert 0.03 < rejected / 1000 < 0.06


@pytest.mark.parametrize("d", [[], [math.nan, 1.0], [math.inf, 1.0]])
def test_what_is_no_score_is_refused(d):
    with pytest.raises(ValueError):
        sign_flip_exact(differences=d)


def test_no_resamples_are_refused():
    with pytest.raises(ValueError, match="n_resamples"):
        sign_flip(differences=[1.0, 2.0], n_resamples=0, rng=rng())
