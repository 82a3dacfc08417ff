import numpy as np
import pytest

from harness.stats.grid import on_grid, tabulate


@pytest.mark.parametrize(
    ("values", "integers"),
    [
        ([0.1, 0.1 + 0.2, -0.3], [1, 3, -3]),
        ([1 / 3, 2 / 3, 0.0], [1, 2, 0]),
        ([1 / 3, 1 / 4], [4, 3]),
        ([0.2 - 0.6, 0.5 - 0.3, 0.3 - 0.1], [-2, 1, 1]),
        ([5.0, 10.0, -5.0], [1, 2, -1]),
        ([0.0, 0.0], [0, 0]),
        ([1e-200, 3e-200], [1, 3]),
        ([0.12345, 0.5], [2469, 10000]),
    ],
)
def test_scores_become_whole_numbers_of_their_step(values, integers):
    grid = on_grid(np.array(values))

    assert grid.integers.tolist() == integers
    assert grid.step * grid.integers == pytest.approx(values)


def test_continuous_scores_have_no_grid():
    assert on_grid(np.random.default_rng(0).normal(size=20)) is None


def test_a_step_that_only_shows_late_is_found():
    values = np.append(np.ones(5000), 0.3)

    grid = on_grid(values)

    assert grid.integers[[0, -1]].tolist() == [10, 3]


def test_one_continuous_score_among_many_takes_the_grid_away():
    assert on_grid(np.append(np.tile([0.2, 0.4], 2500), np.pi / 10)) is None


def test_counts_of_whole_numbers_add_up():
    distinct, repeats = tabulate(on_grid(np.array([0.2, -0.4, 0.2, 0.0])))

    assert distinct.tolist() == [-2, 0, 1]
    assert repeats.tolist() == [1, 1, 2]
