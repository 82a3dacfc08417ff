"""What a look leaves of a decision: codes without numbers, and no confirmation past the budget."""

import pytest

from harness.analysis import decision_alone, past_the_budget
from harness.domain.estimate_blocks import DecisionVerdict
from harness.domain.report import Decision, GateBlock


def decision(verdict: DecisionVerdict, *reasons: str, **gates: str) -> Decision:
    return Decision(
        verdict=verdict,
        basis="held_out",
        sentence=f"It is so ({'; '.join(reasons)}).",
        reasons=reasons,
        gates=tuple(
            GateBlock(name=name.replace("_", ": "), status=status, reason="37 of 40")
            for name, status in gates.items()
        ),
    )


def test_of_the_reasons_the_codes_are_left_and_of_the_gates_the_status():
    found = decision_alone(
        decision("inconclusive", "the_mean_moves: +12.5 points", "underpowered", "3 of 4", primary="pass")
    )

    assert found.reasons == ("the_mean_moves", "underpowered", "withheld")
    assert [(gate.name, gate.status, gate.reason) for gate in found.gates] == [("primary", "pass", "")]
    assert not any(sign.isdigit() for sign in found.model_dump_json())
    assert "on the held-out cases (the_mean_moves; underpowered; withheld)" in found.sentence


@pytest.mark.parametrize("verdict", ["improvement", "regression", "non_inferior", "equivalent"])
def test_past_the_budget_no_verdict_confirms(verdict):
    found = past_the_budget(
        decision(verdict, primary="pass", guardrail_a="pass", guardrail_b="fail", routing="fail"),
        look=3,
        budget=2,
    )

    assert found.verdict == "inconclusive"
    assert found.sentence == (
        "Exploratory: nothing is confirmed (looks_spent: exploratory, this is look 3 and the budget was 2: "
        "no alpha is left for it)."
    )
    assert [gate.status for gate in found.gates] == ["not_audited", "not_audited", "fail", "fail"]


def test_a_measurement_that_is_not_valid_stays_so_past_the_budget():
    found = past_the_budget(decision("invalid", "gate_failed: routing"), look=2, budget=1)

    assert found.verdict == "invalid"
    assert found.sentence.startswith("The measurement is not valid (looks_spent")


def test_past_the_budget_the_decision_alone_says_so_too():
    found = decision_alone(past_the_budget(decision("improvement"), look=2, budget=1))

    assert found.sentence == "Exploratory: nothing is confirmed on the held-out cases (looks_spent)."
