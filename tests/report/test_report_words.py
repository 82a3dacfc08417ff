"""Numbers in words."""

import pytest

from harness.domain.blocks import Rate
from harness.report import words


@pytest.mark.parametrize(
    ("n", "decimals"), [(25, 0), (99, 0), (100, 1), (250, 1), (9_999, 1), (10_000, 2), (1_000_000, 2)]
)
def test_digits_follow_the_number_of_cases(n, decimals):
    assert words.digits([0.0523], n=n) == decimals


def test_a_difference_in_points_has_its_sign():
    assert words.points(0.0523, 1) == "+5.2"
    assert words.points(-0.0523, 1) == "-5.2"
    assert words.points(0.0, 1) == "0.0"
    assert words.points(-0.0, 0) == "0"


def test_rounding_never_carries_a_limit_onto_zero():
    decimals = words.digits([-0.0044, 0.39], n=25)

    assert words.points(-0.0044, decimals) == "-0.4"


def test_rounding_never_carries_a_limit_onto_the_margin():
    decimals = words.digits([-0.0204], n=250, apart=(-0.02,))

    assert words.points(-0.0204, decimals) == "-2.04"


def test_a_limit_that_is_the_margin_needs_no_more_digits():
    assert words.digits([-0.02, 0.1 + 0.2 - 0.3], n=250, apart=(0.0, -0.02)) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0031, "p = 0.0031"),
        (0.000021, "p < 0.0001"),
        (0.0001, "p = 0.00010"),
        (0.0568879, "p = 0.057"),
        (0.0703, "p = 0.070"),
        (0.1505, "p = 0.15"),
        (0.998, "p > 0.99"),
        (1.0, "p = 1.00"),
    ],
)
def test_a_pvalue_has_two_digits_and_is_never_zero(value, text):
    assert words.pvalue(value) == text


def test_rounding_never_carries_a_pvalue_over_alpha():
    assert words.pvalue(0.0496, alpha=0.05) == "p = 0.0496"
    assert words.pvalue(0.0504, alpha=0.05) == "p = 0.0504"
    assert words.pvalue(0.05, alpha=0.05) == "p = 0.050"
    assert words.pvalue(0.00005, alpha=0.00001) == "p = 0.00005" or "e" in words.pvalue(
        0.00005, alpha=0.00001
    )


def test_a_pvalue_below_a_tiny_alpha_is_below_that_alpha():
    assert words.pvalue(1e-9, alpha=1e-6) == "p < 1e-06"


def test_a_pvalue_known_as_a_bound_says_so():
    assert words.pvalue(0.0031, is_bound=True) == "p ≤ 0.0031"


@pytest.mark.parametrize(
    ("level", "text"), [(0.95, "95%"), (0.975, "97.5%"), (1 - 0.05 / 3, "98.3%"), (0.99995, "99.995%")]
)
def test_a_confidence_level_is_never_rounded_up_to_certainty(level, text):
    assert words.level(level) == text


def test_a_share_is_zero_or_all_only_when_it_is():
    assert words.percent(0.0, n=50) == "0%"
    assert words.percent(1.0, n=50) == "100%"
    assert words.percent(0.9957, n=50) == "99.6%"
    assert words.percent(0.001, n=50) == "0.1%"


def test_a_rate_stands_with_its_counts_its_interval_and_its_method(samples):
    assert (
        words.rate(samples.rate(44, 50, 0.762, 0.9438)) == "88%, 44 of 50 (95% interval 76% to 94%, Wilson)"
    )


def test_a_rate_of_nothing_gives_its_reason():
    assert words.rate(Rate(n=0, of=0, rate=None, reason="no anchor")) == "not estimable: no anchor"


def test_counts_of_one_are_singular():
    assert words.plural(1, "case") == "1 case"
    assert words.plural(12_500, "case") == "12,500 cases"
    assert words.tally(()) == "none"
    assert words.tally((("no_majority", 2), ("failed", 1))) == "no majority 2, failed 1"
