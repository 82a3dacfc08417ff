import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import all_tables, probabilities

from harness.stats.estimability import NotEstimable
from harness.stats.fay_lumbard import fay_lumbard_interval
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.paired_difference import (
    bonett_price_interval,
    newcombe_interval,
    pairing_efficiency,
    tango_interval,
    tango_noninferiority,
    tango_zscore,
)


def newcombe_of_balanced_rest(*, gain, loss, n_cases, confidence_level):
    """Split the concordant cases in two, as the counts alone do not say."""
    both = (n_cases - gain - loss) // 2
    neither = n_cases - gain - loss - both
    return newcombe_interval(
        both=both, gain=gain, loss=loss, neither=neither, confidence_level=confidence_level
    )


INTERVALS = [tango_interval, newcombe_of_balanced_rest, bonett_price_interval, fay_lumbard_interval]
tables_up_to_500 = st.tuples(st.integers(0, 150), st.integers(0, 150), st.integers(0, 200)).filter(any)


@pytest.mark.parametrize("method", INTERVALS)
@given(table=tables_up_to_500, level=st.sampled_from([0.8, 0.9, 0.95, 0.99]))
@settings(max_examples=40, deadline=None)
def test_limits_stay_on_the_scale_and_around_the_estimate_with_some_width(method, table, level):
    gain, loss, rest = table
    interval = method(gain=gain, loss=loss, n_cases=gain + loss + rest, confidence_level=level)

    assert -1 <= interval.low <= (gain - loss) / (gain + loss + rest) <= interval.high <= 1
    assert interval.low < interval.high


@pytest.mark.parametrize("method", INTERVALS)
@given(table=tables_up_to_500)
@settings(max_examples=30, deadline=None)
def test_swapping_the_arms_mirrors_the_limits(method, table):
    gain, loss, rest = table
    n_cases = gain + loss + rest
    interval = method(gain=gain, loss=loss, n_cases=n_cases, confidence_level=0.95)
    swapped = method(gain=loss, loss=gain, n_cases=n_cases, confidence_level=0.95)

    assert interval.low == pytest.approx(-swapped.high, abs=1e-12)


@pytest.mark.parametrize("method", INTERVALS)
def test_more_confidence_is_wider(method):
    intervals = [method(gain=18, loss=8, n_cases=200, confidence_level=c) for c in (0.8, 0.95, 0.99)]

    assert intervals[0].low > intervals[1].low > intervals[2].low
    assert intervals[0].high < intervals[1].high < intervals[2].high


@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("n_cases", [1, 20, 200, 1_000_000])
def test_arms_that_agree_on_every_case_still_leave_room_for_a_difference(method, n_cases):
    interval = method(gain=0, loss=0, n_cases=n_cases, confidence_level=0.95)

    assert interval.low < 0 < interval.high


@pytest.mark.parametrize(("n_cases", "lowest"), [(20, 0.94), (50, 0.94), (100, 0.94)])
def test_tango_covers_at_small_n_in_every_scenario(n_cases, lowest):
    assert min(coverages(tango_interval, n_cases)) >= lowest


def test_fay_lumbard_never_covers_less_than_it_says_at_fifteen_cases():
    assert min(coverages(fay_lumbard_interval, 15)) >= 0.95


def test_tango_covers_as_tabulated_by_exact_enumeration():
    # n, discordance, difference, coverage of the nominal 95% interval.
    for n_cases, discordance, difference, coverage in [
        (20, 0.10, 0.03, 0.994),
        (30, 0.10, 0.03, 0.970),
        (50, 0.20, 0.05, 0.956),
        (100, 0.10, 0.03, 0.942),
    ]:
        found = next(coverages(tango_interval, n_cases, [(discordance, difference)]))
        assert found == pytest.approx(coverage, abs=0.001)


def test_bonett_price_covers_as_tabulated_by_exact_enumeration():
    assert next(coverages(bonett_price_interval, 50, [(0.10, 0.03)])) == pytest.approx(0.981, abs=0.001)


def coverages(method, n_cases, scenarios=((0.05, 0), (0.1, 0.03), (0.2, 0.0), (0.2, 0.1), (0.4, 0.1))):
    tables = all_tables(n_cases)
    intervals = [method(gain=g, loss=c, n_cases=n_cases, confidence_level=0.95) for g, c in tables]
    low, high = np.array([interval[:2] for interval in intervals]).T
    for discordance, difference in scenarios:
        chances = probabilities(
            tables, n_cases, (discordance + difference) / 2, (discordance - difference) / 2
        )
        yield float(chances[(low <= difference) & (difference <= high)].sum())


