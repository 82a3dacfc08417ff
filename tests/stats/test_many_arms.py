import math

import numpy as np
import pytest

from harness.stats.estimability import NotEstimable
from harness.stats.many_arms import cochran_q, pairwise_midp
from harness.stats.mcnemar import mcnemar_midp
from harness.stats.multiplicity import holm
from harness.stats.preferences import preference_model, win_rate


def test_two_arms_have_the_squared_mcnemar_score_as_q():
    passes = [[1, 1]] * 5 + [[0, 1]] * 12 + [[1, 0]] * 4 + [[0, 0]] * 3
    found = cochran_q(passes)

    assert found.statistic == pytest.approx((12 - 4) ** 2 / 16)
    assert (found.df, found.n_informative) == (1, 16)


def test_cases_on_which_all_arms_agree_say_nothing():
    informative = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1]]

    assert cochran_q(informative) == cochran_q(informative + [[1, 1, 1]] * 50 + [[0, 0, 0]] * 9)


def test_arms_that_agree_everywhere_are_not_estimable():
    assert isinstance(cochran_q([[1, 1, 1], [0, 0, 0]]), NotEstimable)


def test_q_keeps_its_level_on_sixty_cases():
    rng = np.random.default_rng(5)
    rejected = [
        cochran_q(rng.uniform(size=(60, 4)) < rng.uniform(0.2, 0.9, size=(60, 1))).pvalue <= 0.05
        for _ in range(1500)
    ]

    assert np.mean(rejected) < 0.067


def test_every_pair_of_arms_is_compared_once_and_adjusted_over_all():
    rng = np.random.default_rng(6)
    passes = rng.uniform(size=(200, 3)) < np.array([0.5, 0.55, 0.8])
    pairs = pairwise_midp(passes)

    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    for pair in pairs:
        assert pair.pvalue == mcnemar_midp(gain=pair.gain, loss=pair.loss).pvalue
    assert [pair.adjusted for pair in pairs] == holm([pair.pvalue for pair in pairs]).tolist()
    assert pairs[1].gain > pairs[1].loss


@pytest.mark.parametrize("bad", [[], [[1], [0]], [1, 0], [[1, 2]], [[1, math.nan]], [["1", "0"]]])
@pytest.mark.parametrize("method", [cochran_q, pairwise_midp])
def test_a_table_of_anything_but_passes_is_refused(method, bad):
    with pytest.raises(ValueError, match="passes must"):
        method(bad)


def test_ties_count_half_and_the_interval_is_of_items_and_not_of_verdicts():
    outcomes = np.array([1, 1, 0, -1, 1, 0, 1, -1, 1, 1])
    once = win_rate(outcomes, clusters=None, confidence_level=0.95)
    twice = win_rate(np.repeat(outcomes, 2), clusters=np.repeat(np.arange(10), 2), confidence_level=0.95)

    assert (once.wins, once.losses, once.ties, once.rate) == (6, 2, 2, 0.7)
    assert (twice.wins, twice.losses, twice.ties, twice.rate) == (12, 4, 4, 0.7)
    assert (twice.interval.low, twice.interval.high) == pytest.approx(
        (once.interval.low, once.interval.high), abs=1e-12
    )


def test_verdicts_that_never_vary_have_a_rate_and_no_interval():
    found = win_rate([1] * 8, clusters=None, confidence_level=0.95)

    assert found.rate == 1.0
    assert isinstance(found.interval, NotEstimable)


def model_of(rows, *, clusters=None, n_arms=2, reference=1):
    first, second, outcomes = np.array(rows).T
    return preference_model(
        first=first,
        second=second,
        outcomes=outcomes,
        clusters=clusters,
        n_arms=n_arms,
        reference=reference,
        confidence_level=0.95,
    )


def test_two_arms_without_ties_have_the_log_odds_of_their_wins():
    found = model_of([(0, 1, 1)] * 8 + [(0, 1, -1)] * 2)

    assert found.log_tie is None
    assert found.abilities[0].log_ability == pytest.approx(math.log(4))
    assert found.abilities[1].log_ability == 0.0


