import itertools
import math

import numpy as np
import pytest

from harness.stats.bootstrap import (
    percentile_bootstrap,
    percentile_bootstrap_resampled,
)
from harness.stats.estimability import NotEstimable
from harness.stats.resampled_law import resampled_mean_law


def rng(seed=0):
    return np.random.default_rng(seed)


def tally_differences(n, seed=1):
    generator = rng(seed)
    return (generator.binomial(5, 0.62, n) - generator.binomial(5, 0.6, n)) / 5


def test_the_law_is_that_of_all_resamples():
    d = [-0.2, -0.1, 0.0, 0.1, 0.3]
    means = [np.mean(resample) for resample in itertools.product(d, repeat=5)]

    law = resampled_mean_law(d)

    assert law.probabilities.sum() == pytest.approx(1.0)
    for cut in (-0.12, -0.01, 0.05, 0.17):
        assert law.probabilities[law.means <= cut].sum() == pytest.approx(np.mean(np.array(means) <= cut))


def test_drawing_resamples_gives_the_law_without_drawing():
    d = tally_differences(400)

    exact = percentile_bootstrap(differences=d, confidence_level=0.95)
    drawn = percentile_bootstrap_resampled(
        differences=d, confidence_level=0.95, n_resamples=50_000, rng=rng()
    )

    assert drawn.interval[:2] == pytest.approx(exact.interval[:2], abs=0.02 * 2 * exact.standard_error)
    assert drawn.standard_error == pytest.approx(exact.standard_error, rel=0.02)
    assert (exact.n_resamples, drawn.n_resamples) == (None, 50_000)


def test_clusters_of_unequal_size_without_drawing_agree_with_drawn_ones():
    generator = rng(2)
    clusters = np.repeat(np.arange(60), generator.integers(1, 9, 60))
    d = generator.normal(size=60)[clusters] + generator.normal(size=clusters.size)

    exact = percentile_bootstrap(differences=d, clusters=clusters, confidence_level=0.95)
    drawn = percentile_bootstrap_resampled(
        differences=d, clusters=clusters, confidence_level=0.95, n_resamples=100_000, rng=rng()
    )

    assert exact.n_clusters == drawn.n_clusters == 60
    assert drawn.interval[:2] == pytest.approx(exact.interval[:2], abs=0.03 * exact.standard_error)


def test_clusters_of_one_size_are_cases_of_their_mean():
    d = tally_differences(200)

    single = percentile_bootstrap(differences=d, confidence_level=0.95)
    tripled = percentile_bootstrap(
        differences=np.repeat(d, 3), clusters=np.repeat(np.arange(200), 3), confidence_level=0.95
    )

    assert tripled.interval[:2] == pytest.approx(single.interval[:2])


def test_continuous_scores_have_the_normal_limit():
    d = rng(3).normal(0.1, 1.0, 4000)

    found = percentile_bootstrap(differences=d, confidence_level=0.95)

    half_width = 1.959964 * d.std() / d.size**0.5
    assert found.interval[:2] == pytest.approx(
        (d.mean() - half_width, d.mean() + half_width), abs=0.02 * half_width
    )


def test_scores_of_any_scale_have_the_same_interval_in_their_unit():
    d = tally_differences(150)

    plain = percentile_bootstrap(differences=d, confidence_level=0.95)
    scaled = percentile_bootstrap(differences=d * 10, confidence_level=0.95)

    assert scaled.interval[:2] == pytest.approx([10 * limit for limit in plain.interval[:2]])


def test_the_order_of_cases_changes_nothing():
    d = tally_differences(150)

    assert percentile_bootstrap(differences=d[::-1], confidence_level=0.95) == percentile_bootstrap(
        differences=d, confidence_level=0.95
    )
    drawn = [
        percentile_bootstrap_resampled(differences=values, confidence_level=0.95, n_resamples=999, rng=rng(5))
        for values in (d, d[::-1])
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("d", "clusters", "reason"),
    [
        (tally_differences(99), None, "99 cases"),
        (tally_differences(300), np.arange(300) % 39, "39 clusters"),
        (np.zeros(200), None, "agree"),
        (np.full(200, 0.2), np.arange(200) // 2, "agree"),
    ],
)
def test_small_or_silent_samples_are_refused_with_their_reason(d, clusters, reason):
    exact = percentile_bootstrap(differences=d, clusters=clusters, confidence_level=0.95)
    drawn = percentile_bootstrap_resampled(
        differences=d, clusters=clusters, confidence_level=0.95, n_resamples=999, rng=rng()
    )

    assert isinstance(exact, NotEstimable)
    assert exact == drawn
    assert reason in exact.reason


def test_too_few_resamples_are_refused():
    with pytest.raises(ValueError, match="n_resamples"):
        percentile_bootstrap_resampled(
            differences=tally_differences(200), confidence_level=0.95, n_resamples=100, rng=rng()
        )


@pytest.mark.parametrize("d", [[], [math.nan] * 200, [math.inf] * 200])
def test_what_is_no_score_is_refused(d):
    with pytest.raises(ValueError):
        percentile_bootstrap(differences=d, confidence_level=0.95)


def test_it_covers_at_a_hundred_cases():
    generator = rng(8)
    covered = 0
    for _ in range(600):
        d = generator.choice([1, -1, 0], size=100, p=[0.12, 0.08, 0.8])
        interval = percentile_bootstrap(differences=d, confidence_level=0.95).interval
        covered += interval.low <= 0.04 <= interval.high

    assert covered / 600 > 0.92
