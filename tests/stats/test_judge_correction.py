import math

import numpy as np
import pytest
from scipy import stats

from harness.stats.design_effect import design_effect
from harness.stats.estimability import NotEstimable
from harness.stats.judge_error import DesignEffects, corrected_rate, rectifier, rogan_gladen
from harness.stats.prediction_powered import human_scale_difference


def rng(seed=0):
    return np.random.default_rng(seed)


def judged(truth, *, sensitivity, specificity, generator):
    return np.where(
        truth, generator.random(truth.shape) < sensitivity, generator.random(truth.shape) >= specificity
    )


def two_arms(n, generator, *, candidate_specificity=0.85, gain=0.0, per_cluster=1):
    """Human and judge differences of n cases whose easiness is shared by both arms."""
    easiness = np.repeat(generator.normal(0, 1.2, n // per_cluster), per_cluster)
    chance = 1 / (1 + np.exp(-(0.4 + easiness)))
    baseline = generator.random(n) < chance
    candidate = generator.random(n) < np.clip(chance + gain, 0, 1)
    judge = judged(candidate, sensitivity=0.92, specificity=candidate_specificity, generator=generator)
    against = judged(baseline, sensitivity=0.92, specificity=0.85, generator=generator)
    return candidate * 1.0 - baseline, judge * 1.0 - against


# One arm's rate.


def test_a_perfect_judge_needs_no_correction():
    assert rogan_gladen(apparent=0.3, sensitivity=1.0, specificity=1.0) == pytest.approx(0.3)


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.5, 0.5), (0.2, 0.3)])
def test_a_judge_that_guesses_cannot_be_corrected(sensitivity, specificity):
    found = rogan_gladen(apparent=0.3, sensitivity=sensitivity, specificity=specificity)

    assert isinstance(found, NotEstimable)
    assert "guessing" in found.reason


def corrected(**change):
    arguments = {
        "n_passed": 60,
        "n_judged": 100,
        "true_pass": 45,
        "n_pass": 50,
        "true_fail": 40,
        "n_fail": 50,
        "confidence_level": 0.95,
    }
    return corrected_rate(**(arguments | change))


def test_the_corrected_interval_covers():
    generator = rng(1)
    covered = 0
    for _ in range(1500):
        found = corrected(
            n_passed=generator.binomial(400, 0.3 * 0.9 + 0.7 * 0.2),
            n_judged=400,
            true_pass=generator.binomial(60, 0.9),
            n_pass=60,
            true_fail=generator.binomial(60, 0.8),
            n_fail=60,
        )
        covered += found.interval.low <= 0.3 <= found.interval.high

    assert covered / 1500 > 0.935


def test_a_rate_that_the_judges_errors_cannot_explain_is_refused():
    found = corrected(n_passed=0, n_judged=100_000, true_fail=250, n_fail=500, true_pass=450, n_pass=500)

    assert isinstance(found, NotEstimable)
    assert "anchors are not like the answers" in found.reason


def test_three_anchors_that_the_judge_got_right_do_not_save_a_judge_that_guesses():
    found = corrected(true_pass=3, n_pass=3, true_fail=1, n_fail=20)

    assert isinstance(found, NotEstimable)
    assert "3 good and 20 bad anchors are too few" in found.reason


def test_a_rate_cut_at_zero_says_so():
    found = corrected(n_passed=15, true_fail=40)

    assert found.was_cut
    assert found.estimate == 0
    assert found.interval.high > 0


@pytest.mark.parametrize(
    "change",
    [
        {"n_passed": 101},
        {"n_pass": 0, "true_pass": 0},
        {"true_fail": -1},
        {"n_judged": True},
        {"n_passed": 0.5},
    ],
)
def test_counts_that_are_none_are_refused(change):
    with pytest.raises(ValueError):
        corrected(**change)


def test_rates_outside_zero_and_one_are_refused():
    with pytest.raises(ValueError, match="sensitivity"):
        rogan_gladen(apparent=0.5, sensitivity=1.2, specificity=0.5)


# Errors that differ between arms.


def test_the_rectifier_finds_a_judge_who_is_lenient_on_one_arm():
    human, judge = two_arms(400, rng(2), candidate_specificity=0.6)

    found = rectifier(judge_differences=judge, human_differences=human, confidence_level=0.95)

    assert found.interval.low > 0
    assert found.rectifier.difference == pytest.approx(found.judge_difference - found.human_difference)


