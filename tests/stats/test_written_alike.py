"""Format and length of real answers: reference values, planted effects, coverage, refusals."""

import numpy as np
import pytest
from scipy import stats

from harness.stats.equal_terms import EqualTerms, difference_on_equal_terms
from harness.stats.estimability import NotEstimable
from harness.stats.format_effect import FormatDifference, format_difference
from harness.stats.length_control import LengthControl, length_controlled_win_rate


def terms(y, *x, clusters=None):
    found = difference_on_equal_terms(differences=y, covariates=x, clusters=clusters, confidence_level=0.95)
    assert isinstance(found, EqualTerms)
    return found


def test_the_jackknife_of_a_mean_is_the_t_interval():
    y = np.array([0, 1, -1, 0.5, 1, 0, 0, 0.5, 1, 1, -0.5, 0])
    found = terms(y, np.arange(12.0))

    reference = stats.ttest_1samp(y, 0.0)
    low, high = reference.confidence_interval(0.95)
    assert (found.raw.interval.low, found.raw.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert found.raw.pvalue == pytest.approx(reference.pvalue, abs=1e-12)


def test_equal_and_slope_are_least_squares():
    rng = np.random.default_rng(1)
    y, x, z = rng.choice([-1, 0, 1], size=40), rng.normal(size=40), rng.normal(size=40)
    found = terms(y, x, z)

    coefficients = np.linalg.lstsq(np.stack((np.ones(40), x, z), axis=1), y, rcond=None)[0]
    assert (found.equal.estimate, found.slope.estimate) == pytest.approx(coefficients[:2], abs=1e-12)
    assert found.shift.estimate == pytest.approx(y.mean() - coefficients[0], abs=1e-12)


def test_a_difference_that_is_all_format_is_none_on_equal_terms_and_the_intervals_cover():
    rng, covered, n_runs = np.random.default_rng(2), 0, 300
    for _ in range(n_runs):
        clusters = np.repeat(np.arange(20), 3)
        # Every second candidate answer gained a list; the judge likes lists, by .4.
        x = rng.choice([0.0, 1.0], size=60)
        shared = rng.choice([-0.2, 0.2], size=20)[clusters]
        y = np.clip(np.where(rng.random(60) < 0.4 * x, 1.0, 0.0) + shared, -1, 1)
        found = terms(y, x, rng.normal(size=60), clusters=clusters)
        # Clipping 1.2 to 1 costs .2 where a list wins in a lenient cluster: the slope is .4 less .04.
        covered += found.equal.interval.low <= 0 <= found.equal.interval.high
        covered += found.shift.interval.low <= 0.36 * 0.5 <= found.shift.interval.high
    # 570 of 600 expected; fewer than 552 have a probability of 0.001 even if the pairs were one.
    assert covered >= 552


@pytest.mark.parametrize(
    ("y", "x", "reason"),
    [
        ([0.0, 1.0] * 4, np.arange(8.0), "8 clusters are too few"),
        ([0.0, 1.0] * 6, np.zeros(12), "a covariate does not vary"),
        ([0.0, 1.0] * 6, np.eye(12)[0], "varies in one cluster alone"),
        ([0.0] * 12, np.arange(12.0), "nothing is left over"),
    ],
)
def test_terms_that_cannot_be_told_apart_say_why(y, x, reason):
    found = difference_on_equal_terms(differences=y, covariates=[x], confidence_level=0.95)

    assert isinstance(found, NotEstimable)
    assert reason in found.reason


def formats(passed, formatted, lengths=None, clusters=None):
    return format_difference(
        passed=passed,
        formatted=np.asarray(formatted, dtype=bool),
        lengths=lengths,
        clusters=range(len(passed)) if clusters is None else clusters,
        confidence_level=0.95,
    )


def test_the_raw_difference_is_that_of_the_pass_rates():
    found = formats([1, 1, 1, 0] * 5 + [1, 0, 0, 0] * 5, [True] * 20 + [False] * 20)

    assert isinstance(found, FormatDifference)
    assert found.difference == 0.5
    assert found.pvalue < 0.01


def test_a_format_of_long_answers_does_not_get_what_length_does():
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 1000, size=600)
    formatted = rng.random(600) < lengths / 1000
    passed = rng.random(600) < lengths / 1000

    raw, equal = formats(passed, formatted), formats(passed, formatted, lengths)

    assert raw.interval.low > 0.1
    assert equal.interval.low < 0 < equal.interval.high
    assert abs(equal.difference) < raw.difference / 3


@pytest.mark.parametrize(
    ("formatted", "lengths", "clusters", "reason"),
    [
        ([True] * 20, None, None, "all 20 answers are formatted"),
        ([False] * 20, None, None, "all 20 answers are plain"),
        ([True] * 10 + [False] * 10, [100] * 10 + [1] * 10, None, "no fifth of the lengths has answers both"),
        ([True, False] * 10, None, [0, 1] * 10, "2 clusters can be compared"),
    ],
)
def test_one_format_alone_has_nothing_to_compare_with(formatted, lengths, clusters, reason):
    found = formats([1, 0] * 10, formatted, lengths, clusters)

    assert isinstance(found, NotEstimable)
    assert reason in found.reason


def test_the_shift_by_length_is_raw_less_controlled_and_its_interval_covers():
    rng, n_runs, covered = np.random.default_rng(4), 300, 0
    # A judge at log-odds 0.8 per unit of length, and a candidate longer by 1: even at equal length.
    truth = np.mean(1 / (1 + np.exp(-0.8 * rng.normal(1.0, 1.0, size=400_000)))) - 0.5
    for _ in range(n_runs):
        x = rng.normal(1.0, 1.0, size=150)
        wins = (rng.random(150) < 1 / (1 + np.exp(-0.8 * x))).astype(float)
        found = length_controlled_win_rate(wins=wins, length_differences=x, confidence_level=0.95)
        assert isinstance(found, LengthControl)
        assert found.shift == pytest.approx(found.raw_win_rate - found.win_rate)
        covered += found.shift_interval.low <= truth <= found.shift_interval.high
    # 285 expected; fewer than 271 have a probability of 0.001.
    assert covered >= 271


def test_pairs_of_one_cluster_widen_the_shift():
    rng = np.random.default_rng(5)
    x = np.repeat(rng.normal(1.0, 1.0, size=30), 5)
    wins = (np.repeat(rng.random(30), 5) < 1 / (1 + np.exp(-x))).astype(float)

    alone = length_controlled_win_rate(wins=wins, length_differences=x, confidence_level=0.95)
    together = length_controlled_win_rate(
        wins=wins, length_differences=x, clusters=np.repeat(range(30), 5), confidence_level=0.95
    )

    width = alone.shift_interval.high - alone.shift_interval.low
    assert together.shift_interval.high - together.shift_interval.low > 1.8 * width
