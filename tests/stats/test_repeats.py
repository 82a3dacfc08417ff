import math

import numpy as np
import pytest

from harness.stats.allocation import Costs, Variances, best_repeats, cheapest_allocation
from harness.stats.estimability import NotEstimable
from harness.stats.majority_rule import majority_chance
from harness.stats.overdispersion import beta_binomial
from harness.stats.repeatability import tally_repeatability, vote_repeatability
from harness.stats.variance_components import paired_variance_components, variance_components


def rng(seed=0):
    return np.random.default_rng(seed)


def resampling(n_resamples=199):
    return {"confidence_level": 0.95, "n_resamples": n_resamples, "rng": rng(9)}


# How often repeats differ.


def test_the_flip_rate_does_not_depend_on_the_number_of_votes():
    passes = rng().binomial(1, 0.5, (4000, 7)) & (rng(1).random((4000, 1)) < 0.4)

    two = vote_repeatability(votes=passes, n_first=2, confidence_level=0.95)
    seven = vote_repeatability(votes=passes, n_first=None, confidence_level=0.95)

    assert two.flip_rate == pytest.approx(seven.flip_rate, abs=0.015)
    assert seven.flip_rate == pytest.approx(0.2, abs=0.01)
    assert seven.unanimous_share < two.unanimous_share - 0.1


def test_votes_added_after_a_disagreement_do_not_inflate_agreement():
    votes = rng().binomial(1, 0.5, (20_000, 3))
    asked_again = votes[:, 0] != votes[:, 1]
    votes[~asked_again, 2] = -1

    everything = vote_repeatability(votes=votes, n_first=None, confidence_level=0.95)
    planned = vote_repeatability(votes=votes, n_first=2, confidence_level=0.95)

    assert planned.flip_rate == pytest.approx(0.5, abs=0.02)
    assert everything.flip_rate < 0.36


def test_tallies_and_votes_tell_the_same():
    votes = rng(2).binomial(1, 0.7, (50, 5))

    by_votes = vote_repeatability(votes=votes, n_first=None, confidence_level=0.9)
    by_tallies = tally_repeatability(passes=votes.sum(axis=1), n_repeats=5, confidence_level=0.9)

    assert by_tallies == by_votes


def test_missing_votes_are_no_label():
    found = vote_repeatability(
        votes=[[0, 0, -1], [1, -1, -1], [2, 2, 0], [-1, -1, -1], [1, 1, 1]],
        n_first=None,
        confidence_level=0.95,
    )

    assert (found.n_items, found.n_too_few) == (3, 2)
    assert found.flip_rate == pytest.approx((0 + 2 / 3 + 0) / 3)
    assert found.unanimous_share == pytest.approx(2 / 3)


def test_a_judge_that_never_flipped_may_still_flip():
    found = tally_repeatability(passes=[5, 0] * 20, n_repeats=5, confidence_level=0.95)

    assert found.flip_rate == 0
    assert 0.02 < found.flip_rate_interval.high < 0.12
    assert found.unanimous_interval.low < 1


def test_the_flip_rate_interval_covers_when_flips_are_rare():
    generator = rng(3)
    covered = 0
    for _ in range(500):
        pass_chance = np.where(generator.random(40) < 0.1, 0.5, 1.0)
        found = tally_repeatability(
            passes=generator.binomial(3, pass_chance), n_repeats=3, confidence_level=0.95
        )
        covered += found.flip_rate_interval.low <= 0.05 <= found.flip_rate_interval.high

    assert covered / 500 > 0.94


def test_one_vote_an_item_cannot_flip():
    assert isinstance(tally_repeatability(passes=[1, 0], n_repeats=1, confidence_level=0.95), NotEstimable)


@pytest.mark.parametrize(
    ("passes", "n_repeats"), [([6], 5), ([-1], 5), ([0.5], 5), ([True], 5), ([math.nan], 5), ([], 5)]
)
def test_tallies_that_are_no_tallies_are_refused(passes, n_repeats):
    with pytest.raises(ValueError):
        tally_repeatability(passes=passes, n_repeats=n_repeats, confidence_level=0.95)


@pytest.mark.parametrize(("votes", "n_first"), [([[0, -2]], None), ([0, 1], None), ([[0, 1]], 1)])
def test_votes_that_are_no_votes_are_refused(votes, n_first):
    with pytest.raises(ValueError):
        vote_repeatability(votes=votes, n_first=n_first, confidence_level=0.95)


# Where the noise comes from.


def nested(n, n_answers, n_votes, generator, *, case=1.0, answer=0.5, vote=0.25):
    return (
        generator.normal(0, case**0.5, (n, 1, 1))
        + generator.normal(0, answer**0.5, (n, n_answers, 1))
        + generator.normal(0, vote**0.5, (n, n_answers, n_votes))
    )