def test_equal_errors_on_both_arms_leave_the_rectifier_at_zero():
    generator = rng(3)
    outside = 0
    for _ in range(400):
        human, judge = two_arms(80, generator)
        interval = rectifier(judge_differences=judge, human_differences=human, confidence_level=0.95).interval
        outside += not interval.low <= 0 <= interval.high

    assert outside / 400 < 0.07


def test_a_judge_who_never_differed_from_people_may_still_differ():
    found = rectifier(
        judge_differences=[0.0, 1.0] * 10, human_differences=[0.0, 1.0] * 10, confidence_level=0.95
    )

    assert isinstance(found.rectifier, NotEstimable)
    assert found.interval.low < -0.05 < 0.05 < found.interval.high


@pytest.mark.parametrize(
    ("judge", "human"), [([0.5], [0.5, 0.2]), ([2.0], [0.0]), ([math.nan], [0.0]), ([], [])]
)
def test_differences_that_are_none_are_refused(judge, human):
    with pytest.raises(ValueError):
        rectifier(judge_differences=judge, human_differences=human, confidence_level=0.95)


# The human scale.


def scale(human, judge, n_anchors, **change):
    arguments = {
        "human_anchors": human[:n_anchors],
        "judge_anchors": judge[:n_anchors],
        "judge_unlabelled": judge[n_anchors:],
        "selection": "random",
        "tuning": None,
        "confidence_level": 0.95,
    }
    return human_scale_difference(**(arguments | change))


@pytest.mark.parametrize("n_anchors", [30, 150])
def test_people_and_judge_together_cover_the_human_truth_where_the_judge_alone_does_not(n_anchors):
    generator = rng(n_anchors)
    covered = np.zeros(3)
    widths = []
    for _ in range(400):
        human, judge = two_arms(600, generator, candidate_specificity=0.70)
        found = scale(human, judge, n_anchors)
        rows = (found.judge_only, found.human_only, found.combined)
        covered += [row.interval.low <= 0 <= row.interval.high for row in rows]
        widths.append(found.combined.standard_error / found.human_only.standard_error)

    judge_only, human_only, combined = covered / 400
    assert judge_only < 0.75
    assert min(human_only, combined) > 0.92
    assert np.mean(widths) < 0.95


def test_clusters_in_both_groups_keep_the_coverage():
    generator = rng(5)
    covered = 0
    for _ in range(300):
        human, judge = two_arms(600, generator, per_cluster=6)
        # Cluster effects on the difference itself, shared by all cases of a cluster.
        harder = np.repeat(generator.random(100) < 0.3, 6)
        human, judge = np.where(harder, -1.0, human), np.where(harder, -1.0, judge)
        order = generator.permutation(600)
        clusters = np.repeat(np.arange(100), 6)[order]
        found = scale(
            human[order],
            judge[order],
            200,
            anchor_clusters=clusters[:200],
            unlabelled_clusters=clusters[200:],
        ).combined
        covered += found.interval.low <= -0.3 <= found.interval.high

    assert covered / 300 > 0.91


def test_a_judge_who_knows_nothing_gets_no_weight():
    human, _ = two_arms(2000, rng(6))
    noise = rng(7).choice([-1.0, 0.0, 1.0], 2000)

    found = scale(human, noise, 500).combined

    assert found.tuning < 0.1
    assert found.effective_n_anchors == pytest.approx(500, rel=0.05)


def test_a_perfect_judge_makes_anchors_of_all_cases():
    human, _ = two_arms(2000, rng(8))

    found = scale(human, human, 200).combined

    assert found.tuning == pytest.approx(1 / (1 + 200 / 1800), abs=0.05)
    assert found.effective_n_anchors > 1500


def test_each_anchors_weight_owes_nothing_to_its_own_label():
    human, judge = two_arms(120, rng(14))
    others = judge[40:]
    corrected = []
    for left_out in range(40):
        h, j = np.delete(human[:40], left_out), np.delete(judge[:40], left_out)
        variance = np.append(j, others).var(ddof=1)
        weight = np.cov(h, j)[0, 1] / ((1 + h.size / others.size) * variance)
        weight = min(max(weight, 0.0), 1.0)
        corrected.append(human[left_out] - weight * (judge[left_out] - others.mean()))

    assert scale(human, judge, 40).combined.difference == pytest.approx(np.mean(corrected))


