import numpy as np
import pytest
import writeup

from harness.stats.estimability import NotEstimable
from harness.stats.flaky import hard_flips, is_flaky, three_numbers, three_numbers_cross_fitted
from harness.stats.means import paired_mean


def rng(seed=0):
    return np.random.default_rng(seed)


def contested_votes(n, generator, *, stable_gain=0.02):
    """10% coin tosses on both arms; the others are decided, and some are gained."""
    contested = generator.random(n) < 0.1
    level = generator.random(n)
    bars = (0.6, 0.6 + stable_gain)
    return [
        np.where(contested[:, None], generator.random((n, 5)) < 0.5, level[:, None] < bar).astype(int)
        for bar in bars
    ]


@pytest.mark.parametrize(
    ("passes", "n_repeats", "flag"),
    [(0, 5, False), (1, 5, False), (2, 5, True), (3, 5, True), (4, 5, False), (1, 2, True), (1, 3, True)],
)
def test_a_tally_is_flaky_when_two_repeats_speak_against_the_rest(passes, n_repeats, flag):
    assert is_flaky(passes=np.array([passes]), n_repeats=np.array([n_repeats]))[0] == flag


def test_contributions_add_up_to_the_headline():
    baseline, candidate = contested_votes(500, rng())

    plain = three_numbers(
        baseline_passes=baseline.sum(axis=1),
        candidate_passes=candidate.sum(axis=1),
        n_repeats=5,
        confidence_level=0.95,
    )
    crossed = three_numbers_cross_fitted(baseline=baseline, candidate=candidate, confidence_level=0.95)

    for numbers in (plain, crossed):
        assert numbers.flaky.contribution + numbers.stable.contribution == pytest.approx(
            numbers.headline.difference
        )
        assert numbers.flaky.n_cases + numbers.stable.n_cases == pytest.approx(500)
    assert crossed.headline.difference == pytest.approx(plain.headline.difference)


def test_cross_fitting_takes_out_what_the_flag_puts_in():
    # A coin toss that lands 1 to 4 on both arms is flagged by neither; what is flagged has
    # tallies drawn to the middle. The candidate gains .3 on contested items alone.
    generator = rng(1)
    plain, crossed = [], []
    for _ in range(150):
        contested = generator.random((400, 1)) < 0.3
        baseline = np.where(contested, generator.random((400, 5)) < 0.2, 1).astype(int)
        candidate = np.where(contested, generator.random((400, 5)) < 0.5, 1).astype(int)
        same = three_numbers(
            baseline_passes=baseline.sum(axis=1),
            candidate_passes=candidate.sum(axis=1),
            n_repeats=5,
            confidence_level=0.95,
        )
        other = three_numbers_cross_fitted(baseline=baseline, candidate=candidate, confidence_level=0.95)
        plain.append(same.flaky.difference)
        crossed.append(other.flaky.difference)

    assert np.mean(crossed) == pytest.approx(0.3, abs=0.01)
    assert abs(np.mean(plain) - 0.3) > 0.02


def test_the_interval_of_a_cross_fitted_stratum_covers():
    generator = rng(2)
    covered = 0
    for _ in range(300):
        contested = generator.random((200, 1)) < 0.4
        baseline = np.where(contested, generator.random((200, 5)) < 0.3, 1).astype(int)
        candidate = np.where(contested, generator.random((200, 5)) < 0.5, 1).astype(int)
        found = three_numbers_cross_fitted(baseline=baseline, candidate=candidate, confidence_level=0.95)
        covered += found.flaky.interval.low <= 0.2 <= found.flaky.interval.high

    assert covered / 300 > 0.92


