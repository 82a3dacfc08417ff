"""Steps of one size: what the score interval counts where sums are not 0 and 1."""

import numpy as np
import pytest

from harness.stats.effective_counts import effective_counts
from harness.stats.tango_binomial import tango_binomial_interval, tango_binomial_noninferiority


def counts_of(sums, weights=None):
    found = np.array(sums, dtype=float)
    return effective_counts(sums=found, weights=np.ones(found.size) if weights is None else np.array(weights))


@pytest.mark.parametrize(
    ("gain", "loss", "rest"), [(7, 3, 40), (0, 4, 46), (5, 0, 45), (30, 20, 0), (0, 0, 9)]
)
def test_cases_that_move_by_one_are_counted_as_they_are(gain, loss, rest):
    n = gain + loss + rest
    found = counts_of([1] * gain + [-1] * loss + [0] * rest)
    interval = tango_binomial_interval(gain=gain, loss=loss, n_cases=n, confidence_level=0.9)
    test = tango_binomial_noninferiority(gain=gain, loss=loss, n_cases=n, margin=0.1)

    assert found == pytest.approx((gain, loss, n), abs=1e-12)
    assert (found.lower(tail=0.05), found.upper(tail=0.05)) == pytest.approx(interval[:2], abs=1e-12)
    assert found.pvalue(threshold=-0.1) == pytest.approx(test.pvalue, rel=1e-9)


def test_clusters_of_one_size_that_move_as_one_are_counted_as_clusters():
    assert counts_of([6] * 4 + [-6] * 2 + [0] * 14, weights=[6.0] * 20) == pytest.approx((4, 2, 20))


def test_small_moves_of_many_cases_are_many_steps_and_not_few():
    found = counts_of([0.2] * 300 + [-0.2] * 300 + [0] * 400)

    assert found.n > 4000
    assert (found.gain - found.loss) / found.n == pytest.approx(0.0, abs=1e-12)


def test_where_nothing_moves_a_step_is_the_heaviest_unit():
    assert counts_of([0] * 12, weights=[1.0] * 11 + [9.0]) == pytest.approx((0, 0, 20 / 9))


def test_the_order_of_the_units_changes_no_bit_and_rounding_makes_no_step():
    rng = np.random.default_rng(1)
    sums, weights = rng.uniform(-1, 1, 50), np.ones(50)
    turned = rng.permutation(50)

    assert counts_of(sums, weights) == counts_of(sums[turned], weights)
    assert counts_of([0.3 - 0.1 - 0.2, -1, 0]).gain == 0


@pytest.mark.parametrize("size", [1, 3])
def test_clusters_that_can_only_be_lost_pass_at_the_margin_no_more_often_than_said(size):
    rng, rate, n_clusters = np.random.default_rng(2), 0.1, 100
    claims = [
        counts_of(-size * (rng.random(n_clusters) < rate), weights=[float(size)] * n_clusters).lower(
            tail=0.05
        )
        > -rate
        for _ in range(600)
    ]

    assert np.mean(claims) < 0.06
