"""What people and the judge said of each anchor, as a label and as pass or fail."""

from collections.abc import Iterable, Mapping, Sequence

from harness.domain.cases import Anchor, Outcome
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.preferences import PREFERENCES, Pair, pairs_of
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import Vote, majority


def human_label(anchor: Anchor) -> str | None:
    """Return what people settled on: the adjudicated label, else the reviewers' majority."""
    if anchor.label is not None:
        return anchor.label
    return majority([review.label for review in anchor.reviews], asked=len(anchor.reviews)).label


def labels_of(judge: JudgeSpec) -> tuple[str, ...]:
    """Return the words that people and the judge may use of an anchor: labels, or preferences of a pair."""
    return PREFERENCES if judge.mode == "pairwise" else judge.labels


def outcome_of(plan: Plan, label: str | None) -> Outcome | None:
    """Return what a label counts as; null without a label or a judge, and of a pair, which passes nothing."""
    if label is None or plan.judge is None or plan.is_pairwise:
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


def anchor_pairs(plan: Plan, reading: Reading) -> dict[str, Pair]:
    """Return the two answers of each anchor as a pairwise judge saw them in both orders."""
    if plan.judge is None or not plan.is_pairwise:
        return {}
    pairs = pairs_of(plan.judge, reading.anchor_votes, asked=plan.experiment.repeats.votes)
    return {pair.subject.id: pair for pair in pairs}


def judge_labels(plan: Plan, reading: Reading) -> dict[str, str | None]:
    """Return the judge's majority label on each anchor, over the votes asked for.

    Of two answers it is the preference that both orders come to.
    """
    if plan.is_pairwise:
        pairs = anchor_pairs(plan, reading)
        return {a.id: pairs[a.id].preference if a.id in pairs else None for a in plan.anchors}
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


def human_found(plan: Plan, anchor: Anchor) -> str | None:
    """Return what people found, as a judge is held to it: pass or fail, or a preference of two answers."""
    return human_label(anchor) if plan.is_pairwise else human_outcome(plan, anchor)


def judge_found(plan: Plan, reading: Reading) -> Mapping[str, str | None]:
    """Return what the judge found of each anchor: pass or fail, or a preference of two answers."""
    return judge_labels(plan, reading) if plan.is_pairwise else judge_outcomes(plan, reading)


def unit_of(anchor: Anchor, clusters: Mapping[str, str]) -> str:
    """Return what the anchor is one of: its case's cluster, its case, or itself."""
    return anchor.id if anchor.case is None else clusters.get(anchor.case, anchor.case)


def _winner(outcomes: Sequence[Outcome | None], *, asked: int) -> Outcome | None:
    """Return the outcome of more than half of those asked; silence is among them."""
    if 2 * outcomes.count("pass") > asked:
        return "pass"
    return "fail" if 2 * outcomes.count("fail") > asked else None


def is_pass(outcome: Outcome) -> float:
    """Return 1 for a pass and 0 for a fail."""
    return 1.0 if outcome == "pass" else 0.0
