"""What a look leaves of a decision: its codes alone, or, past the budget of looks, no confirmation."""

import re

from harness.analysis.decision import VERDICT_WORDS
from harness.domain.report import Decision, GateBlock

_CODE = re.compile(r"[a-z][a-z_']*")
_SPENT = "looks_spent"
_CONFIRMING = ("primary", "guardrail: ")


def decision_alone(decision: Decision) -> Decision:
    """Return the decision without a number: verdict, codes of the reasons, and gates by status."""
    heads = (reason.partition(":")[0] for reason in decision.reasons)
    codes = tuple(dict.fromkeys(head if _CODE.fullmatch(head) else "withheld" for head in heads))
    because = f" ({'; '.join(codes)})" if codes else ""
    return decision.model_copy(
        update={
            "sentence": f"{_words(decision)} on the held-out cases{because}.",
            "reasons": codes,
            "gates": tuple(gate.model_copy(update={"reason": ""}) for gate in decision.gates),
        }
    )


def past_the_budget(decision: Decision, *, look: int, budget: int) -> Decision:
    """Return the decision of a look for which no alpha was left: exploratory, and nothing is confirmed.

    A measurement that was not valid stays so, and a gate that failed stays failed.

    Args:
        decision: What the held-out cases would have come to.
        look: The number of the look.
        budget: How many looks the gold set allows.
    """
    spent = f"{_SPENT}: exploratory, this is look {look} and the budget was {budget}: no alpha is left for it"
    reasons = (spent, *decision.reasons)
    left = decision.model_copy(
        update={
            "verdict": "invalid" if decision.verdict == "invalid" else "inconclusive",
            "reasons": reasons,
            "gates": tuple(_unconfirmed(gate) for gate in decision.gates),
        }
    )
    return left.model_copy(update={"sentence": f"{_words(left)} ({'; '.join(reasons)})."})


def _words(decision: Decision) -> str:
    spent = any(reason.startswith(_SPENT) for reason in decision.reasons)
    if spent and decision.verdict != "invalid":
        return "Exploratory: nothing is confirmed"
    return VERDICT_WORDS[decision.verdict]


def _unconfirmed(gate: GateBlock) -> GateBlock:
    if not gate.name.startswith(_CONFIRMING) or (gate.status == "fail" and gate.name != "primary"):
        return gate
    return gate.model_copy(update={"status": "not_audited", "reason": _SPENT})
