"""A report of compared answers says preferred where others say passed."""

import re

import pytest

from harness.domain.blocks import Rate
from harness.domain.findings import BiasFinding
from harness.domain.fitness import BiasEffect, PositionEffect
from harness.domain.population_blocks import AbilityBlock, PreferencesBlock, WinRateBlock
from harness.domain.report import Report
from harness.report.bias_lines import bias_lines
from harness.report.further import further
from harness.report.markdown import summary_markdown
from harness.report.page import page
from harness.report.preferences import outcome_table
from harness.report.terminal import terminal_summary
from tests.report import sample_report as samples

PREFERENCES = PreferencesBlock(
    n_pairs=250,
    n_no_preference=3,
    candidate_preferred=120,
    baseline_preferred=87,
    ties=40,
    ties_in_both_orders=10,
    ties_by_reversal=25,
    win_rate=WinRateBlock(n_verdicts=494, rate=0.5668, interval=samples.interval(0.51, 0.62, "cr2")),
    ability=AbilityBlock(
        log_ability=0.3216, interval=samples.interval(0.05, 0.6, "davidson_robust"), log_tie=-0.9
    ),
)
POSITION = PositionEffect(
    of="answers",
    n_pairs=247,
    n_incomplete=3,
    consistent=samples.rate(212, 247, 0.81, 0.9),
    reversed=samples.rate(25, 247, 0.07, 0.15),
    to_first=samples.rate(20, 25, 0.61, 0.91),
    difference=15 / 247,
    interval=samples.interval(0.02, 0.1, "cr2"),
    pvalue=0.0041,
    band=0.1,
    status="not_audited",
)
EFFECT = BiasEffect(
    of="length",
    group="the longer of two answers",
    n_inside=90,
    n_outside=10,
    difference=0.12,
    interval=samples.interval(0.02, 0.22, "plus_four_equal_human_score"),
    pvalue=0.02,
    band=None,
    status="not_audited",
)


def compared() -> Report:
    """The sample report, had its judge compared two answers."""
    report = samples.full_report()
    section = report.exploratory.model_copy(
        update={
            "preferences": PREFERENCES,
            "majority": samples.majority_block(both_pass=0),
            "flaky": samples.flaky_block(rule="at least 2 repeats prefer an arm and at least 2 do not"),
        }
    )
    bias = BiasFinding(status="not_audited", effects=(EFFECT,), position=(POSITION,))
    return report.model_copy(
        update={
            "exploratory": section,
            "audits": samples.audits(bias=bias),
            "plan": report.plan.model_copy(update={"judging": "pairwise"}),
        }
    )


def test_the_table_counts_who_is_preferred():
    block = samples.majority_block(both_pass=0, gain=30, loss=10, both_fail=60, n_cases=100)
    section = samples.section(preferences=PREFERENCES, majority=block)

    assert outcome_table(section) == (
        ("", "cases", "share"),
        ("candidate (gain)", "30", "30.0%"),
        ("baseline (loss)", "10", "10.0%"),
        ("neither (tie)", "60", "60.0%"),
        ("all", "100", "100.0%"),
    )


def test_the_pairs_the_win_rate_and_the_ability_are_told():
    lines = dict(further(samples.section(preferences=PREFERENCES)))["preferences"]

    assert lines[0] == (
        "of 250 pairs the candidate is preferred in 120, the baseline in 87, neither in 40; "
        "3 without a preference"
    )
    assert lines[1] == (
        "ties: 10 in both orders, 25 because the order turned the preference, 5 with a tie in one order"
    )
    assert lines[2].startswith("win rate of the candidate 56.7% (95% interval 51.0% to 62.0%")
    assert lines[3].startswith(
        "log ability of the candidate over the baseline +0.32 (95% interval +0.05 to +0.60"
    )


def test_what_is_not_estimable_is_told_with_its_reason():
    block = PREFERENCES.model_copy(
        update={
            "win_rate": WinRateBlock(n_verdicts=0, rate=None, interval=None, reason="nobody"),
            "ability": AbilityBlock(log_ability=None, interval=None, log_tie=None, reason="one arm wins all"),
        }
    )
    lines = dict(further(samples.section(preferences=block)))["preferences"]

    assert lines[2:] == (
        "win rate of the candidate not estimable: nobody",
        "log ability of the candidate not estimable: one arm wins all",
    )


def test_bias_says_preferred_and_where_reversed_pairs_go():
    lines = bias_lines(
        BiasFinding(status="fail", effects=(EFFECT,), position=(POSITION,)), judging="pairwise"
    )

    assert lines[1].endswith("p = 0.0041)")
    assert "to the first place 80%, 20 of 25" in lines[1]
    assert lines[2].startswith("position, answers: to the first place +0.061 more often than the second")
    assert "preferred +0.120 more often at equal preference of people" in lines[3]


def test_without_a_reversed_pair_the_place_has_no_test():
    none = POSITION.model_copy(update={"to_first": Rate(n=0, of=0, rate=None, reason="none was reversed")})

    assert bias_lines(BiasFinding(status="pass", position=(none,)))[1].endswith(
        "not estimable: none was reversed"
    )


@pytest.mark.parametrize("write", [terminal_summary, summary_markdown, page])
def test_no_form_speaks_of_passes(write):
    text = re.sub(r"\s+", " ", write(compared()))

    assert "win share, cases" in text
    assert "exact sign test" in text
    assert not re.search(r"pass rate|majority verdicts|\(McNemar", text)
    assert not re.search(r"(baseline|candidate) (passes|fails)|\d/\d+ pass\b", text)


def test_votes_are_told_by_order():
    assert "votes a pair in each order" in re.sub(r"\s+", " ", terminal_summary(compared()))