def test_the_writeup_reproduces_and_its_strata_lean_on_their_own_noise():
    baseline, candidate = writeup.repeated_runs(20261021, 555, candidate_bar=0.63)

    plain = three_numbers(
        baseline_passes=baseline.sum(axis=1),
        candidate_passes=candidate.sum(axis=1),
        n_repeats=5,
        confidence_level=0.95,
    )
    crossed = three_numbers_cross_fitted(baseline=baseline, candidate=candidate, confidence_level=0.95)

    # Printed there: +2.51, 382 flagged, +8.80 and +1.03. The true gain is 0.9 * 3.0 = 2.70.
    assert round(100 * plain.headline.difference, 2) == 2.51
    assert plain.flaky.n_cases == 382
    assert round(100 * plain.flaky.difference, 2) == 8.80
    assert round(100 * plain.stable.difference, 2) == 1.03
    assert plain.headline.interval.low < 0.027 < plain.headline.interval.high
    assert crossed.stable.difference > plain.stable.difference
    assert crossed.reflagged_share < 0.7


def test_the_two_thirds_of_the_writeup_are_four_fifths():
    verdicts = writeup.single_run(2000, 20261022)
    baseline, candidate = verdicts.T

    paired = paired_mean(differences=candidate - baseline, confidence_level=0.95)
    unpaired_variance = sum(arm.var(ddof=1) / arm.size for arm in (baseline, candidate))

    assert round(paired.standard_error, 4) == 0.0069
    assert 1 - paired.standard_error**2 / unpaired_variance == pytest.approx(0.803, abs=0.001)


def test_no_flaky_case_is_an_empty_stratum_and_not_zero():
    found = three_numbers(
        baseline_passes=[5, 5, 0], candidate_passes=[5, 0, 0], n_repeats=5, confidence_level=0.95
    )

    assert found.flaky.n_cases == 0
    assert isinstance(found.flaky.difference, NotEstimable)
    assert found.stable.difference == pytest.approx(-1 / 3)
    assert found.variance_share == 0


def test_clusters_widen_every_stratum():
    baseline, candidate = contested_votes(60, rng(3))
    repeated = [np.repeat(votes, 4, axis=0) for votes in (baseline, candidate)]
    clusters = np.repeat(np.arange(60), 4)

    once = three_numbers_cross_fitted(baseline=baseline, candidate=candidate, confidence_level=0.95)
    four = three_numbers_cross_fitted(
        baseline=repeated[0], candidate=repeated[1], clusters=clusters, confidence_level=0.95
    )

    assert four.headline.interval[:2] == pytest.approx(once.headline.interval[:2])
    assert four.flaky.difference == pytest.approx(once.flaky.difference)


def test_three_repeats_cannot_be_halved():
    votes = np.ones((10, 3), dtype=int)

    assert isinstance(
        three_numbers_cross_fitted(baseline=votes, candidate=votes, confidence_level=0.95), NotEstimable
    )


def test_a_case_without_verdicts_in_a_half_is_left_out_and_counted():
    baseline, candidate = contested_votes(100, rng(4))
    baseline[:3, ::2] = -1

    found = three_numbers_cross_fitted(baseline=baseline, candidate=candidate, confidence_level=0.95)

    assert found.n_left_out == 3
    assert found.headline.n_cases == 97


def test_hard_flips_are_unanimous_on_both_sides():
    found = hard_flips(
        baseline_passes=[5, 5, 0, 4, 0, 3], candidate_passes=[0, 1, 5, 0, 0, 0], n_repeats=[5, 5, 5, 5, 5, 3]
    )

    assert found.lost.tolist() == [0, 5]
    assert found.gained.tolist() == [2]


@pytest.mark.parametrize(
    ("x", "y", "k"), [([6], [5], 5), ([1, 2], [1], 5), ([1], [1], 0), ([True], [1], 5), ([0.5], [1], 5)]
)
def test_wrong_tallies_are_refused(x, y, k):
    with pytest.raises(ValueError):
        three_numbers(baseline_passes=x, candidate_passes=y, n_repeats=k, confidence_level=0.95)


@pytest.mark.parametrize("votes", [[[2, 0, 0, 0]], [[0.5, 1, 1, 1]], [0, 1, 1, 1]])
def test_wrong_votes_are_refused(votes):
    with pytest.raises(ValueError):
        three_numbers_cross_fitted(
            baseline=votes, candidate=np.ones((1, 4), dtype=int), confidence_level=0.95
        )
