"""Alike rows get one number, whatever the order of the rows, and different ones never do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.alike import alike_rows

ROWS = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 0.5, 1 / 3, 1e-17, -2.0]), min_size=width, max_size=width),
        min_size=1,
        max_size=40,
    )
)


@given(ROWS)
def test_rows_have_one_number_exactly_where_they_are_the_same(rows):
    matrix = np.array(rows)

    found = alike_rows(matrix)

    assert np.array_equal(matrix[found.first][found.number], matrix)
    assert len({tuple(row) for row in rows}) == found.first.size
    assert [int(found.number[first]) for first in found.first] == list(range(found.first.size))


@given(ROWS, st.randoms(use_true_random=False))
def test_the_numbers_follow_the_values_and_not_the_order(rows, random):
    shuffled = rows[:]
    random.shuffle(shuffled)

    was, now = (np.array(each) for each in (rows, shuffled))

    assert np.array_equal(was[alike_rows(was).first], now[alike_rows(now).first])
