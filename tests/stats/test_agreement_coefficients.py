import math

import numpy as np
import pytest

from harness.stats.agreement import binary_counts, cohen_kappa, confusion, raw_agreement
from harness.stats.annotators import alternative_annotator_test, leave_one_human_out
from harness.stats.estimability import NotEstimable
from harness.stats.intraclass import intraclass_correlations
from harness.stats.multirater import (
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    label_counts,
    percent_agreement,
)

PARADOX = [[118, 5], [2, 0]]


def rng(seed=0):
    return np.random.default_rng(seed)


def noisy_copies(truth, n_raters, error_rate, generator, n_labels=2):
    wrong = generator.random((truth.size, n_raters)) < error_rate
    shift = generator.integers(1, n_labels, (truth.size, n_raters)) if n_labels > 2 else 1
    return np.where(wrong, (truth[:, None] + shift) % n_labels, truth[:, None])


# Two raters.


def test_a_missing_rating_is_no_category():
    found = confusion(first=[1, 0, -1, 1, -1], second=[1, 1, 0, -1, -1], n_labels=2)

    assert found.table.tolist() == [[0, 1], [0, 1]]
    assert found.n_missing == 3


def test_verdicts_are_counted_against_the_truth():
    found = binary_counts(truth=[1, 1, 1, 0, 0, -1, 1], verdict=[1, 0, 1, 0, 1, 1, -1])

    assert found == (2, 3, 1, 2)


def test_rare_labels_pull_kappa_to_zero_and_leave_ac1_alone():
    ratings = np.repeat([[0, 0], [0, 1], [1, 0]], [118, 5, 2], axis=0)

    kappa = cohen_kappa(table=PARADOX, weighting="nominal", confidence_level=0.95)
    ac1 = gwet_ac(table=label_counts(ratings=ratings, n_labels=2), weighting="nominal", confidence_level=0.95)

    assert raw_agreement(PARADOX) == pytest.approx(0.944)
    assert kappa.estimate < 0
    assert ac1.estimate == pytest.approx(0.941, abs=0.001)


@pytest.mark.parametrize("weighting", ["nominal", "linear", "quadratic"])
def test_kappa_of_one_label_alone_has_no_number(weighting):
    found = cohen_kappa(table=[[0, 0], [0, 30]], weighting=weighting, confidence_level=0.95)

    assert isinstance(found, NotEstimable)
    assert "0/0" in found.reason


def test_two_raters_who_never_agree_on_one_label_each_have_kappa_zero():
    # Chance agreement is 0 as well: this is not the 0/0 of full agreement.
    assert cohen_kappa(table=[[0, 9], [0, 0]], weighting="nominal", confidence_level=0.95).estimate == 0


def test_full_agreement_has_kappa_one_without_an_interval_of_zero_width():
    found = cohen_kappa(table=[[7, 0], [0, 9]], weighting="nominal", confidence_level=0.95)

    assert found.estimate == 1
    assert isinstance(found.interval, NotEstimable)


def test_kappa_does_not_depend_on_the_order_of_raters_or_of_nominal_labels():
    table = np.array([[13, 2, 0], [1, 20, 7], [3, 4, 56]])
    plain = cohen_kappa(table=table, weighting="nominal", confidence_level=0.95)

    for same in (table.T, table[::-1, ::-1]):
        other = cohen_kappa(table=same, weighting="nominal", confidence_level=0.95)
        assert other.estimate == pytest.approx(plain.estimate)
        assert other.standard_error == pytest.approx(plain.standard_error)


def test_the_interval_of_kappa_covers():
    generator = rng(1)
    covered = 0
    # Truth: p_o = .9^2 + .1^2 = .82, p_e = .5, kappa = .64.
    for _ in range(800):
        ratings = noisy_copies(generator.integers(0, 2, 150), 2, 0.1, generator)
        table = confusion(first=ratings[:, 0], second=ratings[:, 1], n_labels=2).table
        interval = cohen_kappa(table=table, weighting="nominal", confidence_level=0.95).interval
        covered += interval.low <= 0.64 <= interval.high

    assert 0.925 < covered / 800 < 0.975


def test_no_common_item_has_no_agreement():
    empty = [[0, 0], [0, 0]]

    assert isinstance(raw_agreement(empty), NotEstimable)
    assert isinstance(cohen_kappa(table=empty, weighting="nominal", confidence_level=0.95), NotEstimable)


@pytest.mark.parametrize(
    ("first", "second"), [([2], [0]), ([-2], [0]), ([0, 1], [0]), ([0.5], [0]), ([True], [1])]
)
def test_labels_that_nobody_declared_are_refused(first, second):
    with pytest.raises(ValueError):
        confusion(first=first, second=second, n_labels=2)


@pytest.mark.parametrize("table", [[[1, 2]], [[1]], [[1, -1], [0, 2]], [[0.5, 1], [1, 1]]])
def test_a_table_is_square_and_counts(table):
    with pytest.raises(ValueError):
        cohen_kappa(table=table, weighting="nominal", confidence_level=0.95)


