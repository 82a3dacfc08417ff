import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.estimability import NotEstimable
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.missing import differential_missingness, missing_bounds


def bounds_of(baseline, candidate):
    """None marks a score that is missing."""
    arms = {"baseline": baseline, "candidate": candidate}
    scores = {arm: [math.nan if s is None else s for s in values] for arm, values in arms.items()}
    masks = {f"{arm}_observed": [s is not None for s in values] for arm, values in arms.items()}
    return missing_bounds(**scores, **masks)


def test_each_missing_score_is_set_against_and_then_for_the_candidate():
    found = bounds_of([1, 0, None, 1, None], [1, 1, 1, None, None])

    assert (found.n_cases, found.n_complete) == (5, 2)
    assert (found.n_baseline_missing, found.n_candidate_missing) == (2, 2)
    assert found.complete_case == 0.5
    assert found.worst == pytest.approx((0 + 1 + 0 - 1 - 1) / 5)
    assert found.best == pytest.approx((0 + 1 + 1 + 0 + 1) / 5)


def test_without_missing_scores_there_is_one_number():
    found = bounds_of([1, 0, 0.4], [1, 1, 0.8])

    assert found.worst == found.best == pytest.approx(found.complete_case)


def test_without_a_complete_case_there_are_bounds_and_no_estimate():
    found = bounds_of([None, 1], [1, None])

    assert isinstance(found.complete_case, NotEstimable)
    assert (found.worst, found.best) == (-0.5, 0.5)


maybe_scores = st.lists(st.sampled_from([None, 0.0, 0.2, 0.6, 1.0]), min_size=1, max_size=12)


@given(maybe_scores, st.data())
def test_whatever_the_missing_scores_were_the_difference_lies_within_the_bounds(baseline, data):
    same_length = st.lists(
        st.sampled_from([None, 0.0, 0.4, 1.0]), min_size=len(baseline), max_size=len(baseline)
    )
    candidate = data.draw(same_length)
    found = bounds_of(baseline, candidate)
    fills = st.lists(st.floats(0, 1), min_size=len(baseline), max_size=len(baseline))
    old, new = (
        np.array([fill if s is None else s for s, fill in zip(arm, data.draw(fills), strict=True)])
        for arm in (baseline, candidate)
    )

    assert found.worst - 1e-12 <= float(np.mean(new - old)) <= found.best + 1e-12


def test_an_arm_that_loses_more_scores_is_seen():
    has_b = np.ones(200, dtype=bool)
    has_c = np.arange(200) >= 20
    found = differential_missingness(baseline_observed=has_b, candidate_observed=has_c, confidence_level=0.95)

    assert (found.candidate_only, found.baseline_only, found.difference) == (20, 0, 0.1)
    assert found.interval.low > 0.05
    assert found.pvalue == mcnemar_exact(gain=20, loss=0).pvalue


def test_no_missing_score_at_all_leaves_room_for_a_difference_in_missing():
    everywhere = np.ones(50, dtype=bool)
    found = differential_missingness(
        baseline_observed=everywhere, candidate_observed=everywhere, confidence_level=0.95
    )

    assert found.interval.low < 0 < found.interval.high
    assert found.pvalue == 1.0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"baseline_observed": [1, 1]}, "booleans"),
        ({"baseline_observed": [True]}, "same cases"),
        ({"baseline_observed": [], "candidate_observed": []}, "booleans"),
        ({"baseline": [0.5]}, "one score a case"),
        ({"baseline": [0.5, math.nan]}, "baseline must lie in"),
        ({"candidate": [0.5, 1.5]}, "candidate must lie in"),
    ],
)
def test_scores_and_masks_that_do_not_fit_are_refused(changed, message):
    good = {
        "baseline": [1, 0],
        "candidate": [1, 1],
        "baseline_observed": [True, True],
        "candidate_observed": [True, True],
    }
    with pytest.raises(ValueError, match=message):
        missing_bounds(**good | changed)
