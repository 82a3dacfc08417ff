"""Lines on noise, weights and missingness, made from the analysis of real tables."""

import pytest

from harness.analysis import Anytime, analyse, sequential_block
from harness.domain.specs import AnalysisSpec
from harness.domain.stopping import Asked
from harness.report.further import further
from tests.analysis.results import case, table_of


def titled(section):
    return dict(further(section))


def test_a_section_with_nothing_to_add_adds_no_line():
    assert (
        further(analyse(table_of(both=60, gain=20, loss=2, neither=20), AnalysisSpec(margin=0.03, seed=1)))
        == ()
    )


def test_the_interval_that_decided_equivalence_is_shown():
    section = analyse(table_of(both=480, gain=10, loss=10, neither=0), AnalysisSpec(margin=0.016, seed=1))

    assert titled(section)["equivalence"][0].startswith("decided by the 90% interval [-1.56, +1.56]")


def test_a_slice_that_points_the_other_way_stands_with_the_mix_at_which_the_sign_turns():
    rows = [case(f"e{i}", [int(i < 720)], [int(i < 765)], tags=("old",)) for i in range(900)]
    rows += [case(f"n{i}", [int(i < 40)], [int(i < 30)], tags=("new",)) for i in range(100)]
    weights = {"old": 1, "new": 1}
    lines = titled(analyse(rows, AnalysisSpec(margin=0.01, seed=1, weights=weights)))

    assert lines["opposed slices"] == (
        "new: -10.0 points where all cases have +3.5 points; they are 10.0% of the cases, "
        "at 33.3% the difference is 0",
    )
    assert lines["weights"][0].startswith("by the plan's shares of tags -2.5 points, 95% interval [")
    assert "worth 360" in lines["weights"][0]


def test_noise_is_told_by_its_shares_and_by_what_more_answers_would_do():
    rows = [case(f"c{i}", [i % 2, 1, 0], [1, (i // 2) % 2, 1]) for i in range(100)]
    lines = titled(analyse(rows, AnalysisSpec(margin=0.05, seed=1)))["noise"]

    assert lines[0].startswith("of the variance of the mean: between cases ")
    assert "with the 3 there are" in lines[1]
    assert lines[2].startswith("to show the margin")


def test_verdicts_missing_in_one_arm_are_a_line():
    rows = [case(f"c{i}", [1], [None if i < 30 else 1]) for i in range(300)]

    (line,) = titled(analyse(rows, AnalysisSpec(margin=0.05, seed=1)))["missing in one arm"]
    assert line.startswith(
        "30 cases in the candidate only, 0 in the baseline only: +10.0 points, 95% interval ["
    )


@pytest.mark.parametrize(
    ("gain", "asked", "told"),
    [
        (10, Asked(2, 9, 10, 45, is_whole=True), "ended by the evidence, as the plan declares: e-value 39.4"),
        (
            5,
            Asked(9, 9, 45, 45, is_whole=True),
            "asked to the end: the evidence did not reach what ends a run",
        ),
        (10, Asked(2, 9, 10, 45, is_whole=False), "broken off before its end, not by the declared rule"),
    ],
)
def test_how_a_run_that_may_end_early_ended_is_a_line(gain, asked, told):
    rows, spec, design = (
        table_of(both=0, gain=gain, loss=0, neither=0),
        AnalysisSpec(margin=0.05, seed=1),
        Anytime(largest_cluster=1),
    )
    stop = sequential_block(rows, spec, design, asked)
    section = analyse(rows, spec, anytime=design).model_copy(update={"sequential": stop})
    line = titled(section)["early stopping"][0]

    assert line.startswith(told)
    assert "20 ends a run; " in line
    assert f"{asked.n_cases} of 45 cases asked, {45 - asked.n_cases} not" in line
