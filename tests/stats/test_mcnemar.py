import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import all_tables, probabilities

from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import (
    SMALLEST_PVALUE,
    discordant_odds_ratio,
    mcnemar_exact,
    mcnemar_exact_one_sided,
    mcnemar_midp,
    smallest_attainable_pvalue,
)
from harness.stats.mcnemar_unconditional import mcnemar_unconditional

counts = st.integers(0, 3000)


def exact_pvalue(gain, loss):
    """Twice the smaller binomial tail, in whole numbers."""
    total = gain + loss
    tail = sum(math.comb(total, k) for k in range(min(gain, loss) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**total)))


@pytest.mark.parametrize(
    ("gain", "loss", "printed"),
    [
        (60, 40, 0.0568879),
        (55, 40, 0.1505),
        (220, 160, 0.0024),
        (7, 11, 0.4807),
        (18, 8, 0.0755),
        (121, 69, 0.0002),
        (9, 9, 1.0),
    ],
)
def test_the_exact_test_reproduces_the_printed_pvalues_of_public_write_ups(gain, loss, printed):
    decimals = len(str(printed).split(".")[1])

    assert round(mcnemar_exact(gain=gain, loss=loss).pvalue, decimals) == printed


def test_twenty_cases_gained_and_none_lost_have_p_two_in_two_to_the_twentieth():
    assert mcnemar_exact(gain=20, loss=0).pvalue == pytest.approx(2 / 2**20, rel=1e-14)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_exact_test_agrees_with_whole_number_arithmetic(gain, loss):
    assert mcnemar_exact(gain=gain, loss=loss).pvalue == pytest.approx(exact_pvalue(gain, loss), rel=1e-11)


@given(counts, counts)
def test_swapping_the_arms_leaves_two_sided_pvalues_alone_and_they_stay_in_range(gain, loss):
    for test in (mcnemar_exact, mcnemar_midp):
        pvalue = test(gain=gain, loss=loss).pvalue
        assert 0 < pvalue <= 1
        assert pvalue == test(gain=loss, loss=gain).pvalue


@given(counts, counts)
def test_the_midp_never_exceeds_the_exact_pvalue(gain, loss):
    exact = mcnemar_exact(gain=gain, loss=loss).pvalue
    assert mcnemar_midp(gain=gain, loss=loss).pvalue <= exact * (1 + 1e-12)


@given(st.integers(0, 500), st.integers(1, 500))
def test_evidence_grows_with_every_case_that_turns_from_loss_to_gain(gain, loss):
    greater = [
        mcnemar_exact_one_sided(gain=gain + turned, loss=loss - turned, alternative="greater").pvalue
        for turned in (0, 1)
    ]

    assert greater[1] <= greater[0]


@given(counts, counts)
def test_one_side_mirrors_the_other(gain, loss):
    greater = mcnemar_exact_one_sided(gain=gain, loss=loss, alternative="greater").pvalue

    assert greater == pytest.approx(
        mcnemar_exact_one_sided(gain=loss, loss=gain, alternative="less").pvalue, rel=1e-12
    )


def test_at_as_many_gains_as_losses_the_midp_is_half_a_point_below_one():
    point = math.comb(18, 9) / 2**18

    assert mcnemar_midp(gain=9, loss=9).pvalue == pytest.approx(1 - point / 2, rel=1e-14)


@pytest.mark.parametrize("test", [mcnemar_exact, mcnemar_midp])
def test_no_discordant_case_has_p_one(test):
    assert test(gain=0, loss=0).pvalue == 1.0


def test_millions_of_discordant_cases_neither_overflow_nor_take_long():
    assert mcnemar_exact(gain=2_500_000, loss=2_500_000).pvalue == 1.0
    # Two standard deviations: the normal tail, with its continuity correction.
    gain, loss = 2_502_236, 2_497_764
    z = (gain - loss - 1) / math.sqrt(gain + loss)
    assert mcnemar_exact(gain=gain, loss=loss).pvalue == pytest.approx(math.erfc(z / 2**0.5), rel=1e-4)


def test_a_pvalue_below_the_smallest_float_is_that_float_and_not_zero():
    for test in (mcnemar_exact, mcnemar_midp):
        assert test(gain=10_000_000, loss=3).pvalue == SMALLEST_PVALUE > 0


