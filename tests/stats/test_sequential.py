import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from harness.stats.betting import (
    betting_evidence,
    fixed_bet_evidence,
    hedged_confidence_sequence,
    hoeffding_confidence_sequence,
)
from harness.stats.sequential import (
    difference_confidence_sequence,
    discordant_evidence,
    gain_share_confidence_sequence,
    mean_confidence_sequence,
    mean_evidence,
)

# What the write-up's generator gives: rates of gain and loss for three points of true gain.
GAIN_RATE, LOSS_RATE = 0.0617126874, 0.031712713


def signs(gain, loss, agreeing):
    return [1.0] * gain + [-1.0] * loss + [0.0] * agreeing


@given(st.integers(0, 200), st.integers(0, 200), st.sampled_from([0.5, 1.0, 5.0, 50.0]))
def test_evidence_needs_no_side_and_no_order(gain, loss, concentration):
    found = discordant_evidence(gain=gain, loss=loss, concentration=concentration)
    swapped = discordant_evidence(gain=loss, loss=gain, concentration=concentration)

    assert found.log_evalue == pytest.approx(swapped.log_evalue, abs=1e-9)
    assert 0 < found.pvalue <= 1


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_evalue_is_fair_its_mean_over_the_next_case_is_what_it_was(gain, loss):
    now, gained, lost = (
        math.exp(discordant_evidence(gain=g, loss=c, concentration=1.0).log_evalue)
        for g, c in ((gain, loss), (gain + 1, loss), (gain, loss + 1))
    )

    assert (gained + lost) / 2 == pytest.approx(now, rel=1e-9)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.5, 1.0, 5.0, 50.0]))
@settings(max_examples=50, deadline=None)
def test_bounded_differences_of_one_and_zero_are_discordant_cases(gain, loss, agreeing, concentration):
    if gain + loss + agreeing == 0:
        return
    of_means = mean_evidence(signs(gain, loss, agreeing), concentration=concentration)
    of_counts = discordant_evidence(gain=gain, loss=loss, concentration=concentration)

    assert of_means.log_evalue == pytest.approx(of_counts.log_evalue, abs=1e-8)


@given(st.integers(0, 80), st.integers(0, 80), st.integers(1, 300), st.sampled_from([1.0, 5.0]))
@settings(max_examples=60, deadline=None)
def test_the_confidence_sequences_leave_zero_out_exactly_when_the_evidence_stops_the_run(
    gain, loss, agreeing, concentration
):
    stops = discordant_evidence(gain=gain, loss=loss, concentration=concentration).pvalue <= 0.05
    difference = difference_confidence_sequence(
        gain=gain,
        loss=loss,
        n_cases=gain + loss + agreeing,
        confidence_level=0.95,
        concentration=concentration,
    )
    share = gain_share_confidence_sequence(
        gain=gain, loss=loss, confidence_level=0.95, concentration=concentration
    )

    assert (difference.low > 0 or difference.high < 0) == stops
    assert (share.low > 0.5 or share.high < 0.5) == stops
    assert -1 <= difference.low <= (gain - loss) / (gain + loss + agreeing) <= difference.high <= 1


@given(st.integers(0, 80), st.integers(0, 80), st.integers(1, 300))
@settings(max_examples=40, deadline=None)
def test_swapping_the_arms_mirrors_the_confidence_sequence(gain, loss, agreeing):
    shared = {"n_cases": gain + loss + agreeing, "confidence_level": 0.95, "concentration": 5.0}
    found = difference_confidence_sequence(gain=gain, loss=loss, **shared)
    swapped = difference_confidence_sequence(gain=loss, loss=gain, **shared)

    assert found.low == pytest.approx(-swapped.high, abs=1e-9)


def test_no_case_yet_says_nothing_and_one_case_next_to_nothing():
    assert discordant_evidence(gain=0, loss=0, concentration=1.0) == (0.0, 1.0)
    interval = difference_confidence_sequence(
        gain=0, loss=0, n_cases=1, confidence_level=0.95, concentration=1.0
    )
    assert interval.low < -0.95
    assert interval.high > 0.95


def test_only_gains_end_at_the_end_of_the_scale():
    interval = difference_confidence_sequence(
        gain=1000, loss=0, n_cases=1000, confidence_level=0.95, concentration=1.0
    )

    assert interval.high == 1.0
    assert interval.low > 0.97


def test_a_million_cases_take_no_longer_than_a_blink_and_agree_with_the_normal_scale():
    interval = difference_confidence_sequence(
        gain=60_000, loss=59_000, n_cases=1_000_000, confidence_level=0.95, concentration=5.0
    )
    reach = math.sqrt(119_000) / 1_000_000

    assert 0.001 - 5 * reach < interval.low < 0.001 - 2 * reach
    assert 0.001 + 2 * reach < interval.high < 0.001 + 5 * reach


def simulated_paths(gain_rate, loss_rate, *, n_runs, n_max, seed):
    """Return running counts of gains and losses. Each of shape (n_runs, n_max)."""
    draws = np.random.default_rng(seed).uniform(size=(n_runs, n_max))
    gains = draws < gain_rate
    losses = (draws >= gain_rate) & (draws < gain_rate + loss_rate)
    return np.cumsum(gains, axis=1), np.cumsum(losses, axis=1)


def log_evalues(gains, losses, concentration):
    a = concentration
    return betaln(a + gains, a + losses) - betaln(a, a) + (gains + losses) * math.log(2)


