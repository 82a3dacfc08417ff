import math

import numpy as np
import pytest

from harness.stats.bias import position_bias
from harness.stats.drift import accuracy_slope, bernoulli_cusum, cusum_limit, ewma
from harness.stats.estimability import NotEstimable
from harness.stats.length_control import length_controlled_win_rate, win_rate_by_length
from harness.stats.leniency import leniency_difference


def rng(seed=0):
    return np.random.default_rng(seed)


# Charts.


def test_the_cusum_is_its_recursion():
    errors = np.append(True, rng().random(300) < 0.1)
    wrong, right = math.log(0.15 / 0.05), math.log(0.85 / 0.95)
    level, expected = 0.0, []
    for error in errors:
        level = max(0.0, level + (wrong if error else right))
        expected.append(level)

    path = bernoulli_cusum(errors=errors, accepted_rate=0.05, rate_to_catch=0.15, limit=2.0)

    assert path.statistics == pytest.approx(expected)
    assert path.first_alarm == next(i for i, value in enumerate(expected) if value >= 2.0)


def test_a_judge_without_errors_never_alarms():
    path = bernoulli_cusum(errors=[0] * 500, accepted_rate=0.05, rate_to_catch=0.15, limit=2.0)

    assert path.first_alarm is None
    assert np.all(path.statistics == 0)


def test_the_limit_found_has_the_run_length_asked_for():
    found = cusum_limit(accepted_rate=0.05, rate_to_catch=0.2, run_length=200, n_runs=1000, rng=rng(1))

    def run_length(rate, seed):
        generator, lengths = rng(seed), []
        for _ in range(400):
            path = bernoulli_cusum(
                errors=generator.random(3000) < rate, accepted_rate=0.05, rate_to_catch=0.2, limit=found.limit
            )
            lengths.append(3000 if path.first_alarm is None else path.first_alarm + 1)
        return np.mean(lengths)

    assert found.in_control.mean >= 200
    assert run_length(0.05, 2) == pytest.approx(found.in_control.mean, rel=0.2)
    assert run_length(0.2, 3) == pytest.approx(found.out_of_control.mean, rel=0.15)
    assert found.out_of_control.mean < 40


@pytest.mark.parametrize(
    "change",
    [
        {"accepted_rate": 0.3},
        {"accepted_rate": 0.0},
        {"limit": 0.0},
        {"errors": [0, 2]},
        {"errors": []},
        {"errors": [0.5]},
    ],
)
def test_a_wrong_chart_is_refused(change):
    arguments = {"errors": [0, 1], "accepted_rate": 0.05, "rate_to_catch": 0.2, "limit": 2.0} | change

    with pytest.raises(ValueError):
        bernoulli_cusum(**arguments)


def test_a_run_length_needs_enough_runs():
    with pytest.raises(ValueError, match="n_runs"):
        cusum_limit(accepted_rate=0.05, rate_to_catch=0.2, run_length=200, n_runs=10, rng=rng())


def test_the_weighted_curve_starts_where_all_is_well():
    path = ewma(values=[0, 0, 1], weight=0.5, start=0.1)

    assert path.means == pytest.approx([0.05, 0.025, 0.5125])


def test_slow_decay_shows_as_a_slope_and_easy_newcomers_do_not():
    generator = rng(4)
    decaying = (generator.random((80, 8)) < np.linspace(0.95, 0.75, 8)).astype(int)
    # Hard anchors leave, easy ones join: accuracy rises although no anchor changes its chance.
    turnover = (generator.random((80, 8)) < np.repeat([[0.5], [0.95]], 40, axis=0)).astype(int)
    turnover[:40, 4:] = -1
    turnover[40:, :4] = -1

    decay = accuracy_slope(correct=decaying, confidence_level=0.95)
    steady = accuracy_slope(correct=turnover, confidence_level=0.95)

    assert decay.interval.high < 0
    assert decay.difference == pytest.approx(-0.2 / 7, abs=0.012)
    assert steady.interval.low < 0 < steady.interval.high


