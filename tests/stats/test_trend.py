"""Slow decay: the law of the test, its level under dependence, and what it refuses."""

import numpy as np
import pytest
from scipy import stats

from harness.stats.estimability import NotEstimable
from harness.stats.trend import Trend, decay_trend


def trend(table, seed=0, n_resamples=999):
    found = decay_trend(correct=table, n_resamples=n_resamples, rng=np.random.default_rng(seed))
    assert isinstance(found, Trend)
    return found


def test_the_exact_pvalue_is_that_of_a_correlation_with_time_under_all_orders():
    table = np.array([[1, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 0], [1, 0, 1, 1, 0, 1], [0, 1, 1, 0, 0, 0]])
    found = trend(table)

    # scipy.stats.permutation_test over the orders of the counts; the score is their covariance with time.
    counts = table.sum(axis=0)
    exact = stats.permutation_test(
        (counts,),
        lambda x: float(np.arange(6) @ x),
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative="less",
    )
    assert found.exact
    assert found.n_orders == 720
    assert found.pvalue == pytest.approx(exact.pvalue)


def test_the_level_holds_where_whole_audits_swing_and_anchors_are_always_the_same():
    rng = np.random.default_rng(11)
    n_runs, rejected = 600, 0
    for run in range(n_runs):
        hard = rng.random(40) < 0.3
        swing = rng.normal(scale=0.15, size=8)
        table = (rng.random((40, 8)) < np.clip(np.where(hard, 0.2, 0.95)[:, None] + swing, 0, 1)).astype(int)
        rejected += trend(table, seed=run, n_resamples=199).pvalue <= 0.05
    # 30 expected; 47 or more have a probability of 0.002 at a level of .05.
    assert rejected < 47


def test_decay_of_three_points_an_audit_shows_over_ten():
    rng = np.random.default_rng(3)
    shown = 0
    for run in range(50):
        table = (rng.random((60, 10)) < 0.95 - 0.03 * np.arange(10)).astype(int)
        shown += trend(table, seed=run).pvalue < 0.01
    assert shown >= 45


def test_hard_anchors_that_joined_late_are_no_decay():
    easy, late = np.ones((30, 6), dtype=int), np.full((30, 6), -1)
    late[:, 3:] = np.arange(30)[:, None] % 2
    easy[0] = [1, 0, 1, 1, 1, 0]

    assert trend(np.vstack((easy, late))).pvalue > 0.2


@pytest.mark.parametrize(
    ("table", "reason"),
    [(np.ones((3, 4), dtype=int), "4 audits"), (np.ones((3, 6), dtype=int), "all alike")],
)
def test_what_shows_nothing_says_why(table, reason):
    found = decay_trend(correct=table, n_resamples=9, rng=np.random.default_rng(0))

    assert isinstance(found, NotEstimable)
    assert reason in found.reason


def test_verdicts_that_are_none_are_refused():
    with pytest.raises(ValueError, match="must hold 1, 0 or -1"):
        decay_trend(correct=np.full((2, 6), 2), n_resamples=9, rng=np.random.default_rng(0))
