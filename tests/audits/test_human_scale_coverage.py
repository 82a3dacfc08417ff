"""The human scale covers what people would say where the judge alone does not, in a run as audited."""

import pytest
from scipy import stats

from bench.human_scale import WORLDS, simulate

N_RUNS = 60
BY_NAME = {world.name: world for world in WORLDS}
# Fewer than this have a probability of .001 where 95% cover.
LEAST = stats.binom.ppf(0.001, N_RUNS, 0.95) / N_RUNS


@pytest.mark.parametrize(
    ("world", "n_anchors", "judge_only"),
    [("specificity differs by .15", 33, 0.45), ("specificity differs by .15, clusters of 4", 60, 0.85)],
)
def test_the_combined_row_and_both_rates_cover(world, n_anchors, judge_only):
    found = simulate(BY_NAME[world], n_anchors, N_RUNS, seed=1)

    assert found.combined >= LEAST
    assert min(found.corrected) >= LEAST
    assert found.judge_only < judge_only