# Many raters.


def test_two_raters_are_the_smallest_case_of_many():
    ratings = noisy_copies(rng(2).integers(0, 3, 400), 2, 0.2, rng(3), n_labels=3)
    table = label_counts(ratings=ratings, n_labels=3)
    cells = confusion(first=ratings[:, 0], second=ratings[:, 1], n_labels=3).table

    assert percent_agreement(table) == pytest.approx(raw_agreement(cells))
    fleiss = fleiss_kappa(table=table, confidence_level=0.95)
    cohen = cohen_kappa(table=cells, weighting="nominal", confidence_level=0.95)
    assert fleiss.estimate == pytest.approx(cohen.estimate, abs=0.01)
    assert fleiss.standard_error == pytest.approx(cohen.standard_error, rel=0.05)


def test_random_ratings_agree_by_chance_alone():
    ratings = rng(4).integers(0, 4, (3000, 3))
    table = label_counts(ratings=ratings, n_labels=4)

    for found in (
        fleiss_kappa(table=table, confidence_level=0.999),
        gwet_ac(table=table, weighting="nominal", confidence_level=0.999),
        gwet_ac(table=table, weighting="quadratic", confidence_level=0.999),
    ):
        assert found.interval.low < 0 < found.interval.high
        assert found.interval.high - found.interval.low < 0.2


def test_missing_raters_change_the_precision_and_not_the_estimate():
    generator = rng(5)
    ratings = noisy_copies(generator.integers(0, 2, 4000), 4, 0.15, generator)
    holes = np.where(generator.random(ratings.shape) < 0.3, -1, ratings)

    full, partial = (
        gwet_ac(table=label_counts(ratings=r, n_labels=2), weighting="nominal", confidence_level=0.95)
        for r in (ratings, holes)
    )

    assert partial.estimate == pytest.approx(full.estimate, abs=0.02)
    assert partial.standard_error > full.standard_error


def test_fleiss_needs_as_many_ratings_on_every_item():
    found = fleiss_kappa(table=[[2, 0], [1, 2]], confidence_level=0.95)

    assert isinstance(found, NotEstimable)
    assert "Krippendorff" in found.reason


def test_the_intervals_of_many_raters_cover():
    generator = rng(6)
    covered = np.zeros(2)
    # Three raters, each wrong on 10%: p_o = .82, labels even, so both coefficients are .64.
    for _ in range(500):
        table = label_counts(
            ratings=noisy_copies(generator.integers(0, 2, 100), 3, 0.1, generator), n_labels=2
        )
        found = (
            fleiss_kappa(table=table, confidence_level=0.95),
            gwet_ac(table=table, weighting="nominal", confidence_level=0.95),
        )
        covered += [f.interval.low <= 0.64 <= f.interval.high for f in found]

    assert np.all(covered / 500 > 0.92)


@pytest.mark.parametrize(
    "method",
    [
        lambda table: fleiss_kappa(table=table, confidence_level=0.95),
        lambda table: gwet_ac(table=table, weighting="nominal", confidence_level=0.95),
        lambda table: gwet_ac(table=table, weighting="linear", confidence_level=0.95),
    ],
)
def test_the_standard_error_is_that_of_leaving_out_each_item(method):
    generator = rng(11)
    truth = (generator.random(400) < 0.15).astype(int)
    table = label_counts(ratings=noisy_copies(truth, 3, 0.15, generator), n_labels=2)

    without = [method(np.delete(table, item, axis=0)).estimate for item in range(400)]

    jackknife = (399 / 400 * np.sum((without - np.mean(without)) ** 2)) ** 0.5
    assert method(table).standard_error == pytest.approx(jackknife, rel=0.01)


def alpha_from_pairs(ratings, present, distance):
    """Krippendorff's alpha from its definition: all pairs within items against all pairs."""
    items = [row[mask] for row, mask in zip(ratings, present, strict=True) if mask.sum() >= 2]
    values = np.concatenate(items)
    observed = sum(distance(a, b) / (len(item) - 1) for item in items for a in item for b in item)
    expected = sum(distance(a, b) for a in values for b in values)
    return 1 - (values.size - 1) * observed / expected


@pytest.mark.parametrize(
    ("level", "distance"),
    [("nominal", lambda a, b: float(a != b)), ("interval", lambda a, b: (a - b) ** 2)],
)
def test_alpha_is_its_definition(level, distance):
    generator = rng(7)
    ratings = noisy_copies(generator.integers(0, 4, 30), 4, 0.3, generator, n_labels=4).astype(float)
    present = generator.random(ratings.shape) > 0.4

    found = krippendorff_alpha(ratings=ratings, present=present, level=level)

    assert found == pytest.approx(alpha_from_pairs(ratings, present, distance))


