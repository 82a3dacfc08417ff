import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.estimability import NotEstimable
from harness.stats.means import (
    covers_too_little,
    one_sided_pvalue,
    paired_mean,
    paired_mean_plus_two,
)

TALLIES = st.lists(st.integers(-5, 5), min_size=3, max_size=40).filter(lambda d: len(set(d)) > 1)


def cr2_by_matrices(d, clusters):
    """The general CR2 formulas with all matrices written out, for a model with an intercept."""
    d, clusters = np.asarray(d, dtype=float), np.asarray(clusters)
    n = d.size
    hat = np.full((n, n), 1 / n)
    residual_maker = np.eye(n) - hat
    residuals = residual_maker @ d
    columns, variance = [], 0.0
    for name in np.unique(clusters):
        inside = clusters == name
        block = residual_maker[np.ix_(inside, inside)]
        values, vectors = np.linalg.eigh(block)
        root = vectors @ np.diag([v**-0.5 if v > 1e-10 else 0.0 for v in values]) @ vectors.T
        weights = root @ np.full(inside.sum(), 1 / n)
        variance += (weights @ residuals[inside]) ** 2
        columns.append(residual_maker[:, inside] @ weights)
    moments = np.stack(columns, axis=1)
    gram = moments.T @ moments
    return variance**0.5, np.trace(gram) ** 2 / np.sum(gram**2)


def test_each_case_its_own_cluster_is_the_paired_t_test():
    d = [0.2, -0.1, 0.4, 0.0, 0.3]

    alone = paired_mean(differences=d, confidence_level=0.95)
    named = paired_mean(differences=d, clusters=list("edcba"), confidence_level=0.95)

    assert alone == named
    assert alone.df == 4
    assert alone.standard_error == pytest.approx(np.std(d, ddof=1) / 5**0.5)
    assert alone.interval.method == "paired_t"


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (5, 1, 1), (2, 3, 4, 1, 7), (10, 2)])
def test_the_closed_form_is_the_general_cr2_with_its_df(sizes):
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    d = rng.integers(-5, 6, clusters.size) / 5

    found = paired_mean(differences=d, clusters=clusters, confidence_level=0.95)

    error, df = cr2_by_matrices(d, clusters)
    assert found.standard_error == pytest.approx(error, rel=1e-10)
    assert found.df == pytest.approx(df, rel=1e-10)


def test_repeating_every_case_within_its_cluster_changes_nothing():
    d = np.array([0.2, -0.4, 0.6, 0.0, 0.2, 0.2, -0.2, 0.8])

    once = paired_mean(differences=d, confidence_level=0.95)
    five = paired_mean(
        differences=np.repeat(d, 5), clusters=np.repeat(np.arange(8), 5), confidence_level=0.95
    )

    assert five.pvalue == pytest.approx(once.pvalue, rel=1e-12)
    assert five.interval[:2] == pytest.approx(once.interval[:2], rel=1e-12)
    assert five.naive_standard_error < once.standard_error / 2


@given(d=TALLIES, factor=st.sampled_from([0.1, 0.2, 10.0, math.pi, 1e150, 1e-150]))
def test_scaling_the_scores_scales_the_estimate_and_leaves_the_pvalue(d, factor):
    plain = paired_mean(differences=d, confidence_level=0.95)
    scaled = paired_mean(differences=np.array(d) * factor, confidence_level=0.95)

    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
    assert scaled.difference == pytest.approx(plain.difference * factor, rel=1e-9, abs=1e-12 * factor)
    assert scaled.n_informative == plain.n_informative


@given(d=TALLIES, seed=st.integers(0, 99))
def test_the_order_of_cases_and_the_names_of_clusters_change_no_bit(d, seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 4, len(d))
    order = rng.permutation(len(d))
    names = np.array(["q", "b", "z", "a"])

    plain = paired_mean(differences=np.array(d) / 5, clusters=clusters, confidence_level=0.95)
    mixed = paired_mean(
        differences=(np.array(d) / 5)[order], clusters=names[clusters][order], confidence_level=0.95
    )

    assert mixed == plain


def test_continuous_scores_do_not_depend_on_their_order_either():
    rng = np.random.default_rng(0)
    d, clusters = rng.normal(size=200), rng.integers(0, 20, 200)
    order = rng.permutation(200)

    plain = paired_mean(differences=d, clusters=clusters, confidence_level=0.9)

    assert paired_mean(differences=d[order], clusters=clusters[order], confidence_level=0.9) == plain


@pytest.mark.parametrize(
    ("d", "clusters", "reason"),
    [
        ([0.4], None, "one case"),
        ([0.4, 0.2, 0.1], ["a", "a", "a"], "one cluster"),
        ([0.0] * 20, None, "all 20 differences are equal"),
        ([0.1 + 0.2, 0.3, 0.3], None, "all 3 differences are equal"),
        ([1.0, 0.0, 1.0, 0.0], ["a", "a", "b", "b"], "same mean"),
    ],
)
def test_agreement_alone_is_not_precision(d, clusters, reason):
    found = paired_mean(differences=d, clusters=clusters, confidence_level=0.95)

    assert isinstance(found, NotEstimable)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("d", "clusters", "message"),
    [
        ([], None, "empty"),
        ([0.1, math.nan], None, "NaN"),
        ([0.1, math.inf, -math.inf], None, "2 values"),
        ([[0.1, 0.2]], None, "one dimension"),
        (["a", "b"], None, "numbers"),
        ([0.1, 0.2], ["a"], "clusters"),
        ([0.1, 0.2], [0.0, math.nan], "clusters"),
    ],
)
def test_differences_that_are_no_differences_are_refused(d, clusters, message):
    with pytest.raises(ValueError, match=message):
        paired_mean(differences=d, clusters=clusters, confidence_level=0.95)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, -0.1, math.nan])
