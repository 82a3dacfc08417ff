"""All requests of a plan in the order of the evidence; votes follow from the answers they are about."""

from collections.abc import Callable, Iterable, Iterator

from harness.domain.calls import Request
from harness.domain.cases import ARMS, Case
from harness.domain.plan import Plan
from harness.runner.pair_requests import case_pair_votes
from harness.runner.requests import (
    anchor_votes,
    answer_requests,
    canary_votes,
    case_votes,
    is_judged,
    judge_anchors,
    judge_canaries,
)

TextOf = Callable[[Request], str | None]
"""Tells the text of the answer to a request; null where none came, or one without text."""


def canary_requests(plan: Plan) -> Iterator[Request]:
    """Yield the votes on the judge's canaries, in file order."""
    for canary in judge_canaries(plan):
        yield from canary_votes(plan, canary)


def requests_in_plan_order(plan: Plan, text_of: TextOf) -> Iterator[Request]:
    """Yield every request of a whole run, one at a time.

    Canaries, then anchors, then the cases, all in file order; of a case, for
    each repeat, each arm's answer followed by the votes on it, or both answers
    followed by the votes on the pair. The text of an answer is asked for right
    after its request was yielded, and only where it is judged.
    """
    yield from canary_requests(plan)
    for anchor in judge_anchors(plan):
        yield from anchor_votes(plan, anchor)
    is_pairwise = plan.is_pairwise
    for case in plan.cases:
        answers = [answer_requests(plan, case, arm) for arm in ARMS]
        judged = is_judged(plan, case)
        for side_by_side in zip(*answers, strict=True):
            if is_pairwise:
                yield from _pair(plan, case, side_by_side, text_of)
                continue
            for arm, request in zip(ARMS, side_by_side, strict=True):
                yield request
                if judged and (text := text_of(request)) is not None:
                    yield from case_votes(plan, case, arm, answer_repeat=request.repeat, answer=text)


def _pair(plan: Plan, case: Case, answers: Iterable[Request], text_of: TextOf) -> Iterator[Request]:
    """Yield the requests of both arms' answers, and those of the votes on the pair."""
    texts = []
    for request in answers:
        yield request
        texts.append(text_of(request) if is_judged(plan, case) else None)
    baseline, candidate = texts
    if baseline is not None and candidate is not None:
        yield from case_pair_votes(
            plan, case, answer_repeat=request.repeat, baseline=baseline, candidate=candidate
        )
