"""Recall at K of a ranked list."""

from typing import NamedTuple

from harness.domain.canonical import strict_json
from harness.domain.checks import RecallAtK
from harness.graders.places import exact


class Recall(NamedTuple):
    """Positives found among the first k, out of the denominator."""

    n_hits: int
    n_wanted: int


def recall_at_k(check: RecallAtK, answer: str) -> Recall | None:
    """Return the recall of the ranking in the answer, or null where the answer is no ranking.

    An item that is named twice counts once, at its first place; naming it again
    uses up a place. ``recall`` is divided by the number of positives,
    ``capped-recall`` by min(positives, k).

    References:
        Manning, Raghavan, Schuetze (2008), Introduction to Information
        Retrieval, section 8.4, for recall at k.
    """
    ranking = _ranking(check, answer)
    if ranking is None:
        return None
    positives = frozenset(check.positives)
    n_wanted = len(positives) if check.kind == "recall" else min(len(positives), check.k)
    return Recall(n_hits=len(positives.intersection(ranking[: check.k])), n_wanted=n_wanted)


def is_enough(check: RecallAtK, recall: Recall) -> bool:
    """Return whether the recall reaches ``at_least``, compared in whole numbers."""
    share = exact(check.at_least)
    return recall.n_hits * share.denominator >= share.numerator * recall.n_wanted


def _ranking(check: RecallAtK, answer: str) -> list[str] | None:
    if check.ranked == "lines":
        return [line.strip() for line in answer.splitlines() if line.strip()]
    try:
        items = strict_json(answer.strip())
    except ValueError:
        return None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    return items


def recall_problem(check: RecallAtK) -> str | None:
    """Return why the recall could not be measured as it is written, or null."""
    if len(set(check.positives)) != len(check.positives):
        return "positives: one of them is named twice"
    if check.kind == "recall" and check.positives:
        n_positives = len(check.positives)
        if exact(check.at_least) * n_positives > check.k:
            return (
                f"at_least: {check.at_least} of {n_positives} positives cannot be among the first {check.k}"
            )
    return None
