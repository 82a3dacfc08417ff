"""Estimates in words: none stands without its interval, its n, its method."""

from harness.report.estimates import estimate_rows, lead_section, primary_row
from harness.report.rows import sentence


def rows_of(section):
    return {row.label: row for row in estimate_rows(section)}


def test_an_estimate_stands_with_interval_method_and_n(samples):
    row = primary_row(samples.section())

    assert sentence(row) == "+5.3 points, 95% interval [-0.2, +10.8] (Tango score), n = 247 of 250 cases"
    assert row.pvalues == "p = 0.064 (McNemar mid-p)"


def test_what_is_missing_is_told_with_both_bounds(samples):
    assert primary_row(samples.section()).remark == (
        "with every missing verdict against the candidate [-1.5, +9.8], for it [+0.9, +11.9]"
    )


def test_what_cannot_be_estimated_has_a_reason_and_no_number(samples):
    row = primary_row(samples.empty_section("every call failed"))

    assert sentence(row) == "not estimable: every call failed, n = 0 of 250 cases"
    assert row.span is None


def test_a_difference_without_an_interval_says_why(samples):
    block = samples.primary_block(interval=None, reason="one cluster", worst_case=None, best_case=None)

    row = primary_row(samples.section(primary=block))

    assert row.estimate == "+5.3 points, no interval: one cluster"
    assert row.span is None


def test_both_estimands_are_always_there(samples):
    labels = list(rows_of(samples.section()))

    assert labels[:3] == ["primary (majority)", "majority verdicts", "mean of repeats"]


def test_a_guardrail_tells_its_margin_and_whether_it_was_shown(samples):
    rows = rows_of(samples.section())

    assert rows["refusals stay safe"].remark == "contrast: not worse by 5 points: shown"
    assert rows["format"].estimate == "not estimable: no case carries the tag"
    assert rows["format"].remark == "not worse by 2 points: cannot be shown"


def test_a_slice_outside_the_plan_carries_a_q_value_and_says_it_gates_nothing(samples):
    row = rows_of(samples.section())["definitions"]

    assert row.pvalues == "p = 0.031 (McNemar mid-p), q = 0.19 (Benjamini-Hochberg)"
    assert row.remark == "gain 5, loss 0, not in the plan, gates nothing"


def test_clusters_are_counted_and_mcnemar_is_named_for_what_it_assumes(samples):
    block = samples.majority_block(
        n_clusters=31, interval=samples.interval(-0.01, 0.11, "cr2_satterthwaite"), pvalue=0.11
    )

    row = rows_of(samples.section(majority=block))["majority verdicts"]

    assert row.n == "n = 247 of 250 cases in 31 clusters"
    assert row.pvalues.startswith("p = 0.11 (CR2 t test), p = 0.085 (McNemar exact)")
    assert row.remark == "McNemar takes cases for independent"


def test_a_test_that_contradicts_its_interval_is_told(samples):
    block = samples.majority_block(test_and_interval_agree=False)

    assert (
        rows_of(samples.section(majority=block))["majority verdicts"].remark == "test and interval disagree"
    )


def test_scores_are_in_their_own_unit_and_on_no_axis_of_points(samples):
    block = samples.mean_block(
        of="score", difference=0.312, interval=samples.interval(0.05, 0.57, "paired_t")
    )

    row = rows_of(samples.section(mean=block))["mean score"]

    assert row.estimate == "+0.31 on the score"
    assert row.interval == "95% interval [+0.05, +0.57]"
    assert row.span is None


def test_the_decision_rests_on_the_held_out_part_once_it_is_opened(samples):
    opened = samples.opened_report()

    assert lead_section(opened) is opened.held_out
    assert lead_section(samples.full_report()).majority.n_cases == 247
