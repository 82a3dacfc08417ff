"""Evidence and limits when one cluster is one observation."""

import math

import numpy as np
import pytest

from harness.stats.beta_bets import log_wealth
from harness.stats.cluster_sequences import (
    cluster_confidence_sequence,
    cluster_evidence,
    clusters_seen,
    noninferiority_evidence,
)
from harness.stats.sequential import discordant_evidence, mean_confidence_sequence, mean_evidence

TENTHS = np.array([0.1, -0.3, 0.0, 0.5, 0.2, 0.2, -0.1, 0.4])


def seen(differences, clusters=None, *, largest=1, concentration=2.0):
    groups = None if clusters is None else np.array(clusters)
    return clusters_seen(differences, groups, largest=largest, concentration=concentration)


def limits(found, level=0.95, sides="two-sided"):
    return cluster_confidence_sequence(found, confidence_level=level, sides=sides)[:2]


def test_with_one_case_a_cluster_it_is_the_evidence_on_cases():
    alone = mean_evidence(TENTHS, concentration=2.0)
    sequence = mean_confidence_sequence(TENTHS, confidence_level=0.9, concentration=2.0)

    assert cluster_evidence(seen(TENTHS)).log_evalue == pytest.approx(alone.log_evalue, abs=1e-12)
    assert cluster_evidence(seen(TENTHS, range(8))) == cluster_evidence(seen(TENTHS))
    assert limits(seen(TENTHS), 0.9) == pytest.approx(sequence[:2], abs=1e-9)


def test_clusters_that_move_as_one_are_worth_no_more_than_one_case_each():
    signs = [1.0] * 12 + [-1.0] * 2 + [0.0] * 6
    cases = np.repeat(signs, 5)
    found = seen(cases, np.repeat(np.arange(20), 5), largest=5)
    alone = discordant_evidence(gain=12, loss=2, concentration=2.0)

    assert cluster_evidence(found).log_evalue == pytest.approx(alone.log_evalue, abs=1e-8)
    assert limits(found) == pytest.approx(limits(seen(signs)), abs=1e-9)


def test_the_estimate_is_the_mean_of_the_cases_whatever_the_sizes():
    differences, clusters = [1.0, 1.0, 1.0, 0.0, -1.0, 0.0], [7, 7, 7, 3, 9, 9]
    found = seen(differences, clusters, largest=4)
    low, high = limits(found)

    assert found.tally.estimate == pytest.approx(2 / 6)
    assert -1.0 <= low < 2 / 6 < high <= 1.0


def test_neither_the_order_of_the_cases_nor_the_numbers_of_the_clusters_matter():
    differences, clusters = np.tile(TENTHS, 4), np.repeat(np.arange(8), 4)
    turned = np.random.default_rng(1).permutation(32)
    other = seen(differences[turned], 100 - clusters[turned], largest=4)

    assert cluster_evidence(other) == cluster_evidence(seen(differences, clusters, largest=4))


def test_zero_is_left_out_exactly_when_the_evidence_has_reached_one_over_alpha():
    for gain in range(5, 14):
        found = seen([1.0] * gain + [-1.0] + [0.0] * 30)
        out = limits(found)[0] > 0

        assert out == (cluster_evidence(found).log_evalue >= math.log(20)), gain


def test_limits_of_one_side_each_lie_within_those_of_both_at_half_the_error():
    found = seen([1.0] * 20 + [-1.0] * 8 + [0.0] * 60)
    (low, high), (inner_low, inner_high) = limits(found, 0.95), limits(found, 0.9, "each")

    # Each side at .05 against both together at .05: the other gambler's half is the difference.
    assert low < inner_low < inner_high < high
    at_low = noninferiority_evidence(found, margin=-inner_low) if inner_low < 0 else None
    assert at_low is None or at_low.log_evalue == pytest.approx(math.log(20), abs=1e-6)


def test_a_loss_as_large_as_the_margin_is_refuted_where_the_lower_limit_lies_above_it():
    found = seen([1.0] * 10 + [-1.0] * 8 + [0.0] * 182)
    low = limits(found, 0.9, "each")[0]

    assert low < 0
    assert noninferiority_evidence(found, margin=-low + 1e-6).pvalue <= 0.05
    assert noninferiority_evidence(found, margin=-low - 1e-6).pvalue > 0.05


@pytest.mark.parametrize("unequal", [False, True])
def test_evidence_on_whole_clusters_keeps_its_level_at_every_stop(unequal):
    """Clusters that move as one, 200 paths of 60 clusters, read after every fifth."""
    rng = np.random.default_rng(20261130)
    sizes = rng.integers(1, 6, 60) if unequal else np.full(60, 4)
    clusters = np.repeat(np.arange(60), sizes)
    n_false = 0
    for _ in range(200):
        cases = np.repeat(rng.choice([-1.0, 0.0, 1.0], 60, p=[0.2, 0.6, 0.2]), sizes)
        n_false += any(
            cluster_evidence(seen(cases[clusters < n], clusters[clusters < n], largest=5)).pvalue <= 0.05
            for n in range(5, 61, 5)
        )

    # Above 5.0% by three standard errors at most.
    assert n_false / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


def test_limits_hold_the_true_mean_of_the_cases_at_every_stop_at_once():
    """Clusters of 1 and 5 cases, of which the large ones gain more; 200 paths, read at every tenth of 60."""
    rng = np.random.default_rng(20261201)
    true = (0.1 * 1 + 0.4 * 5) / 6
    n_missed = 0
    for _ in range(200):
        sizes = rng.choice([1, 5], 60)
        gain = np.where(sizes == 5, 0.45, 0.2)
        loss = np.where(sizes == 5, 0.05, 0.1)
        draws = rng.random(60)
        values = np.where(draws < gain, 1.0, np.where(draws < gain + loss, -1.0, 0.0))
        clusters, cases = np.repeat(np.arange(60), sizes), np.repeat(values, sizes)
        paths = [seen(cases[clusters < n], clusters[clusters < n], largest=5) for n in range(10, 61, 10)]
        # What the limits leave out: to search them for both ends would take a hundred times as long.
        n_missed += any(log_wealth(true, *path).mixed >= math.log(20) for path in paths)

    assert n_missed / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize(
    ("differences", "clusters", "largest", "told"),
    [
        ([1.5], None, 1, "must lie in"),
        ([], None, 1, "empty"),
        ([math.nan], None, 1, "NaN"),
        ([0.0, 0.0], [1, 1], 1, "the largest was to have 1"),
        ([0.0], None, 0, "at least 1"),
    ],
)
def test_what_cannot_be_bet_on_is_refused(differences, clusters, largest, told):
    with pytest.raises(ValueError, match=told):
        seen(differences, clusters, largest=largest)


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1])
def test_a_margin_lies_between_zero_and_one(margin):
    with pytest.raises(ValueError, match="margin"):
        noninferiority_evidence(seen([0.0]), margin=margin)
