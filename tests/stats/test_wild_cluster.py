import numpy as np
import pytest

from harness.stats.estimability import NotEstimable
from harness.stats.wild_cluster import wild_cluster_test


def rng(seed=0):
    return np.random.default_rng(seed)


def test_few_clusters_are_gone_through_and_many_are_drawn():
    clusters = np.repeat(np.arange(20), 3)
    d = rng(1).normal(0.1, 1.0, 60) + rng(2).normal(size=20)[clusters]

    few = wild_cluster_test(differences=d[:36], clusters=clusters[:36], n_resamples=9, rng=rng())
    many = wild_cluster_test(differences=d, clusters=clusters, n_resamples=999, rng=rng())

    assert (few.n_resamples, few.smallest_pvalue) == (None, 2 / 2**12)
    assert many.n_resamples == 999
    assert many.pvalue >= 1 / 1000


def test_the_scale_of_the_scores_and_the_order_of_cases_change_nothing():
    clusters = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 1, 2, 3])
    d = rng(3).integers(-5, 6, clusters.size) / 5
    order = rng(4).permutation(d.size)

    plain = wild_cluster_test(differences=d, clusters=clusters, n_resamples=9, rng=rng())

    for factor, index in ((10.0, slice(None)), (1.0, order)):
        other = wild_cluster_test(
            differences=d[index] * factor, clusters=clusters[index], n_resamples=9, rng=rng()
        )
        assert other.pvalue == plain.pvalue
        assert other.t == pytest.approx(plain.t)


def test_the_level_is_kept_with_ten_unequal_clusters():
    generator = rng(5)
    clusters = np.repeat(np.arange(10), generator.integers(1, 12, 10))
    rejected = 0
    for _ in range(400):
        d = generator.normal(size=10)[clusters] + generator.normal(size=clusters.size)
        test = wild_cluster_test(differences=d, clusters=clusters, n_resamples=9, rng=generator)
        rejected += test.pvalue <= 0.05

    assert rejected / 400 < 0.08


@pytest.mark.parametrize(
    ("d", "clusters"),
    [([0.1, 0.2], ["a", "a"]), ([0.2, 0.2, 0.2], ["a", "b", "c"]), ([0.0, 0.0], ["a", "b"])],
)
def test_one_cluster_or_equal_ones_have_no_test(d, clusters):
    found = wild_cluster_test(differences=d, clusters=clusters, n_resamples=9, rng=rng())

    assert isinstance(found, NotEstimable)


def test_no_resamples_for_many_clusters_are_refused():
    with pytest.raises(ValueError, match="n_resamples"):
        wild_cluster_test(differences=np.arange(40.0), clusters=np.arange(40), n_resamples=0, rng=rng())