def test_ordinal_alpha_uses_only_the_order():
    ratings = np.array([[1, 2], [2, 2], [3, 5], [5, 5], [1, 1]], dtype=float)
    present = np.ones(ratings.shape, dtype=bool)

    plain = krippendorff_alpha(ratings=ratings, present=present, level="ordinal")

    assert krippendorff_alpha(ratings=ratings**3, present=present, level="ordinal") == pytest.approx(plain)
    assert krippendorff_alpha(ratings=ratings**3, present=present, level="interval") != pytest.approx(plain)


def test_alpha_of_one_value_or_of_single_ratings_has_no_number():
    same = np.ones((5, 3))
    single = np.eye(3, dtype=bool)

    assert isinstance(
        krippendorff_alpha(ratings=same, present=same.astype(bool), level="nominal"), NotEstimable
    )
    assert isinstance(krippendorff_alpha(ratings=np.eye(3), present=single, level="nominal"), NotEstimable)
    with pytest.raises(ValueError, match="NaN"):
        krippendorff_alpha(ratings=same * math.nan, present=same.astype(bool), level="nominal")


@pytest.mark.parametrize(
    "method",
    [
        lambda t: percent_agreement(t),
        lambda t: fleiss_kappa(table=t, confidence_level=0.95),
        lambda t: gwet_ac(table=t, weighting="nominal", confidence_level=0.95),
    ],
)
def test_a_single_rater_has_nothing_to_agree_with(method):
    assert isinstance(method([[1, 0], [0, 1], [1, 0]]), NotEstimable)


def test_equal_ratings_have_no_intraclass_correlation():
    assert isinstance(intraclass_correlations([[3, 3], [3, 3]]), NotEstimable)
    with pytest.raises(ValueError):
        intraclass_correlations([[1.0, math.nan], [2.0, 3.0]])


# The judge against each human.


def test_a_judge_like_the_humans_may_replace_them_and_a_random_one_may_not():
    generator = rng(8)
    truth = generator.integers(0, 3, 200)
    humans = noisy_copies(truth, 4, 0.15, generator, n_labels=3)
    good = noisy_copies(truth, 1, 0.15, generator, n_labels=3)[:, 0]

    passed, failed = (
        alternative_annotator_test(humans=humans, judge=judge, epsilon=0.15, false_discovery_rate=0.05)
        for judge in (good, generator.integers(0, 3, 200))
    )

    assert passed.winning_rate == 1
    assert passed.advantage > 0.8
    assert failed.winning_rate == 0


def test_the_advantages_are_those_of_a_count_by_hand():
    humans = [[0, 0, 1], [1, 1, 1], [0, 1, 1]]
    judge = [1, 1, 0]

    first = leave_one_human_out(humans=humans, judge=judge, epsilon=0.2)[0]

    # Others (0,1), (1,1), (1,1): human 0 agrees with 1, 2, 0 of them; the judge with 1, 2, 0.
    assert (first.human, first.n_items) == (0, 3)
    assert first.human_agreement == first.judge_agreement == pytest.approx(0.5)
    assert first.human_advantage == first.judge_advantage == 1.0
    assert isinstance(first.pvalue, NotEstimable)


def test_items_without_a_verdict_or_a_second_human_are_left_out():
    humans = [[0, 0, -1], [1, -1, -1], [0, 1, 1]]

    rows = leave_one_human_out(humans=humans, judge=[0, 1, -1], epsilon=0.2)
    found = alternative_annotator_test(
        humans=humans, judge=[0, 1, -1], epsilon=0.2, false_discovery_rate=0.05
    )

    assert [(row.human, row.n_items) for row in rows] == [(0, 1), (1, 1)]
    assert isinstance(found, NotEstimable)


def test_a_perfect_judge_passes_although_nothing_varies():
    humans = np.repeat(rng(9).integers(0, 2, (60, 1)), 3, axis=1)

    found = alternative_annotator_test(
        humans=humans, judge=humans[:, 0], epsilon=0.2, false_discovery_rate=0.05
    )

    assert found.winning_rate == 1
    assert all(0 < row.pvalue < 0.01 for row in found.humans)


def test_a_judge_worse_by_epsilon_is_seldom_passed():
    # The humans are of one mind; on 20% of items the judge says what nobody else said, so
    # that each human leads by exactly epsilon.
    generator = rng(10)
    won = tested = 0
    for _ in range(200):
        humans = np.repeat(generator.integers(0, 2, (60, 1)), 3, axis=1)
        judge = np.where(generator.random(60) < 0.2, 2, humans[:, 0])
        found = alternative_annotator_test(humans=humans, judge=judge, epsilon=0.2, false_discovery_rate=0.05)
        won += round(found.winning_rate * 3)
        tested += 3

    assert won / tested < 0.05


@pytest.mark.parametrize(
    ("humans", "judge"), [([[0, 1]], [0, 1]), ([[0.5, 1.0]], [0]), ([[-2, 0]], [0]), ([0, 1], [0, 1])]
)
def test_ratings_that_are_none_are_refused(humans, judge):
    with pytest.raises(ValueError):
        leave_one_human_out(humans=humans, judge=judge, epsilon=0.2)