def test_looking_after_every_case_keeps_the_level():
    half = (GAIN_RATE + LOSS_RATE) / 2
    for concentration in (1.0, 5.0):
        gains, losses = simulated_paths(half, half, n_runs=2000, n_max=2000, seed=11)
        stopped = np.any(log_evalues(gains, losses, concentration) >= math.log(20), axis=1)
        assert 0.015 < stopped.mean() < 0.05


def test_at_three_points_of_true_gain_a_run_of_two_thousand_stops_before_half_on_most_seeds():
    gains, losses = simulated_paths(GAIN_RATE, LOSS_RATE, n_runs=1500, n_max=2000, seed=12)
    crossed = log_evalues(gains, losses, 5.0) >= math.log(20)
    stops = np.where(crossed.any(axis=1), crossed.argmax(axis=1) + 1, 2000)

    assert crossed.any(axis=1).mean() == pytest.approx(0.948, abs=0.025)
    assert np.median(stops) == pytest.approx(768, abs=60)
    assert stops.mean() == pytest.approx(874, abs=60)


def test_the_confidence_sequence_covers_at_every_one_of_many_looks():
    gains, losses = simulated_paths(0.12, 0.04, n_runs=150, n_max=400, seed=13)
    looks = [10, 30, 100, 400]
    missed = 0
    for run in range(150):
        intervals = [
            difference_confidence_sequence(
                gain=int(gains[run, n - 1]),
                loss=int(losses[run, n - 1]),
                n_cases=n,
                confidence_level=0.9,
                concentration=1.0,
            )
            for n in looks
        ]
        missed += any(not interval.low <= 0.08 <= interval.high for interval in intervals)

    assert missed / 150 < 0.10


def test_bets_that_adapt_keep_their_level_and_find_what_is_there():
    rng = np.random.default_rng(14)

    def stops(probabilities):
        draws = rng.choice([-0.4, -0.2, 0.0, 0.2, 0.4], p=probabilities, size=(400, 400))
        ends = (50, 100, 200, 400)
        return np.mean([any(betting_evidence(d[:n], alpha=0.05).pvalue <= 0.05 for n in ends) for d in draws])

    assert stops([0.1, 0.2, 0.4, 0.2, 0.1]) < 0.05
    assert stops([0.0, 0.1, 0.4, 0.3, 0.2]) > 0.9


@pytest.mark.parametrize("method", [hedged_confidence_sequence, hoeffding_confidence_sequence])
@given(differences=st.lists(st.sampled_from([-1.0, -0.4, 0.0, 0.2, 1.0]), min_size=1, max_size=80))
@settings(max_examples=40, deadline=None)
def test_sequences_by_bets_in_order_mirror_and_stay_on_the_scale(method, differences):
    found = method(differences, confidence_level=0.95)
    mirrored = method([-d for d in differences], confidence_level=0.95)

    assert -1 <= found.low <= found.high <= 1
    assert found.low == pytest.approx(-mirrored.high, abs=1e-9)


def test_knowing_the_variance_makes_the_sequence_shorter():
    differences = np.tile([0.0] * 18 + [1.0, -1.0], 40)
    np.random.default_rng(3).shuffle(differences)

    widths = [
        interval.high - interval.low
        for interval in (
            mean_confidence_sequence(differences, confidence_level=0.95, concentration=1.0),
            hoeffding_confidence_sequence(differences, confidence_level=0.95),
        )
    ]

    assert widths[0] < widths[1] / 2


def test_scores_of_clusters_may_be_any_number_of_the_scale():
    differences = np.random.default_rng(4).uniform(-0.3, 0.5, size=150)
    interval = mean_confidence_sequence(differences, confidence_level=0.95, concentration=1.0)

    assert interval.low < differences.mean() < interval.high
    assert (interval.low > 0) == (mean_evidence(differences, concentration=1.0).pvalue <= 0.05)


@pytest.mark.parametrize("concentration", [0, 0.4, -1, math.nan, math.inf, True])
def test_a_concentration_that_is_no_prior_is_refused(concentration):
    with pytest.raises(ValueError, match="concentration must"):
        discordant_evidence(gain=3, loss=1, concentration=concentration)


@pytest.mark.parametrize("bad", [True, -1, 1.5, math.nan])
def test_what_is_no_count_has_no_evidence(bad):
    with pytest.raises(ValueError, match="gain must"):
        discordant_evidence(gain=bad, loss=1, concentration=1.0)
    with pytest.raises(ValueError, match="loss must"):
        fixed_bet_evidence(gain=1, loss=bad, bet=0.3)


@pytest.mark.parametrize("bad", [[], [0.0, math.nan], [1.5], [-1.1], [[0.0]]])
@pytest.mark.parametrize(
    "method",
    [
        lambda d: mean_evidence(d, concentration=1.0),
        lambda d: mean_confidence_sequence(d, confidence_level=0.95, concentration=1.0),
        lambda d: betting_evidence(d, alpha=0.05),
        lambda d: hedged_confidence_sequence(d, confidence_level=0.95),
        lambda d: hoeffding_confidence_sequence(d, confidence_level=0.95),
    ],
)
def test_differences_off_the_scale_are_refused(method, bad):
    with pytest.raises(ValueError, match="differences"):
        method(bad)


def test_more_discordant_cases_than_cases_have_no_sequence():
    with pytest.raises(ValueError, match="must not exceed n_cases"):
        difference_confidence_sequence(gain=3, loss=3, n_cases=5, confidence_level=0.95, concentration=1.0)
