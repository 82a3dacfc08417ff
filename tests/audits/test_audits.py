"""What each audit says of a run made by hand."""

import pytest
from msgspec.structs import replace

from harness.audits import (
    audit_canaries,
    audit_human_agreement,
    audit_repeatability,
    audit_routing,
    count_completeness,
)
from harness.domain.cases import Canary
from harness.domain.manifest import CheckedCanary
from harness.domain.specs import Gates
from harness.domain.verdicts import AnswerNote, graded
from tests.analysis.results import case
from tests.audits.readings import anchor, call, endpoint, plan, reading


def canary(name, expected, grader="judge"):
    return Canary(id=name, prompt="p", answer="a", expected=expected, grader=grader, why="test")


def test_a_canary_that_the_judge_passes_by_majority_survives_and_is_named():
    canaries = (canary("bad", "fail"), canary("good", "pass"))
    found = audit_canaries(
        plan(canaries=canaries),
        reading(canaries={"bad": ["pass", "pass", "fail"], "good": ["pass", "pass", "pass"]}),
    )

    assert found.status == "fail"
    assert found.reasons == ("canary_survived: bad",)
    assert [result.n_as_expected for result in found.canaries] == [1, 3]


def test_silence_about_a_canary_is_no_proof_that_the_grader_works():
    found = audit_canaries(
        plan(canaries=(canary("k", "fail"),)), reading(canaries={"k": ["fail", None, None]})
    )

    assert found.status == "fail"
    assert found.canaries[0].found is None
    assert found.canaries[0].reason == "no majority (unreadable)"


def test_a_canary_of_the_checks_is_held_against_the_checks():
    graded_pass = CheckedCanary("k", graded("pass"))
    found = audit_canaries(plan(canaries=(canary("k", "fail", "checks"),)), reading(checked=[graded_pass]))

    assert (found.status, found.n_survived) == ("fail", 1)


def test_canaries_of_one_direction_say_so_and_none_at_all_are_no_audit():
    one = audit_canaries(plan(canaries=(canary("k", "fail"),)), reading(canaries={"k": ["fail"] * 3}))

    assert one.status == "pass"
    assert "only fail canaries are planted for the judge" in one.reasons[0]
    assert audit_canaries(plan(), reading()).status == "not_audited"


def test_one_model_throughout_passes_and_a_second_one_is_drift():
    steady = [call("baseline", "a", 1), call("candidate", "b", 2), call("judge", "j", 3)]
    mixed = [*steady, call("baseline", "a-2026-01-01", 4)]

    assert audit_routing(plan(), reading(identities=steady)).status == "pass"
    found = audit_routing(plan(), reading(identities=mixed))
    assert found.status == "fail"
    assert found.reasons[0].startswith("model_changed: baseline was answered by a (1), a-2026-01-01 (1)")
    assert found.endpoints[0].n_changes == 1


def test_a_dated_snapshot_of_the_alias_is_what_was_asked_and_another_model_is_not():
    others = [call("candidate", "b", 2), call("judge", "j", 3)]
    dated = audit_routing(plan(), reading(identities=[call("baseline", "a-2026-01-01", 1), *others]))
    other = audit_routing(plan(), reading(identities=[call("baseline", "a-mini", 1), *others]))

    assert dated.status == "pass"
    assert other.status == "fail"
    assert "expect_model" in other.reasons[0]


def test_a_pinned_model_must_come_back_to_the_letter():
    pinned = plan(baseline=endpoint("a", expect_model="a-2026-01-01"))
    calls = [call("baseline", "a-2026-06-01", 1), call("candidate", "b", 2), call("judge", "j", 3)]

    assert audit_routing(pinned, reading(identities=calls)).endpoints[0].matches is False


def test_a_fingerprint_that_is_never_reported_is_unknown_and_never_equal():
    calls = [call("baseline", "a", i) for i in range(10)]
    half = [replace(c, fingerprint="fp_1") if c.started_ms < 5 else c for c in calls]
    found = audit_routing(plan(), reading(identities=half)).endpoints[0]

    assert found.fingerprints == (("fp_1", 5),)
    assert found.n_fingerprint_unknown == 5
    assert found.n_changes == 0


def test_an_endpoint_that_never_says_who_it_is_is_not_audited():
    found = audit_routing(plan(), reading(identities=[call("baseline", None, 1)]))

    assert found.status == "not_audited"
    assert "model_not_reported: baseline" in found.reasons


def test_a_judge_that_shares_its_model_with_an_arm_is_named():
    calls = [call("baseline", "a", 1), call("candidate", "m", 2), call("judge", "m", 3)]
    judge = plan(judge=endpoint("m"))

    assert "judge_shares_model_with: candidate" in audit_routing(judge, reading(identities=calls)).reasons