def test_one_audit_has_no_slope():
    assert isinstance(accuracy_slope(correct=[[1], [0]], confidence_level=0.95), NotEstimable)
    with pytest.raises(ValueError):
        accuracy_slope(correct=[[2, 0]], confidence_level=0.95)


# Position.


def test_pairs_judged_both_ways_are_summed_up():
    found = position_bias(
        n_candidate_both=10,
        n_baseline_both=6,
        n_first_both=9,
        n_second_both=1,
        n_other=4,
        confidence_level=0.95,
    )

    assert found.n_pairs == 30
    assert found.win_rate == pytest.approx((10 + 14 / 2) / 30)
    assert found.consistency == pytest.approx(20 / 30)
    assert found.first_slot_share == 0.9
    assert found.pvalue_position == pytest.approx(2 * 11 / 2**10)


def test_a_judge_without_reversals_has_no_first_slot_share():
    found = position_bias(
        n_candidate_both=3,
        n_baseline_both=2,
        n_first_both=0,
        n_second_both=0,
        n_other=0,
        confidence_level=0.95,
    )

    assert isinstance(found.first_slot_share, NotEstimable)
    assert found.pvalue_position == 1
    assert found.consistency_interval.low < 1


def test_no_pairs_have_no_position():
    nothing = dict.fromkeys(
        ("n_candidate_both", "n_baseline_both", "n_first_both", "n_second_both", "n_other"), 0
    )

    assert isinstance(position_bias(**nothing, confidence_level=0.95), NotEstimable)
    with pytest.raises(ValueError):
        position_bias(**(nothing | {"n_other": -1}), confidence_level=0.95)


# Length.


def length_lover(n, generator, *, slope, lead=0.0):
    differences = generator.normal(0.5, 1.0, n)
    return (generator.random(n) < 1 / (1 + np.exp(-lead - slope * differences))).astype(float), differences


def test_a_judge_who_loves_length_is_corrected_to_even():
    wins, differences = length_lover(3000, rng(5), slope=1.5)

    found = length_controlled_win_rate(wins=wins, length_differences=differences, confidence_level=0.95)

    assert found.raw_win_rate > 0.58
    assert found.interval.low < 0.5 < found.interval.high
    assert found.slope_pvalue < 1e-10
    thirds = win_rate_by_length(wins=wins, length_differences=differences)
    assert [third.n_pairs for third in thirds] == [1000, 1000, 1000]
    assert thirds[0].win_rate < 0.4 < 0.7 < thirds[2].win_rate


def test_the_controlled_interval_covers():
    generator = rng(6)
    covered = 0
    for _ in range(400):
        wins, differences = length_lover(120, generator, slope=0.8, lead=0.4)
        interval = length_controlled_win_rate(
            wins=wins, length_differences=differences, confidence_level=0.95
        ).interval
        covered += interval.low <= 1 / (1 + math.exp(-0.4)) <= interval.high

    assert covered / 400 > 0.92


def test_the_unit_of_length_changes_the_slope_alone():
    wins, differences = length_lover(200, rng(7), slope=0.5)

    plain = length_controlled_win_rate(wins=wins, length_differences=differences, confidence_level=0.95)
    words = length_controlled_win_rate(wins=wins, length_differences=differences * 250, confidence_level=0.95)

    assert words.win_rate == pytest.approx(plain.win_rate)
    assert words.slope == pytest.approx(plain.slope / 250)
    assert words.slope_pvalue == pytest.approx(plain.slope_pvalue)


@pytest.mark.parametrize(
    ("wins", "differences", "reason"),
    [
        ([1.0, 0.0] * 4, list(range(8)), "8 pairs"),
        ([1.0] * 12, list(range(12)), "same way"),
        ([1.0, 0.0] * 6, [3] * 12, "equal"),
        ([0.0] * 6 + [1.0] * 6, list(range(-6, 6)), "length alone"),
    ],
)
def test_length_is_not_controlled_where_the_data_cannot_tell(wins, differences, reason):
    found = length_controlled_win_rate(wins=wins, length_differences=differences, confidence_level=0.95)

    assert isinstance(found, NotEstimable)
    assert reason in found.reason


