"""Completeness, audits, flips and planning in words."""

from harness.report.audits import audit_rows, canary_line
from harness.report.findings import (
    flaky_lines,
    further_reasons,
    missing_rows,
    not_counted,
    planning_lines,
    run_line,
    section_missing,
    top_flips,
)


def test_what_is_missing_is_counted_by_arm_and_reason(samples):
    baseline, candidate = missing_rows(samples.completeness())

    assert baseline.without == "answers: failed 2, truncated 4; votes: unreadable 3"
    assert baseline.graded == "1,243 of 1,250"
    assert candidate.without == "answers: refused 1; votes: none"


def test_closed_held_out_cases_are_left_out_of_the_counts_and_said_so(samples):
    assert not_counted(samples.full_report(completeness=samples.completeness())) == ""
    completeness = samples.completeness(n_cases_not_counted=107)
    assert not_counted(samples.full_report(completeness=completeness)) == (
        "107 held-out cases not opened and not counted here"
    )


def test_cases_the_metric_does_not_apply_to_are_counted_apart(samples):
    lines = section_missing(samples.section(n_not_applicable=4))

    assert lines[-1] == "4 cases to which the metric does not apply"


def test_a_reason_that_the_sentence_gives_is_not_given_twice(samples):
    decision = samples.full_report().decision
    told = decision.model_copy(update={"sentence": "Nothing can be told (interval_holds_zero)."})

    assert further_reasons(decision) == ("interval_holds_zero",)
    assert further_reasons(told) == ()


def test_flaky_and_stable_parts_add_up_to_the_mean(samples):
    lines = flaky_lines(samples.flaky_block(), n_cases=250)

    assert lines[0].startswith("22 of 247 cases are flaky: ")
    assert lines[1] == "mean of repeats +5.3 points = +1.6 from flaky + +3.6 from stable cases"
    assert lines[2].endswith(
        "+0.8 from flaky, +4.4 from stable cases; 59% are flaky in the other repeats too"
    )
    assert lines[3] == "changed without any disagreement: 2 gains, 1 loss"


def test_the_detectable_effect_stands_beside_the_margin(samples):
    lines = planning_lines(samples.planning_block(), n_cases=250)

    assert lines[0] == (
        "margin 3.0 points; smallest effect seen with 80% power: 7.9 points "
        "(alpha 0.05, 247 cases, 19.8% of verdicts differ)"
    )
    assert lines[1] == "to see the margin: 1,723 cases"
    assert lines[-1].startswith("underpowered")


def test_an_effect_that_cannot_be_planned_has_its_reason(samples):
    lines = planning_lines(
        samples.planning_block(minimum_detectable_effect=None, reason="no discordant case"), n_cases=250
    )

    assert lines[0].endswith("smallest detectable effect not estimable: no discordant case")


def test_the_clearest_flips_come_first_and_both_directions_have_room(samples):
    flips = samples.flips_block().cases
    losses = [flip for flip in flips if flip.direction == "loss"]

    assert [flip.direction for flip in top_flips(flips, most=4)] == ["loss", "loss", "gain", "gain"]
    assert top_flips(flips, most=4)[0].candidate_passes == 0
    assert len(top_flips(losses, most=10)) == 10
    assert len(top_flips(flips[16:20], most=10)) == 4


def test_a_cost_that_is_not_known_is_not_zero(samples):
    report = samples.full_report()
    free = report.model_copy(update={"run": report.run.model_copy(update={"cost": None})})

    assert "cost 17.30 USD" in run_line(report)
    assert run_line(free).endswith("cost not known")


def test_every_audit_shows_its_numbers(samples):
    rows = {row.name: row for row in audit_rows(samples.audits())}

    assert list(rows) == [
        "judge",
        "canaries",
        "routing",
        "repeatability",
        "human agreement",
        "bias",
        "differential error",
        "drift",
    ]
    assert rows["routing"].lines[1] == (
        "candidate: asked llama-2-7b-2023-11, answered llama-2-7b-2023-11 (1,213 calls), "
        "llama-2-7b-2023-12 (35 calls); 2 without a model id; 2 changes"
    )
    assert rows["repeatability"].lines[0] == "no verdict: unreadable 2"
    assert "early votes against late ones: not estimable: all votes fell into one minute" in (
        rows["repeatability"].lines
    )
    assert "kappa 0.77 (95% interval 0.54 to 1.00, normal)" in rows["human agreement"].lines
    assert rows["bias"].status == "not_audited"


def test_a_kappa_that_cannot_be_estimated_has_its_reason(samples):
    finding = samples.audits().human_agreement.model_copy(
        update={"kappa": None, "kappa_reason": "all labels are the same"}
    )

    lines = audit_rows(samples.audits(human_agreement=finding))[4].lines

    assert "kappa not estimable: all labels are the same" in lines
    assert any(line.startswith("AC1 0.89") for line in lines)


def test_a_canary_without_a_majority_says_why(samples):
    canary = samples.canaries(survivor=True).canaries[0]
    silent = canary.model_copy(update={"found": None, "reason": "unreadable"})

    assert canary_line(silent) == (
        "judge: expected fail, found no verdict (unreadable), 0 of 3 votes as expected"
    )