def test_the_three_parts_are_found_with_votes_missing_at_random():
    generator = rng(4)
    found = []
    for _ in range(40):
        baseline, candidate = nested(150, 3, 2, generator), nested(150, 4, 3, generator)
        result = paired_variance_components(
            baseline=baseline,
            candidate=candidate,
            baseline_present=generator.random(baseline.shape) > 0.15,
            candidate_present=generator.random(candidate.shape) > 0.15,
            **resampling(),
        )
        found.append([part.estimate for part in result[1:]])

    case, answer, vote = np.mean(found, axis=0)
    assert case == pytest.approx(2.0, abs=0.12)
    assert answer == pytest.approx(1.0, abs=0.06)
    assert vote == pytest.approx(0.5, abs=0.02)


def test_the_intervals_of_the_parts_cover():
    generator = rng(5)
    covered = np.zeros(3)
    for _ in range(200):
        found = variance_components(scores=nested(80, 3, 2, generator), **resampling())
        truth = (1.0, 0.5, 0.25)
        covered += [
            part.interval.low <= true <= part.interval.high
            for part, true in zip(found[1:], truth, strict=True)
        ]

    assert np.all(covered / 200 > 0.88)


def test_one_repeat_each_leaves_its_part_in_the_level_above():
    votes = rng(6).binomial(1, 0.5, (60, 5, 1)).astype(float)

    single_vote = variance_components(scores=votes, **resampling())
    single_answer = variance_components(scores=votes[:, :1], **resampling())

    assert isinstance(single_vote.vote, NotEstimable)
    assert single_vote.answer.estimate == pytest.approx(0.25, abs=0.03)
    assert isinstance(single_answer.answer, NotEstimable)


def test_clusters_are_resampled_whole():
    generator = rng(7)
    scores = np.repeat(nested(40, 2, 2, generator), 5, axis=0)
    clusters = np.repeat(np.arange(40), 5)

    alone = variance_components(scores=scores, **resampling(999))
    together = variance_components(scores=scores, clusters=clusters, **resampling(999))

    def width(found):
        return found.case.interval.high - found.case.interval.low

    assert width(together) > 1.8 * width(alone)
    assert together.case.estimate == pytest.approx(alone.case.estimate)


def test_too_few_cases_to_resample_have_estimates_without_intervals():
    found = variance_components(scores=nested(10, 2, 2, rng()), **resampling())

    assert found.case.estimate > 0
    assert isinstance(found.case.interval, NotEstimable)


def test_a_judge_that_always_agrees_has_no_interval_of_zero_width():
    votes = np.repeat(rng().binomial(1, 0.5, (50, 2, 1)), 3, axis=2).astype(float)

    found = variance_components(scores=votes, **resampling())

    assert found.vote.estimate == 0
    assert isinstance(found.vote.interval, NotEstimable)


def test_cases_without_votes_in_an_arm_are_left_out():
    scores = nested(30, 2, 2, rng())
    present = np.ones(scores.shape, dtype=bool)
    present[:5] = False

    found = paired_variance_components(
        baseline=scores, candidate=scores, candidate_present=present, **resampling()
    )

    assert found.n_cases == 25


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [[1.0]]},
        {"scores": [[[math.nan]]]},
        {"present": [[[1, 0]]]},
        {"n_resamples": 10},
        {"clusters": ["a", "b"]},
    ],
)
def test_wrong_votes_are_refused(change):
    arguments = {"scores": [[[1.0, 2.0]]], "present": None, **resampling()} | change

    with pytest.raises(ValueError):
        variance_components(**arguments)


# How many repeats to buy.


def test_the_cheapest_run_reaches_its_target_and_no_smaller_one_does():
    variances, costs = Variances(case=0.05, answer=0.12, vote=0.04), Costs(case=0.0, answer=3.0, vote=1.0)

    run = cheapest_allocation(
        variances=variances,
        costs=costs,
        target_standard_error=0.01,
        max_cases=None,
        max_answers=8,
        max_votes=8,
    )

    per_case = 0.05 + (0.12 + 0.04 / run.n_votes) / run.n_answers
    assert run.standard_error == pytest.approx((per_case / run.n_cases) ** 0.5)
    assert run.standard_error <= 0.01 < (per_case / (run.n_cases - 1)) ** 0.5
    bound = (0 + (0.12 * 3) ** 0.5 + (0.04 * 1) ** 0.5) ** 2 / 0.01**2
    assert run.cost >= bound