@given(st.integers(0, 80), st.integers(0, 80), st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_fay_lumbard_leaves_zero_out_exactly_when_the_exact_test_rejects(gain, loss, rest):
    interval = fay_lumbard_interval(
        gain=gain, loss=loss, n_cases=gain + loss + rest + 1, confidence_level=0.95
    )

    rejects = mcnemar_exact(gain=gain, loss=loss).pvalue < 0.05
    assert (interval.low > 0 or interval.high < 0) == rejects


def test_methods_may_disagree_about_zero_on_the_same_table():
    table = partial(dict, gain=18, loss=8, n_cases=200, confidence_level=0.95)

    assert tango_interval(**table()).low > 0
    assert fay_lumbard_interval(**table()).low < 0


def test_limits_of_a_million_cases_match_the_normal_ones():
    interval = tango_interval(gain=60_000, loss=40_000, n_cases=1_000_000, confidence_level=0.95)
    reach = 1.959964 * math.sqrt((0.1 - 0.02**2) / 1_000_000)

    assert interval.low == pytest.approx(0.02 - reach, abs=1e-6)
    assert interval.high == pytest.approx(0.02 + reach, abs=1e-6)


@given(table=tables_up_to_500, margin=st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=60, deadline=None)
def test_noninferiority_holds_exactly_when_the_interval_of_twice_the_level_lies_above_the_margin(
    table, margin
):
    gain, loss, rest = table
    n_cases = gain + loss + rest
    test = tango_noninferiority(gain=gain, loss=loss, n_cases=n_cases, margin=margin)
    interval = tango_interval(gain=gain, loss=loss, n_cases=n_cases, confidence_level=0.9)

    assert 0 < test.pvalue <= 1
    assert (test.pvalue <= 0.05) == (interval.low >= -margin)


@pytest.mark.parametrize(("n_cases", "margin"), [(20, 0.05), (50, 0.02), (80, 0.1), (120, 0.05)])
def test_noninferiority_is_claimed_at_the_margin_itself_in_less_than_six_percent(n_cases, margin):
    tables = all_tables(n_cases)
    pvalues = np.array(
        [tango_noninferiority(gain=g, loss=c, n_cases=n_cases, margin=margin).pvalue for g, c in tables]
    )
    sizes = [
        probabilities(tables, n_cases, (rate - margin) / 2, (rate + margin) / 2)[pvalues <= 0.05].sum()
        for rate in (margin, 0.1, 0.15, 0.2, 0.3, 0.4)
    ]

    assert 0.03 < max(sizes) < 0.06


def test_the_score_against_no_difference_is_mcnemars():
    assert tango_zscore(gain=60, loss=40, n_cases=200, difference=0.0) == pytest.approx(2.0)


def test_the_score_falls_as_the_difference_supposed_rises():
    scores = [tango_zscore(gain=9, loss=3, n_cases=40, difference=d) for d in np.linspace(-0.99, 0.99, 199)]

    assert all(later < earlier for earlier, later in pairwise(scores))


def test_pairing_that_cannot_be_judged_is_not_estimable():
    assert isinstance(pairing_efficiency(both=10, gain=0, loss=3, neither=0), NotEstimable)


def test_pairing_saves_four_fifths_of_the_set_and_not_two_thirds():
    found = pairing_efficiency(both=1105, gain=121, loss=69, neither=705)

    assert round(found.share_discarded, 2) == 0.80


@pytest.mark.parametrize("bad", [True, -1, 2.5, math.nan, "3"])
@pytest.mark.parametrize("name", ["gain", "loss", "n_cases"])
@pytest.mark.parametrize("method", [tango_interval, bonett_price_interval, fay_lumbard_interval])
def test_what_is_no_count_of_cases_is_refused_by_name(method, name, bad):
    with pytest.raises(ValueError, match=f"{name} must"):
        method(**{"gain": 1, "loss": 2, "n_cases": 30, "confidence_level": 0.95} | {name: bad})


@pytest.mark.parametrize("method", [tango_interval, bonett_price_interval, fay_lumbard_interval])
def test_more_discordant_cases_than_cases_have_no_interval(method):
    with pytest.raises(ValueError, match=r"gain \+ loss = 5 must not exceed n_cases = 4"):
        method(gain=2, loss=3, n_cases=4, confidence_level=0.95)


@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("level", [0, 1, 95, math.nan, True])
def test_a_confidence_level_outside_zero_and_one_is_refused(method, level):
    with pytest.raises(ValueError, match="confidence_level must"):
        method(gain=2, loss=3, n_cases=40, confidence_level=level)


@pytest.mark.parametrize("margin", [0, -0.05, 1, math.nan])
def test_a_margin_that_is_no_loss_is_refused(margin):
    with pytest.raises(ValueError, match="margin must"):
        tango_noninferiority(gain=2, loss=3, n_cases=40, margin=margin)


def test_no_case_at_all_is_refused():
    with pytest.raises(ValueError, match="must be at least 1"):
        newcombe_interval(both=0, gain=0, loss=0, neither=0, confidence_level=0.95)
