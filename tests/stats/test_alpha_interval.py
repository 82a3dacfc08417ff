"""The interval of Krippendorff's alpha."""

import numpy as np
import pytest

from harness.stats.alpha_bootstrap import _value_counts, _weighted_alphas, alpha_interval
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.multirater import krippendorff_alpha


def ratings(rng: np.random.Generator, n_items: int, noise: float, n_labels: int = 3) -> np.ndarray:
    truth = rng.integers(n_labels, size=(n_items, 1))
    wrong = rng.random((n_items, 3)) < noise
    return np.where(wrong, rng.integers(n_labels, size=(n_items, 3)), truth)


def interval(table: np.ndarray, **options: object) -> Interval | NotEstimable:
    chosen = {"level": "nominal", "confidence_level": 0.95, "n_resamples": 400} | options
    return alpha_interval(ratings=table, present=table >= 0, rng=np.random.default_rng(7), **chosen)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_items_drawn_once_each_have_the_alpha_of_the_whole(level):
    table = ratings(np.random.default_rng(3), 40, 0.3)
    table[::7, 2] = -1
    counts, distinct = _value_counts(table.astype(float), table >= 0)
    whole = krippendorff_alpha(ratings=table, present=table >= 0, level=level)

    twice = np.vstack([table, table[:5]])
    doubled = krippendorff_alpha(ratings=twice, present=twice >= 0, level=level)
    once = np.ones(40, dtype=np.int64)
    again = np.where(np.arange(40) < 5, 2, 1)
    found = _weighted_alphas(counts, distinct, np.arange(40), np.stack([once, again]), level)

    assert found == pytest.approx([whole, doubled], abs=1e-12)


def test_the_interval_covers_the_alpha_of_a_large_population():
    rng = np.random.default_rng(11)
    population = ratings(rng, 20_000, 0.4)
    truth = krippendorff_alpha(ratings=population, present=population >= 0, level="nominal")
    hits = 0
    for _ in range(200):
        found = interval(population[rng.integers(20_000, size=80)], n_resamples=200)
        hits += found.low <= truth <= found.high

    assert hits >= 180


def test_clusters_are_drawn_whole():
    table = ratings(np.random.default_rng(5), 30, 0.4)
    repeated = np.repeat(table, 4, axis=0)
    alone = interval(repeated)
    together = interval(repeated, clusters=[f"c{n // 4}" for n in range(120)])

    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_few_clusters_and_one_label_have_no_interval():
    table = ratings(np.random.default_rng(5), 9, 0.4)

    assert "9 clusters" in interval(table).reason
    assert isinstance(interval(np.zeros((20, 2), dtype=int)), NotEstimable)


def test_too_few_resamples_are_refused():
    with pytest.raises(ValueError, match="n_resamples must be 100 or more, found 20"):
        interval(ratings(np.random.default_rng(5), 20, 0.4), n_resamples=20)


def test_ratings_that_all_agree_have_no_interval_of_no_width():
    agreed = np.repeat(np.arange(30)[:, None] % 2, 3, axis=1)

    assert interval(agreed) == NotEstimable(
        "all ratings of every item agree: resamples of them cannot differ"
    )


def test_resamples_drawn_a_few_at_a_time_are_the_same(monkeypatch):
    table = ratings(np.random.default_rng(5), 60, 0.4)
    whole = interval(table)
    monkeypatch.setattr("harness.stats.alpha_bootstrap._CELLS_AT_A_TIME", 60 * 7)

    assert interval(table) == whole
