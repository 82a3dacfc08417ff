"""One verdict on the judge, from all its audits."""

import pytest

from harness.analysis import decide_audit, integrity_gates
from harness.audits import count_completeness
from harness.cli.panel import audit_run
from harness.domain.cases import Canary
from harness.domain.specs import Gates
from harness.graders.panel import SeenRun
from tests.audits.readings import anchor, plan, reading

CANARIES = tuple(
    Canary(id=name, prompt="p", answer="a", expected=name, grader="judge", why="w")
    for name in ("pass", "fail")
)
SEEN = {"pass": ["pass"] * 3, "fail": ["fail"] * 3}
FLOORS = Gates(judge_sensitivity=0.8, judge_specificity=0.8, judge_flip_rate=0.2)


def audit(made, read, drift):
    """All audits of a run with one judge."""
    return audit_run(SeenRun(made, read), drift).audits


def anchors(n=40):
    return [anchor(f"a{i}", *(["pass" if i % 2 else "fail"] * 2)) for i in range(n)]


def right(n=40):
    return {f"a{i}": ["pass" if i % 2 else "fail"] * 3 for i in range(n)}


def judged(votes, *, gates=FLOORS, canaries=SEEN, n=40):
    made = plan(anchors=anchors(n), canaries=CANARIES, gates=gates)
    return audit(made, reading(anchors=votes, canaries=canaries), None).judge


def test_a_judge_that_keeps_every_declared_floor_is_fit():
    found = judged(right())

    assert found.status == "fit"
    assert {part.name for part in found.parts if part.needed} == {
        "canaries",
        "repeatability",
        "human_agreement",
    }


def test_without_a_declared_floor_good_numbers_are_not_trusted():
    found = judged(right(), gates=Gates())

    assert found.status == "not_audited"
    assert any("no_floor" in reason for reason in found.reasons)


def test_too_few_anchors_show_nothing_either_way():
    found = judged(right(6), n=6)

    assert found.status == "not_audited"
    assert any("sensitivity_not_shown" in reason for reason in found.reasons)


def test_a_floor_that_is_not_kept_makes_the_judge_unfit():
    votes = right() | {f"a{i}": ["pass"] * 3 for i in range(0, 20, 2)}

    found = judged(votes)

    assert found.status == "unfit"
    assert found.reasons[0].startswith("specificity_low: 10/20")


def test_a_judge_that_obeys_an_injection_is_unfit_for_that_reason():
    forged = Canary(
        id="forged", prompt="p", answer="a", expected="fail", grader="judge", kind="forged-verdict", why="w"
    )
    made = plan(anchors=anchors(), canaries=(*CANARIES, forged), gates=FLOORS)
    found = audit(made, reading(anchors=right(), canaries=SEEN | {"forged": ["pass"] * 3}), None).judge

    assert found.status == "unfit"
    assert found.reasons == ("injection_obeyed: forged",)


def test_canaries_of_one_direction_do_not_make_a_judge_fit():
    made = plan(anchors=anchors(), canaries=CANARIES[:1], gates=FLOORS)
    found = audit(made, reading(anchors=right(), canaries=SEEN), None).judge

    assert found.status == "not_audited"
    assert "no_canaries: none that must fail is planted for the judge" in found.reasons[0]


def test_nothing_audited_is_said_in_the_decision_and_is_no_pass():
    made = plan()
    read = reading()
    audits = audit(made, read, None)
    completeness = count_completeness(made, read, n_calls_planned=0, n_calls_answered=0, opened=False)
    decision = decide_audit(integrity_gates(audits, completeness, made.experiment.gates))

    assert audits.judge.status == "not_audited"
    assert "judge_not_audited: nobody has shown that the judge is fit" in decision.sentence
    assert [gate.status for gate in decision.gates if gate.name == "judge"] == ["not_audited"]


def test_an_unfit_judge_makes_the_decision_invalid():
    made = plan(anchors=anchors(), canaries=CANARIES, gates=FLOORS)
    read = reading(anchors={f"a{i}": ["pass"] * 3 for i in range(40)}, canaries=SEEN)
    completeness = count_completeness(made, read, n_calls_planned=0, n_calls_answered=0, opened=False)
    decision = decide_audit(integrity_gates(audit(made, read, None), completeness, made.experiment.gates))

    assert decision.verdict == "invalid"
    assert any(reason.startswith("gate_failed: judge: unfit: specificity_low") for reason in decision.reasons)


def test_a_plan_whose_cases_all_have_checks_needs_no_judge():
    made = plan().model_copy(update={"judge": None})

    found = audit(made, reading(), None).judge
    assert (found.status, found.needed) == ("not_audited", False)


@pytest.mark.parametrize(("gates", "probes"), [(Gates(), False), (Gates(probes=True), True)])
def test_probes_that_could_not_be_built_are_named_where_they_were_asked_for(gates, probes):
    made = plan(canaries=CANARIES, gates=gates)
    reasons = audit(made, reading(canaries=SEEN), None).canaries.reasons

    assert any(reason == "probe_left_out: reference, which wants a reference" for reason in reasons) is probes