def test_answers_are_bought_when_cases_run_out():
    arguments = {
        "variances": Variances(case=0.02, answer=0.12, vote=0.04),
        "costs": Costs(case=1.0, answer=3.0, vote=1.0),
        "target_standard_error": 0.02,
        "max_answers": 10,
        "max_votes": 3,
    }

    plenty = cheapest_allocation(max_cases=None, **arguments)
    few = cheapest_allocation(max_cases=150, **arguments)
    none = cheapest_allocation(max_cases=40, **arguments)

    assert few.n_cases <= 150 < plenty.n_cases
    assert few.n_answers > plenty.n_answers
    assert isinstance(none, NotEstimable)
    assert "40" in none.reason


def test_the_best_repeats_minimise_variance_times_cost():
    variances, costs = Variances(0.05, 0.2, 0.1), Costs(4.0, 1.0, 0.2)

    def product(n_answers, n_votes):
        variance = 0.05 + (0.2 + 0.1 / n_votes) / n_answers
        return variance * (4.0 + n_answers * (1.0 + 0.2 * n_votes))

    best = best_repeats(variances=variances, costs=costs)

    assert all(
        product(*best) <= product(best[0] * up, best[1] * side) for up in (0.9, 1.1) for side in (0.9, 1.1)
    )
    assert product(*best) == pytest.approx((0.2**0.5 + 0.2**0.5 + 0.02**0.5) ** 2)


def test_a_part_without_variance_needs_no_repeats():
    assert best_repeats(variances=Variances(0.1, 0.0, 0.0), costs=Costs(1.0, 1.0, 1.0)) == (0.0, 0.0)
    assert best_repeats(variances=Variances(0.0, 0.1, 0.0), costs=Costs(1.0, 1.0, 1.0))[0] == math.inf


def test_negative_components_are_for_the_planner_to_cut():
    with pytest.raises(ValueError, match="negative"):
        best_repeats(variances=Variances(-0.01, 0.1, 0.0), costs=Costs(1.0, 1.0, 1.0))


# What a majority does.


def test_missing_votes_count_among_those_asked_for():
    chance = majority_chance(pass_probability=1.0, n_votes=3, missing_probability=0.5)

    assert chance.passing == pytest.approx(0.5)
    assert chance.failing == 0
    assert chance.undecided == pytest.approx(0.5)


@pytest.mark.parametrize("change", [{"pass_probability": 1.1}, {"n_votes": 0}, {"missing_probability": -0.1}])
def test_chances_that_are_none_are_refused(change):
    arguments = {"pass_probability": 0.5, "n_votes": 3, "missing_probability": 0.0} | change

    with pytest.raises(ValueError):
        majority_chance(**arguments)


# How much cases differ.


def test_the_beta_binomial_is_found_again():
    generator = rng(8)
    tallies = generator.binomial(5, generator.beta(1.2, 0.8, 6000))

    found = beta_binomial(passes=tallies, n_repeats=5)

    assert found.mean == pytest.approx(0.6, abs=0.02)
    assert found.correlation == pytest.approx(1 / 3, abs=0.02)
    assert found.boundary is None


def test_no_neighbour_of_the_fit_is_likelier():
    # Written out once more from the gamma functions, without the code under test.
    tallies, repeats = np.array([5, 5, 3, 0, 1, 4, 2]), np.array([5, 5, 5, 4, 3, 4, 5])

    def log_likelihood(mean, correlation):
        a, b = mean * (1 / correlation - 1), (1 - mean) * (1 / correlation - 1)
        return sum(
            math.log(math.comb(k, x))
            + math.lgamma(x + a)
            + math.lgamma(k - x + b)
            - math.lgamma(k + a + b)
            + math.lgamma(a + b)
            - math.lgamma(a)
            - math.lgamma(b)
            for x, k in zip(tallies.tolist(), repeats.tolist(), strict=True)
        )

    found = beta_binomial(passes=tallies, n_repeats=repeats)

    assert found.log_likelihood == pytest.approx(log_likelihood(found.mean, found.correlation))
    for step in (0.99, 1.01):
        assert log_likelihood(found.mean * step, found.correlation) < found.log_likelihood
        assert log_likelihood(found.mean, found.correlation * step) < found.log_likelihood


def test_unanimous_cases_and_single_coins_lie_on_the_boundary():
    assert beta_binomial(passes=[0, 5, 5], n_repeats=5)[2:] == (
        1.0,
        pytest.approx(2 * math.log(2 / 3) + math.log(1 / 3)),
        "all_unanimous",
    )
    even = beta_binomial(passes=[2, 3, 2, 3], n_repeats=5)
    assert (even.mean, even.correlation, even.boundary) == (0.5, 0.0, "all_alike")


@pytest.mark.parametrize(("passes", "n_repeats"), [([5, 5], 5), ([0, 0], 5), ([1, 0], 1)])
def test_nothing_varying_has_no_correlation(passes, n_repeats):
    assert isinstance(beta_binomial(passes=passes, n_repeats=n_repeats), NotEstimable)