def test_wins_outside_zero_and_one_are_refused():
    with pytest.raises(ValueError, match="wins"):
        length_controlled_win_rate(wins=[2.0] * 12, length_differences=range(12), confidence_level=0.95)


# Family and format.


def two_families(n, generator, *, favour):
    """Answers of two families, the first far better, and a judge who errs on 15% of them."""
    own = np.arange(n) % 2 == 0
    human = (generator.random(n) < np.where(own, 0.8, 0.3)).astype(float)
    judge = np.where(generator.random(n) < 0.15, 1 - human, human)
    return own, human, np.where(own & (generator.random(n) < favour), 1.0, judge)


def test_a_better_group_is_not_a_favoured_one():
    generator = rng(8)
    alarms = np.zeros(2)
    for _ in range(300):
        for index, favour in enumerate((0.0, 0.5)):
            own, human, judge = two_families(400, generator, favour=favour)
            found = leniency_difference(judge=judge, human=human, in_group=own, confidence_level=0.95)
            alarms[index] += found.interval.low > 0 or found.interval.high < 0

    assert 0.02 < alarms[0] / 300 < 0.08
    assert alarms[1] / 300 > 0.9


def test_the_difference_is_the_least_squares_effect_beside_the_human_score():
    generator = rng(10)
    human = generator.integers(0, 3, 90) / 2
    own = generator.random(90) < 0.2 + 0.6 * human
    judge = generator.random(90)
    design = np.stack((own, human == 0.0, human == 0.5, human == 1.0), axis=1).astype(float)

    found = leniency_difference(judge=judge, human=human, in_group=own, confidence_level=0.95)

    assert found.difference == pytest.approx(np.linalg.lstsq(design, judge, rcond=None)[0][0])


def test_answers_of_one_case_count_as_one_cluster():
    own, human, judge = two_families(100, rng(9), favour=0.2)
    clusters = np.arange(100) // 2

    once = leniency_difference(
        judge=judge, human=human, in_group=own, clusters=clusters, confidence_level=0.95
    )
    four = leniency_difference(
        judge=np.tile(judge, 4),
        human=np.tile(human, 4),
        in_group=np.tile(own, 4),
        clusters=np.tile(clusters, 4),
        confidence_level=0.95,
    )

    assert four.difference == pytest.approx(once.difference)
    assert four.standard_error == pytest.approx(once.standard_error, rel=0.05)


def test_human_scores_on_one_side_only_are_left_out_and_counted():
    human = np.array([1.0] * 20 + [0.0] * 5)
    own = np.append(np.arange(20) % 2 == 0, np.zeros(5, dtype=bool))
    judge = np.append((np.arange(20) % 3 == 0) * 1.0, np.ones(5))

    found = leniency_difference(judge=judge, human=human, in_group=own, confidence_level=0.95)

    assert found.n_left_out == 5
    assert (found.n_inside, found.n_outside) == (10, 10)
    assert found.difference == pytest.approx(judge[:20:2].mean() - judge[1:20:2].mean())


def test_a_judge_who_always_followed_people_may_still_stray_a_little():
    human = np.tile([1.0, 1.0, 0.0, 0.0], 50)

    found = leniency_difference(
        judge=human, human=human, in_group=np.arange(200) % 2 == 0, confidence_level=0.95
    )

    assert found.difference == 0
    assert -0.05 < found.interval.low < 0 < found.interval.high < 0.05


def test_a_group_of_all_or_none_has_nothing_to_compare_with():
    for inside in (np.ones(4, dtype=bool), np.zeros(4, dtype=bool)):
        found = leniency_difference(
            judge=[1, 0, 1, 1], human=[1, 0, 0, 1], in_group=inside, confidence_level=0.95
        )
        assert isinstance(found, NotEstimable)


@pytest.mark.parametrize("change", [{"judge": [2.0, 0.0]}, {"in_group": [1, 0]}, {"human": [0.0]}])
def test_scores_that_are_none_are_refused(change):
    arguments = {"judge": [1.0, 0.0], "human": [1.0, 0.0], "in_group": np.array([True, False])} | change

    with pytest.raises(ValueError):
        leniency_difference(**arguments, confidence_level=0.95)