def test_repeatability_takes_the_anchor_as_its_unit():
    labels = {"a": ["pass"] * 3, "b": ["pass", "pass", "fail"]}
    found = audit_repeatability(plan(anchors=[anchor("a"), anchor("b")]), reading(anchors=labels))

    assert found.self_agreement is not None
    assert found.self_agreement.rate == pytest.approx((1 + 1 / 3) / 2)
    assert (found.unanimous.n, found.unanimous.of) == (1, 2)
    assert found.least_stable == (("b", pytest.approx(1 / 3)),)


def test_asking_more_where_the_judge_wavers_does_not_move_its_self_agreement():
    few = {"a": ["pass"] * 2, "b": ["pass", "fail"] * 1}
    more = {"a": ["pass"] * 12, "b": ["pass", "fail"] * 1}
    anchors = [anchor("a"), anchor("b")]
    first = audit_repeatability(plan(anchors=anchors), reading(anchors=few)).self_agreement
    second = audit_repeatability(plan(anchors=anchors), reading(anchors=more)).self_agreement

    assert first.rate == second.rate == 0.5


def test_a_judge_below_its_floor_fails_and_a_judge_asked_once_is_not_audited():
    labels = {"a": ["pass", "fail", "fail"]}
    floor = Gates(judge_repeatability=0.9)

    assert (
        audit_repeatability(plan(anchors=[anchor("a")], gates=floor), reading(anchors=labels)).status
        == "fail"
    )
    once = audit_repeatability(plan(anchors=[anchor("a")], votes=1), reading(anchors={"a": ["pass"]}))
    assert once.status == "not_audited"
    assert "repeats.votes = 1" in once.reasons[0]


def test_agreement_counts_what_people_and_judge_both_labelled():
    anchors = [
        anchor("a", "pass", "pass"),
        anchor("b", "fail", "pass", settled="fail"),
        anchor("c", "pass", "fail"),
        anchor("d", "pass"),
    ]
    labels = {"a": ["pass"] * 3, "b": ["pass"] * 3, "c": ["pass"] * 3, "d": [None] * 3}
    found = audit_human_agreement(plan(anchors=anchors), reading(anchors=labels))

    assert (found.agreement.n, found.agreement.of) == (1, 2)
    assert (found.n_no_human_label, found.n_no_judge_label) == (1, 1)
    assert (found.sensitivity.n, found.sensitivity.of) == (1, 1)
    assert (found.specificity.n, found.specificity.of) == (0, 1)
    assert (found.human_human.n, found.human_human.of) == (1, 3)


def test_agreement_on_one_label_only_has_no_kappa_but_a_reason():
    anchors = [anchor(f"a{i}", "pass") for i in range(10)]
    found = audit_human_agreement(
        plan(anchors=anchors), reading(anchors={a.id: ["pass"] * 3 for a in anchors})
    )

    assert (found.agreement.n, found.agreement.of) == (10, 10)
    assert found.kappa is None
    assert found.kappa_reason
    assert found.specificity.rate is None


def test_completeness_counts_by_arm_and_reason_before_any_rate():
    cases = [case("c1", [1, None], [None, None])]
    found = count_completeness(
        plan(answers=2), reading(cases=cases), n_calls_planned=10, n_calls_answered=4, opened=True
    )

    baseline, candidate = found.arms
    assert (baseline.n_graded, baseline.n_answers_asked) == (1, 2)
    assert candidate.answers_missing == (("unreadable", 2),)
    assert found.unpaired_cases == ("c1",)


def test_far_fewer_prompt_tokens_than_sent_are_flagged():
    note = AnswerNote("c1", "baseline", 0, 10, "0" * 64, prompt_tokens=2050, expected_prompt_chars=32_000)
    found = count_completeness(
        plan(), reading(notes=[note]), n_calls_planned=1, n_calls_answered=1, opened=True
    )

    assert found.warnings[0].startswith("prompt_cut: baseline")


def test_equal_answers_to_every_repeat_are_not_independent_answers():
    notes = [
        AnswerNote("c1", "baseline", repeat, 10, "0" * 64, prompt_tokens=None, expected_prompt_chars=5)
        for repeat in range(5)
    ]
    found = count_completeness(
        plan(answers=5), reading(notes=notes), n_calls_planned=1, n_calls_answered=1, opened=True
    )

    assert found.warnings[0].startswith("no_variation: baseline")


def test_a_closed_held_out_case_shows_in_no_count_of_verdicts():
    hidden = case("secret", [None], [None])._replace(split="held_out")
    read = reading(cases=[case("c1", [1], [1]), hidden])
    closed = count_completeness(plan(), read, n_calls_planned=4, n_calls_answered=4, opened=False)

    assert closed.n_cases_not_counted == 1
    assert [arm.n_cases for arm in closed.arms] == [1, 1]
    assert "secret" not in closed.model_dump_json()