def test_two_arms_with_ties_solve_davidsons_equations():
    found = model_of([(0, 1, 1)] * 20 + [(0, 1, -1)] * 5 + [(0, 1, 0)] * 10)

    # Saturated: fitted shares are the observed ones, so pi = 20 / 5 and nu = 10 / sqrt(20 * 5).
    assert found.abilities[0].log_ability == pytest.approx(math.log(4))
    assert found.log_tie == pytest.approx(math.log(10 / math.sqrt(100)), abs=1e-9)


def test_the_side_on_which_an_arm_is_named_does_not_matter():
    rows = [(0, 1, 1)] * 9 + [(0, 1, -1)] * 4 + [(1, 2, 1)] * 6 + [(1, 2, -1)] * 5 + [(0, 2, 0)] * 3
    turned = [(b, a, -sign) for a, b, sign in rows]
    one, other = (model_of(r, n_arms=3, reference=0) for r in (rows, turned))

    for left, right in zip(one.abilities, other.abilities, strict=True):
        assert left.log_ability == pytest.approx(right.log_ability, abs=1e-9)


def test_both_orders_of_an_item_are_one_cluster_and_copies_bring_no_precision():
    rows = [(0, 1, 1)] * 9 + [(0, 1, -1)] * 4 + [(0, 1, 0)] * 4
    once = model_of(rows)
    copied = model_of(rows * 2, clusters=list(range(17)) * 2)

    assert copied.n_clusters == 17
    once_limits, copied_limits = once.abilities[0].interval, copied.abilities[0].interval
    assert copied_limits[:2] == pytest.approx(once_limits[:2], abs=1e-9)


def test_intervals_of_abilities_cover_when_an_item_leans_one_way_in_both_orders():
    rng = np.random.default_rng(8)

    def chances(leans):
        return 1 / (1 + np.exp(-(0.5 + leans)))

    share = chances(rng.normal(size=400_000)).mean()
    truth, covered = math.log(share / (1 - share)), 0
    for _ in range(300):
        wins = rng.uniform(size=(2, 80)) < chances(rng.normal(size=80))
        rows = [(0, 1, 1 if won else -1) for won in wins.ravel()]
        limits = model_of(rows, clusters=list(range(80)) * 2).abilities[0].interval
        covered += limits.low <= truth <= limits.high

    assert covered / 300 > 0.92


@pytest.mark.parametrize(
    ("rows", "n_arms"),
    [
        ([(0, 1, 1)] * 10, 2),
        ([(0, 1, 1)] * 8 + [(0, 1, 0)] * 2, 2),
        ([(0, 1, 0)] * 10, 2),
        ([(0, 1, 1)] * 5 + [(0, 1, -1)] * 5 + [(2, 3, 1)] * 5 + [(2, 3, -1)] * 5, 4),
        ([(0, 1, 1)] * 5 + [(0, 1, -1)] * 5, 3),
    ],
)
def test_abilities_that_would_be_infinite_or_unconnected_are_not_estimable(rows, n_arms):
    found = model_of(rows, n_arms=n_arms)

    assert isinstance(found, NotEstimable)
    assert "finite" in found.reason


def test_one_item_alone_gives_no_interval_and_no_model():
    assert isinstance(model_of([(0, 1, 1), (0, 1, -1)], clusters=["a", "a"]), NotEstimable)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"first": [0, 1]}, "cannot be compared with itself"),
        ({"first": [0, 5]}, "number arms from 0"),
        ({"first": [0]}, "first must"),
        ({"outcomes": [1, 2]}, "outcomes must"),
        ({"outcomes": [True, False]}, "outcomes must"),
        ({"outcomes": []}, "outcomes must"),
        ({"n_arms": 1}, "2 or more arms"),
        ({"reference": 2}, "2 or more arms"),
        ({"clusters": ["a"]}, "clusters must"),
        ({"confidence_level": 1.0}, "confidence_level must"),
    ],
)
def test_comparisons_out_of_range_are_refused(changed, message):
    good = {
        "first": [0, 0],
        "second": [1, 1],
        "outcomes": [1, -1],
        "clusters": None,
        "n_arms": 2,
        "reference": 1,
        "confidence_level": 0.95,
    }
    with pytest.raises(ValueError, match=message):
        preference_model(**good | changed)