def test_five_discordant_cases_can_never_reach_five_percent_and_six_can():
    assert smallest_attainable_pvalue(5) == 0.0625 == mcnemar_exact(gain=5, loss=0).pvalue
    assert smallest_attainable_pvalue(6) == 0.03125 == mcnemar_exact(gain=6, loss=0).pvalue
    assert smallest_attainable_pvalue(0) == 1.0
    assert smallest_attainable_pvalue(10_000_000) == SMALLEST_PVALUE


@pytest.mark.parametrize("bad", [True, -1, 2.0, 2.5, math.nan, math.inf, "3", None, np.float64(2)])
@pytest.mark.parametrize(
    "function",
    [
        lambda count: mcnemar_exact(gain=count, loss=3),
        lambda count: mcnemar_exact(gain=3, loss=count),
        lambda count: mcnemar_midp(gain=count, loss=3),
        lambda count: mcnemar_exact_one_sided(gain=3, loss=count, alternative="less"),
        lambda count: mcnemar_unconditional(gain=count, loss=3, n_cases=20),
        lambda count: discordant_odds_ratio(gain=3, loss=count, confidence_level=0.95),
        smallest_attainable_pvalue,
    ],
)
def test_what_is_no_count_is_refused_by_name(function, bad):
    with pytest.raises(ValueError, match=r"(gain|loss|n_discordant) must"):
        function(bad)


def test_counts_of_numpy_are_counts():
    assert mcnemar_exact(gain=np.int64(18), loss=np.uint8(8)) == mcnemar_exact(gain=18, loss=8)


def test_an_unknown_alternative_is_refused():
    with pytest.raises(ValueError, match="'greater' or 'less'"):
        mcnemar_exact_one_sided(gain=1, loss=2, alternative="two-sided")


def test_the_odds_ratio_with_nothing_lost_has_no_upper_limit():
    ratio = discordant_odds_ratio(gain=6, loss=0, confidence_level=0.95)

    assert ratio.estimate == ratio.interval.high == math.inf
    assert ratio.interval.low > 1


def test_the_odds_ratio_without_a_discordant_case_is_not_estimable():
    assert isinstance(discordant_odds_ratio(gain=0, loss=0, confidence_level=0.95), NotEstimable)


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_odds_ratio_leaves_one_out_exactly_when_the_exact_test_rejects(gain, loss, level):
    ratio = discordant_odds_ratio(gain=gain, loss=loss, confidence_level=level)
    if isinstance(ratio, NotEstimable):
        return
    low, high, _, _ = ratio.interval

    assert low <= ratio.estimate <= high
    assert (low > 1 or high < 1) == (mcnemar_exact(gain=gain, loss=loss).pvalue < 1 - level)


@pytest.mark.parametrize("gamma", [0.0, 1e-4])
def test_the_unconditional_test_holds_its_level_at_every_discordance(gamma):
    n_cases, alpha = 20, 0.05
    tables = all_tables(n_cases)
    pvalues = np.array(
        [mcnemar_unconditional(gain=g, loss=c, n_cases=n_cases, gamma=gamma).pvalue for g, c in tables]
    )

    sizes = [
        probabilities(tables, n_cases, rate / 2, rate / 2)[pvalues <= alpha].sum()
        for rate in np.linspace(0.01, 0.99, 60)
    ]

    assert max(sizes) <= alpha + 1e-9
    assert max(sizes) > 0.03


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 200))
def test_the_unconditional_test_is_symmetric_and_in_range(gain, loss, concordant):
    n_cases = gain + loss + concordant + 1
    pvalue = mcnemar_unconditional(gain=gain, loss=loss, n_cases=n_cases).pvalue

    assert 0 < pvalue <= 1
    assert pvalue == mcnemar_unconditional(gain=loss, loss=gain, n_cases=n_cases).pvalue


def test_the_unconditional_test_answers_for_a_million_cases():
    unconditional = mcnemar_unconditional(gain=50_500, loss=49_500, n_cases=1_000_000).pvalue
    midp = mcnemar_midp(gain=50_500, loss=49_500).pvalue

    assert unconditional == pytest.approx(midp + 1e-4, rel=2e-3)


def test_more_discordant_cases_than_cases_are_refused():
    with pytest.raises(ValueError, match=r"gain \+ loss = 21 must not exceed n_cases = 20"):
        mcnemar_unconditional(gain=11, loss=10, n_cases=20)


@pytest.mark.parametrize("gamma", [-1e-6, 0.2, math.nan])
def test_a_gamma_out_of_range_is_refused(gamma):
    with pytest.raises(ValueError, match="gamma must"):
        mcnemar_unconditional(gain=1, loss=2, n_cases=10, gamma=gamma)
