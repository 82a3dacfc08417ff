"""Several arms with whole clusters permuted."""

import itertools

import numpy as np
import pytest
from scipy.special import chdtrc

from harness.stats.estimability import NotEstimable
from harness.stats.many_arms import cochran_q
from harness.stats.many_arms_clustered import clustered_q, pairwise_sign_flips
from harness.stats.multiplicity import holm
from harness.stats.permutation import sign_flip


def q_of(passes, clusters, *, n_resamples=9_999, seed=1):
    return clustered_q(passes, clusters=clusters, n_resamples=n_resamples, rng=np.random.default_rng(seed))


def tables(seed, *, n_clusters, size, n_arms=3):
    rng = np.random.default_rng(seed)
    leans = np.repeat(rng.random((n_clusters, n_arms)), size, axis=0)
    return rng.random(leans.shape) < leans, np.repeat(np.arange(n_clusters), size)


def test_with_one_case_a_cluster_the_statistic_is_cochrans_q():
    passes = np.random.default_rng(3).random((40, 4)) < [0.4, 0.5, 0.6, 0.7]
    found = q_of(passes, np.arange(40))

    assert found.statistic == pytest.approx(cochran_q(passes).statistic, rel=1e-12)
    assert found.df == 3
    # At 40 cases the chi-square tail and the permutations say nearly the same.
    assert found.pvalue == pytest.approx(cochran_q(passes).pvalue, abs=0.02)


def test_the_pvalue_is_the_share_of_all_permutations_of_whole_clusters():
    passes, clusters = tables(5, n_clusters=5, size=4)
    sums = np.array([passes[clusters == g].sum(axis=0) for g in range(5)])
    orders = list(itertools.permutations(range(3)))

    def spread(rows):
        totals = np.sum(rows, axis=0)
        return float(np.sum((totals - totals.mean()) ** 2))

    every = [
        spread([row[list(order)] for row, order in zip(sums, chosen, strict=True)])
        for chosen in itertools.product(orders, repeat=5)
    ]
    found = q_of(passes, clusters)

    assert found.method == "enumeration"
    assert found.pvalue == pytest.approx(np.mean(np.array(every) >= spread(sums) - 1e-9), abs=1e-12)


def test_two_arms_are_the_sign_flip_of_whole_clusters():
    passes, clusters = tables(6, n_clusters=12, size=5, n_arms=2)
    flip = sign_flip(
        differences=passes[:, 1].astype(float) - passes[:, 0],
        clusters=clusters,
        n_resamples=1,
        rng=np.random.default_rng(1),
    )

    assert q_of(passes, clusters).pvalue == pytest.approx(flip.pvalue, abs=1e-12)


def test_random_permutations_come_to_what_all_of_them_say():
    passes, clusters = tables(7, n_clusters=7, size=3)
    exact = q_of(passes, clusters)
    more = q_of(np.tile(passes, (4, 1)), np.concatenate([clusters + 7 * k for k in range(4)]))

    assert (exact.method, more.method, more.n_resamples) == ("enumeration", "monte_carlo", 9_999)
    assert more.statistic == pytest.approx(4 * exact.statistic)
    assert 1 / 10_000 <= more.pvalue < exact.pvalue


def test_many_alike_clusters_are_drawn_together_and_say_the_same():
    rng = np.random.default_rng(11)
    passes, clusters = rng.random((300, 3)) < [0.45, 0.5, 0.55], np.repeat(np.arange(150), 2)
    # The law of many clusters is near chi-square, and was not drawn from it.
    found = q_of(passes, clusters)
    tail = float(chdtrc(found.df, found.statistic))

    assert found.method == "monte_carlo"
    assert found.pvalue == pytest.approx(tail, abs=0.02)


def test_a_cluster_copied_case_by_case_changes_nothing():
    passes, clusters = tables(8, n_clusters=6, size=4)

    assert q_of(np.repeat(passes, 3, axis=0), np.repeat(clusters, 3)).pvalue == q_of(passes, clusters).pvalue


def test_clusters_that_move_as_one_keep_the_level_where_cases_do_not():
    rng = np.random.default_rng(9)
    naive, whole = [], []
    for _ in range(200):
        passes = np.repeat(rng.random((15, 3)) < 0.5, 8, axis=0)
        naive.append(cochran_q(passes).pvalue <= 0.05)
        whole.append(q_of(passes, np.repeat(np.arange(15), 8), n_resamples=199).pvalue <= 0.05)

    assert np.mean(naive) > 0.4
    assert np.mean(whole) < 0.09


def test_every_pair_is_flipped_by_whole_clusters_and_adjusted_over_all():
    passes, clusters = tables(10, n_clusters=10, size=4)
    pairs = pairwise_sign_flips(passes, clusters=clusters, n_resamples=99, rng=np.random.default_rng(1))

    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    assert [pair.adjusted for pair in pairs] == holm([pair.pvalue for pair in pairs]).tolist()
    first = sign_flip(
        differences=passes[:, 1].astype(float) - passes[:, 0],
        clusters=clusters,
        n_resamples=99,
        rng=np.random.default_rng(1),
    )
    assert pairs[0].pvalue == first.pvalue
    assert pairs[0].gain == int(np.sum(passes[:, 1] & ~passes[:, 0]))


def test_arms_alike_in_every_cluster_are_not_estimable_and_one_cluster_tells_nothing():
    swapped = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]

    assert isinstance(q_of(swapped, [0, 0, 0]), NotEstimable)
    assert q_of([[1, 0, 0], [1, 0, 0]], ["a", "a"]).pvalue == 1.0


@pytest.mark.parametrize(
    ("passes", "clusters", "n_resamples"),
    [([], [], 9), ([[1], [0]], [0, 1], 9), ([[1, 2]], [0], 9), ([[1, 0]], [0, 1], 9), ([[1, 0]], [0], 0)],
)
def test_bad_input_is_refused(passes, clusters, n_resamples):
    with pytest.raises(ValueError, match=r"must|cluster"):
        q_of(passes, clusters, n_resamples=n_resamples)
