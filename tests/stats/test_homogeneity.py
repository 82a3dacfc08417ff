"""Whether segments are alike: the level holds with clusters that straddle, and a planted difference shows."""

import numpy as np
import pytest
from scipy import stats

from harness.stats.estimability import NotEstimable
from harness.stats.homogeneity import Homogeneity, segment_homogeneity


def _pvalue(differences, segments, clusters, seed, n_resamples=99):
    found = segment_homogeneity(
        differences=differences,
        segments=segments,
        clusters=clusters,
        n_resamples=n_resamples,
        rng=np.random.default_rng(seed),
    )
    assert isinstance(found, Homogeneity)
    return found.pvalue


def test_two_segments_of_single_pairs_give_the_two_sample_permutation_test():
    first, second = [1, 1, 1, 0, 1, 0], [0, 0, -1, 1, 0, 0]

    mine = _pvalue([*first, *second], ["a"] * 6 + ["b"] * 6, range(12), 1, n_resamples=20_000)

    # scipy.stats.permutation_test, exact: Q of two segments is the squared studentised difference.
    def studentised(x, y, axis=-1):
        # Two invented pairs a segment, of the spread of all: 2 * v; all values together have the mean 1/4.
        v = np.var([*first, *second])
        errors = sum((np.var(part, axis=axis) * 6 + 2 * v) / 36 for part in (x, y))
        return (np.mean(x, axis=axis) - np.mean(y, axis=axis)) ** 2 / errors

    exact = stats.permutation_test(
        (first, second), studentised, vectorized=True, n_resamples=np.inf, alternative="greater"
    )
    assert mine == pytest.approx(exact.pvalue, abs=3 * (0.25 / 20_000) ** 0.5)


@pytest.mark.parametrize("straddling", [False, True])
def test_the_level_holds_at_few_clusters_that_move_as_one(straddling):
    n_runs, rejected = 400, 0
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(14), 4)
    for run in range(n_runs):
        own = rng.choice([-1, 0, 0, 1], size=14)
        differences = np.where(rng.random(56) < 0.8, own[clusters], 0)
        if not np.any(differences):
            continue
        # Whole clusters in one segment, or a change of model between the second and third round.
        segments = (
            np.tile([0, 0, 1, 1], 14) if straddling else np.repeat(rng.permutation([0] * 6 + [1] * 8), 4)
        )
        rejected += _pvalue(differences, segments, clusters, run) <= 0.05
    # 20 expected; 33 or more have a probability of 0.004 at a level of .05.
    assert rejected < 33


def test_rows_that_are_repeats_do_not_make_a_difference_certain():
    # Two clusters of fifty repeats differ by chance: six clusters a segment, not three hundred pairs.
    differences = np.repeat([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 50)

    assert _pvalue(differences, np.repeat([0, 1], 300), np.repeat(np.arange(12), 50), 3) > 0.2


def test_a_planted_difference_shows():
    rng = np.random.default_rng(5)
    shown = [
        _pvalue(
            np.concatenate(
                (rng.choice([0, 1], size=30, p=[0.4, 0.6]), rng.choice([0, 1], size=30, p=[0.9, 0.1]))
            ),
            np.repeat(["old", "new"], 30),
            np.arange(60),
            run,
        )
        <= 0.05
        for run in range(40)
    ]
    assert sum(shown) >= 36


def test_a_segment_too_small_to_compare_is_left_out_and_counted():
    found = segment_homogeneity(
        differences=[1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1],
        segments=["a"] * 5 + ["b"] * 5 + ["stray"],
        clusters=range(11),
        n_resamples=9,
        rng=np.random.default_rng(0),
    )

    assert isinstance(found, Homogeneity)
    assert (found.n_segments, found.n_left_out) == (2, 1)


@pytest.mark.parametrize(
    ("differences", "segments", "clusters", "reason"),
    [
        ([1, 0, 1, 0], list("aabb"), range(4), "0 of 2 segments have 5 clusters"),
        ([0] * 10, list("aaaaabbbbb"), range(10), "no difference varies"),
        (
            [0] * 14 + [1] * 6,
            ["a"] * 5 + ["b"] * 15,
            [*range(5), *np.repeat(range(5, 10), 3)],
            "nothing can exchange",
        ),
    ],
)
def test_what_cannot_be_compared_says_why(differences, segments, clusters, reason):
    found = segment_homogeneity(
        differences=differences,
        segments=segments,
        clusters=clusters,
        n_resamples=9,
        rng=np.random.default_rng(0),
    )

    assert isinstance(found, NotEstimable)
    assert reason in found.reason
