"""What a look makes of a report: its notes, and a decision that says no more than was released."""

from collections.abc import Iterator

from harness.analysis import decision_alone, past_the_budget
from harness.domain.plan import Look, Plan
from harness.domain.report import Decision


def look_notes(plan: Plan, look: Look) -> Iterator[str]:
    """Yield which look opened the held-out split, what it released, and what it spends."""
    alone = "" if look.shows_numbers else ", for the decision alone"
    yield f"The held-out split was opened at {look.opened_at}: look {look.number} of {look.gold}{alone}."
    budget = plan.gold.split.looks
    if look.is_past(budget):
        yield (
            f"The budget was {budget} {'look' if budget == 1 else 'looks'}, and this one is past it: "
            "the result is exploratory, whatever it says."
        )
    elif look.alpha is not None:
        yield f"The look spends alpha {look.alpha:g}: its intervals are at {1 - look.alpha:.1%}."


def released(decision: Decision, plan: Plan, look: Look) -> Decision:
    """Return the decision of the held-out cases as far as the look may tell it."""
    budget = plan.gold.split.looks
    if budget is not None and look.is_past(budget):
        decision = past_the_budget(decision, look=look.number, budget=budget)
    return decision if look.shows_numbers else decision_alone(decision)