def test_the_order_of_anchors_changes_nothing():
    human, judge = two_arms(300, rng(9))
    order = np.append(rng(10).permutation(60), np.arange(60, 300))

    plain, mixed = scale(human, judge, 60).combined, scale(human[order], judge[order], 60).combined

    assert mixed.difference == pytest.approx(plain.difference, rel=1e-12)
    assert mixed.interval[:2] == pytest.approx(plain.interval[:2], rel=1e-12)


@pytest.mark.parametrize(
    ("n", "n_anchors", "change", "reason"),
    [
        (300, 60, {"selection": "curated"}, "picked"),
        (300, 9, {}, "9 anchors"),
        (60, 60, {}, "every case"),
        (
            300,
            60,
            {"anchor_clusters": np.arange(60) % 9, "unlabelled_clusters": np.arange(240)},
            "9 clusters",
        ),
    ],
)
def test_the_combined_row_is_refused_with_its_reason(n, n_anchors, change, reason):
    human, judge = two_arms(n, rng(11))

    found = scale(human, judge, n_anchors, **change)

    assert isinstance(found.combined, NotEstimable)
    assert reason in found.combined.reason
    assert not isinstance(found.human_only, NotEstimable)


@pytest.mark.parametrize(
    "change",
    [
        {"tuning": 1.5},
        {"human_anchors": [0.5] * 59},
        {"judge_unlabelled": [2.0]},
        {"anchor_clusters": ["a"] * 60},
    ],
)
def test_a_wrong_human_scale_is_refused(change):
    human, judge = two_arms(300, rng(12))

    with pytest.raises(ValueError):
        scale(human, judge, 60, **change)


@pytest.mark.parametrize(
    ("outcomes", "clusters", "effect"),
    [
        ([1, 0, 1, 0], None, 1.0),
        # Clusters of one kind: 4 / 3 * 4 / 8 / (1 / 4) = 8 / 3, cut at their size, 2.
        ([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 2, 2, 3, 3, 4, 4], 2.0),
        # Every cluster has one of each: narrower than chance, which is never taken.
        ([1, 0, 1, 0], [1, 1, 2, 2], 1.0),
        # All alike says nothing: a cluster counts as one answer.
        ([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 2, 2], (16 + 4) / 6),
    ],
)
def test_clusters_widen_a_share_by_their_design_effect(outcomes, clusters, effect):
    assert design_effect(outcomes=outcomes, clusters=clusters) == pytest.approx(effect)


def test_the_corrected_interval_covers_where_clusters_are_of_one_kind():
    generator, covered, naive, n_runs = rng(15), 0, 0, 400
    groups = np.repeat(np.arange(60), 10)
    for _ in range(n_runs):
        good = np.repeat(generator.random(60) < 0.5, 10)
        passed = judged(good, sensitivity=0.95, specificity=0.8, generator=generator)
        counts = {
            "n_passed": int(passed.sum()),
            "n_judged": 600,
            "true_pass": int(passed[:200][good[:200]].sum()),
            "n_pass": int(good[:200].sum()),
            "true_fail": int((~passed[:200][~good[:200]]).sum()),
            "n_fail": int((~good[:200]).sum()),
        }
        effects = DesignEffects(design_effect(outcomes=passed, clusters=groups), 1.0, 1.0)
        found = corrected(**counts, design_effects=effects)
        covered += found.interval.low <= 0.5 <= found.interval.high
        alone = corrected(**counts)
        naive += alone.interval.low <= 0.5 <= alone.interval.high

    # 380 expected; fewer than 366 have a probability of 0.001.
    assert covered >= 366
    assert naive < 330


def test_a_design_effect_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        corrected(design_effects=DesignEffects(0.5, 1.0, 1.0))


def test_a_judge_as_good_as_people_leaves_room_for_what_its_weight_is_unsure_of():
    generator, covered, n_runs = rng(16), 0, 600
    for _ in range(n_runs):
        kind = generator.choice(3, p=[0.85, 0.15, 0.0], size=600)
        human = np.where(kind == 1, 1.0, 0.0)
        found = scale(human, human, 30).combined
        if not isinstance(found, NotEstimable):
            covered += found.interval.low <= 0.15 <= found.interval.high
        else:
            n_runs -= 1

    # Without that room it covers .90.
    assert covered >= stats.binom.ppf(0.001, n_runs, 0.95)
