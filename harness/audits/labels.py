"""What people and the judge said of each anchor, as a label and as pass or fail."""

from collections.abc import Iterable, Sequence

from harness.domain.cases import Anchor, Outcome
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Vote, majority


def human_label(anchor: Anchor) -> str | None:
    """Return what people settled on: the adjudicated label, else the reviewers' majority."""
    if anchor.label is not None:
        return anchor.label
    return majority([review.label for review in anchor.reviews], asked=len(anchor.reviews)).label


def outcome_of(plan: Plan, label: str | None) -> Outcome | None:
    """Return what a label counts as; null where there is no label or no judge."""
    if label is None or plan.judge is None:
        return None
    return "pass" if label in plan.judge.passing else "fail"


def human_outcome(plan: Plan, anchor: Anchor) -> Outcome | None:
    """Return whether people pass the anchor; null where they did not settle it."""
    if anchor.label is not None:
        return outcome_of(plan, anchor.label)
    outcomes = [outcome_of(plan, review.label) for review in anchor.reviews]
    return _winner(outcomes, asked=len(outcomes))


def votes_by_anchor(votes: Iterable[Vote], anchors: Sequence[Anchor]) -> dict[str, list[Vote]]:
    """Return each anchor's votes, in the order of their repeats; an anchor without votes has none."""
    found: dict[str, list[Vote]] = {anchor.id: [] for anchor in anchors}
    for vote in votes:
        found.setdefault(vote.subject.id, []).append(vote)
    return found


def judge_labels(plan: Plan, reading: Reading) -> dict[str, str | None]:
    """Return the judge's majority label on each anchor, over the votes asked for."""
    asked = plan.experiment.repeats.votes
    return {
        anchor: majority([vote.verdict.label for vote in votes], asked=asked).label
        for anchor, votes in votes_by_anchor(reading.anchor_votes, plan.anchors).items()
    }


def judge_outcomes(plan: Plan, reading: Reading) -> dict[str, Outcome | None]:
    """Return whether the judge passes each anchor: labels count as pass or fail before the majority."""
    asked = plan.experiment.repeats.votes
    return {
        anchor: _winner([outcome_of(plan, vote.verdict.label) for vote in votes], asked=asked)
        for anchor, votes in votes_by_anchor(reading.anchor_votes, plan.anchors).items()
    }


def _winner(outcomes: Sequence[Outcome | None], *, asked: int) -> Outcome | None:
    """Return the outcome of more than half of those asked; silence is among them."""
    if 2 * outcomes.count("pass") > asked:
        return "pass"
    return "fail" if 2 * outcomes.count("fail") > asked else None


def is_pass(outcome: Outcome) -> float:
    """Return 1 for a pass and 0 for a fail."""
    return 1.0 if outcome == "pass" else 0.0
