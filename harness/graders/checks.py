"""Grading an answer by the deterministic checks of its case."""

from collections.abc import Sequence

from harness.domain.canonical import strict_json
from harness.domain.checks import (
    Check,
    Choice,
    Contains,
    Exact,
    FitsSchema,
    IsJson,
    Matches,
    NotContains,
    Number,
    RecallAtK,
)
from harness.domain.completion_parts import whole_characters
from harness.domain.verdicts import Graded, graded
from harness.graders.fences import unfenced
from harness.graders.places import choice_is_right, choice_problem, number_is_near, place_problem
from harness.graders.recall import is_enough, recall_at_k, recall_problem
from harness.graders.schema_checks import fits, schema_problem
from harness.graders.text_checks import contains, exact_problem, is_exactly, lacks, matches, pattern_problem

MAX_ANSWER_CHARS = 2_000_000
"""No check looks at a longer answer: it is unreadable."""


def grade_by_checks(checks: Sequence[Check], answer: str) -> Graded:
    """Return whether the answer passes all checks of its case.

    A check is a statement about the answer: it holds or it does not, and an
    answer in another form than the one asked for does not pass. A case with a
    recall check without positives is ``not_applicable``, whatever the answer.
    The score is the recall where exactly one check measures it and the answer
    holds a ranking; else there is none.

    Raises:
        ValueError: There are no checks.
    """
    if not checks:
        raise ValueError("an answer without checks cannot be graded by them")
    measured = [check for check in checks if isinstance(check, RecallAtK)]
    if measured and not all(check.positives for check in measured):
        return graded(None, "not_applicable")
    if len(answer) > MAX_ANSWER_CHARS:
        return graded(None, "unreadable")
    text = whole_characters(answer)
    # A loop: a generator for each of a million answers would cost more than their checks.
    for check in checks:
        if not check_holds(check, text):
            return graded("fail", None, _score(measured, text))
    return graded("pass", None, _score(measured, text))


def check_holds(check: Check, answer: str) -> bool:
    """Return whether the check holds of the answer."""
    match check:
        case Exact():
            return is_exactly(check, answer)
        case Contains():
            return contains(check, answer)
        case NotContains():
            return lacks(check, answer)
        case Matches():
            return matches(check, answer)
        case Number():
            return number_is_near(check, answer)
        case Choice():
            return choice_is_right(check, answer)
        case RecallAtK():
            recall = recall_at_k(check, answer)
            return recall is not None and is_enough(check, recall)
        case IsJson() | FitsSchema():
            return _json_holds(check, answer)


def check_problem(check: Check) -> str | None:
    """Return why the check could never be applied or never hold, or null. For every case, before any call."""
    match check:
        case Exact():
            return exact_problem(check)
        case Matches():
            return pattern_problem(check.pattern)
        case FitsSchema():
            return schema_problem(check.fits)
        case Number():
            return place_problem(check)
        case Choice():
            return choice_problem(check)
        case RecallAtK():
            return recall_problem(check)
        case Contains() | NotContains() | IsJson():
            return None


def _json_holds(check: IsJson | FitsSchema, answer: str) -> bool:
    inside = unfenced(answer) if check.fenced else None
    try:
        value = strict_json(answer.strip() if inside is None else inside)
    except ValueError:
        return False
    return True if isinstance(check, IsJson) else fits(check.fits, value)


def _score(measured: Sequence[RecallAtK], answer: str) -> float | None:
    if len(measured) != 1:
        return None
    recall = recall_at_k(measured[0], answer)
    return None if recall is None else recall.n_hits / recall.n_wanted