def test_a_confidence_level_lies_between_0_and_1(level):
    with pytest.raises(ValueError, match="confidence_level"):
        paired_mean(differences=[0.1, 0.2], confidence_level=level)


def test_limits_stay_inside_what_is_possible():
    found = paired_mean(differences=[1.0, 1.0, 0.8, -0.2], confidence_level=0.9, support=(-1.0, 1.0))

    assert found.interval.high == 1.0
    assert found.interval.low > -1.0


def test_the_pvalue_is_never_zero():
    d = np.where(np.arange(100_000) % 100 == 0, 0.8, 1.0)

    assert paired_mean(differences=d, confidence_level=0.95).pvalue > 0


def test_twenty_of_twenty_cases_worse_is_a_regression_by_the_plus_two_interval():
    interval = paired_mean_plus_two(differences=[-1.0] * 20, confidence_level=0.95, support=(-1.0, 1.0))

    assert interval.high < -0.4
    assert interval.low == -1.0


def test_a_third_gained_on_every_case_is_an_improvement_by_the_plus_two_interval():
    interval = paired_mean_plus_two(differences=[1 / 3] * 20, confidence_level=0.95, support=(-1.0, 1.0))

    assert interval.low > 0.1


def test_twenty_cases_without_a_difference_leave_room_on_both_sides():
    interval = paired_mean_plus_two(differences=[0.0] * 20, confidence_level=0.95, support=(-1.0, 1.0))

    assert interval.low == pytest.approx(-interval.high)
    assert 0.1 < interval.high < 0.2


def test_plus_two_needs_differences_inside_its_support():
    with pytest.raises(ValueError, match="support"):
        paired_mean_plus_two(differences=[0.0, 2.0], confidence_level=0.95, support=(-1.0, 1.0))
    with pytest.raises(ValueError, match="low to high"):
        paired_mean_plus_two(differences=[0.0, 0.5], confidence_level=0.95, support=(1.0, 1.0))


def test_plus_two_has_no_answer_from_one_cluster():
    found = paired_mean_plus_two(
        differences=[0.0, 1.0], clusters=["a", "a"], confidence_level=0.95, support=(-1.0, 1.0)
    )

    assert isinstance(found, NotEstimable)


def coverage(interval_of, *, n, p_gain, p_loss):
    """Chance, by enumeration of all tables, that an interval holds the true difference."""
    truth, covered = p_gain - p_loss, 0.0
    log_p = np.log([p_gain, p_loss, 1 - p_gain - p_loss])
    for gain in range(n + 1):
        for loss in range(n + 1 - gain):
            rest = n - gain - loss
            chance = math.exp(
                math.lgamma(n + 1)
                - math.lgamma(gain + 1)
                - math.lgamma(loss + 1)
                - math.lgamma(rest + 1)
                + np.dot(log_p, [gain, loss, rest])
            )
            if chance < 1e-7:
                continue
            interval = interval_of(np.repeat([1, -1, 0], [gain, loss, rest]))
            if interval is not None and interval.low <= truth <= interval.high:
                covered += chance
    return covered


@pytest.mark.parametrize(("n", "p_gain", "p_loss"), [(20, 0.065, 0.035), (50, 0.04, 0.01), (50, 0.3, 0.1)])
def test_plus_two_covers_where_few_cases_differ_and_where_many_do(n, p_gain, p_loss):
    def interval(d):
        return paired_mean_plus_two(differences=d, confidence_level=0.95, support=(-1.0, 1.0))

    assert coverage(interval, n=n, p_gain=p_gain, p_loss=p_loss) > 0.95


def test_the_t_interval_covers_too_little_only_where_it_says_so():
    def stated(d):
        found = paired_mean(differences=d, confidence_level=0.95)
        return None if isinstance(found, NotEstimable) else found.interval

    def with_fallback(d):
        found = paired_mean(differences=d, confidence_level=0.95)
        if isinstance(found, NotEstimable) or covers_too_little(found):
            return paired_mean_plus_two(differences=d, confidence_level=0.95, support=(-1.0, 1.0))
        return found.interval

    assert coverage(stated, n=50, p_gain=0.04, p_loss=0.01) < 0.90
    assert coverage(with_fallback, n=50, p_gain=0.04, p_loss=0.01) > 0.95
    assert coverage(with_fallback, n=50, p_gain=0.3, p_loss=0.1) > 0.94


@pytest.mark.parametrize("n_clusters", [5, 10, 20])
def test_clusters_of_unequal_size_keep_the_level_where_independent_cases_would_not(n_clusters):
    rng = np.random.default_rng(n_clusters)
    sizes = rng.integers(1, 15, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    rejected = naive = 0
    for _ in range(1500):
        d = rng.normal(size=n_clusters)[clusters] + rng.normal(size=clusters.size)
        found = paired_mean(differences=d, clusters=clusters, confidence_level=0.95)
        rejected += found.pvalue < 0.05
        naive += abs(found.difference) > 1.96 * found.naive_standard_error

    assert 0.02 < rejected / 1500 < 0.075
    assert naive / 1500 > 0.15


def test_a_one_sided_test_agrees_with_the_interval_of_twice_its_level():
    found = paired_mean(differences=[0.2, -0.1, 0.4, 0.0, 0.3, 0.1], confidence_level=0.90)

    at_limit = one_sided_pvalue(found, threshold=found.interval.low, alternative="greater")
    assert at_limit == pytest.approx(0.05)
    assert one_sided_pvalue(found, threshold=found.interval.high, alternative="less") == pytest.approx(0.05)
