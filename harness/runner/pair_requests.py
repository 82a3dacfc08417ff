"""The votes on two answers: both orders, every repeat."""

from itertools import chain

from msgspec.structs import replace

from harness.domain.body import public_address
from harness.domain.calls import Request, Side, Subject, make_requests
from harness.domain.cases import Anchor, Canary, Case
from harness.domain.plan import Plan
from harness.domain.preferences import sides_of
from harness.graders.arm_prompt import prompt_text
from harness.graders.pair_request import pair_body


def pair_votes(
    plan: Plan, subject: Subject, *, prompt: str, reference: str | None, ours: str, theirs: str
) -> tuple[Request, ...]:
    """Return the votes on two answers: one order after the other, each in the order of its repeats.

    Args:
        plan: The plan, whose judge is pairwise.
        subject: What the answers belong to; the order is added to it.
        prompt: What both were asked.
        reference: The reference answer, where there is one.
        ours: The candidate's answer, or the planted ``answer``.
        theirs: The baseline's answer, or the planted ``other``.

    Raises:
        InputError: The judge's prompt cannot be filled.
    """
    sides = sides_of(subject)
    orders: tuple[tuple[Side, str, str], ...] = (
        (sides.theirs, theirs, ours),
        (sides.ours, ours, theirs),
    )
    asked = [
        make_requests(
            role="vote",
            endpoint="judge",
            address=public_address(plan.endpoint("judge").base_url),
            body=pair_body(plan, prompt=prompt, reference=reference, first=first, second=second),
            subject=replace(subject, first=side),
            repeats=range(plan.experiment.repeats.votes),
            shown_answers=(first, second),
        )
        for side, first, second in orders
    ]
    return tuple(chain.from_iterable(asked))


def case_pair_votes(
    plan: Plan, case: Case, *, answer_repeat: int, baseline: str, candidate: str
) -> tuple[Request, ...]:
    """Return the votes on both arms' answers of one repeat."""
    return pair_votes(
        plan,
        Subject(kind="case", id=case.id, answer=answer_repeat),
        prompt=prompt_text(case),
        reference=case.reference,
        ours=candidate,
        theirs=baseline,
    )


def planted_pair_votes(plan: Plan, subject: Subject, planted: Canary | Anchor) -> tuple[Request, ...]:
    """Return the votes on the two answers of a canary or an anchor."""
    return pair_votes(
        plan,
        subject,
        prompt=planted.prompt,
        reference=planted.reference,
        ours=planted.answer,
        theirs=planted.other or "",
    )
