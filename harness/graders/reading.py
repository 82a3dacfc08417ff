"""Reading a whole run: sealed evidence to verdicts, grades and what the audits need."""

from collections.abc import Iterable

from harness.domain.calls import Evidence, Timing
from harness.domain.manifest import CheckedCanary, Reading
from harness.domain.plan import Plan
from harness.graders.checks import grade_by_checks
from harness.graders.found import Found
from harness.graders.sealed import Sealed
from harness.graders.subject_reading import read_case, read_planted, rules_of


def read_run(plan: Plan, evidence: Iterable[Evidence], timings: Iterable[Timing]) -> Reading:
    """Return the run, read. One pass: nothing is kept but what is returned.

    Every planned vote on canaries, anchors and judged answers is there: one
    that was never asked is ``not_run``, as are all votes on an answer without
    text. A case with checks has no votes. Identities stand for every response,
    notes for every answer with text.

    Args:
        plan: The plan of the run.
        evidence: The sealed records, in plan order; any of them may be missing.
        timings: Their timings, in the same order. A call without one starts at 0.

    Raises:
        StoreError: The evidence contradicts the plan or itself: a record that
            was not planned, stands out of order or is there twice, a vote on an
            answer that has no text, or on another text than the answer's.
        InputError: A case is to be judged, and the plan has no judge.
    """
    rules = rules_of(plan)
    sealed = Sealed(evidence, timings)
    found = Found()
    for canary in plan.canaries:
        if canary.grader == "judge":
            read_planted(rules, canary, sealed.block("canary", canary.id), found)
    for anchor in plan.anchors:
        read_planted(rules, anchor, sealed.block("anchor", anchor.id), found)
    cases = tuple(read_case(rules, case, sealed.block("case", case.id), found) for case in plan.cases)
    sealed.end()
    return Reading(
        cases=cases,
        case_votes=tuple(found.votes["case"]),
        anchor_votes=tuple(found.votes["anchor"]),
        canary_votes=tuple(found.votes["canary"]),
        checked_canaries=checked_canaries(plan),
        identities=tuple(found.identities),
        answers=tuple(found.notes),
        usage=found.usage(),
    )


def checked_canaries(plan: Plan) -> tuple[CheckedCanary, ...]:
    """Return the canaries of the checks, graded; they need no call."""
    return tuple(
        CheckedCanary(id=canary.id, graded=grade_by_checks(canary.checks, canary.answer))
        for canary in plan.canaries
        if canary.grader == "checks"
    )
