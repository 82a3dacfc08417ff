"""A plan becomes requests. Pure: the same plan always makes the same ones."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.domain.body import chat_body, public_address
from harness.domain.calls import Request, Subject, make_requests
from harness.domain.cases import Anchor, Arm, Canary, Case
from harness.domain.order import interleaved, rounds
from harness.domain.panel import asked_alone
from harness.domain.plan import Plan
from harness.graders.arm_prompt import answer_messages, prompt_text
from harness.graders.judge_request import judge_body
from harness.runner.pair_requests import planted_pair_votes


class Planned(NamedTuple):
    """How many calls a plan wants, by what they are for.

    Votes are asked only about answers that have a text, so there may be fewer.
    """

    answers: int
    votes: int
    canary_votes: int
    anchor_votes: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


def n_calls_planned(plan: Plan) -> Planned:
    """Return how many calls the plan wants when every answer has a text."""
    repeats, votes = plan.experiment.repeats, n_votes_each(plan)
    n_judged = sum(is_judged(plan, case) for case in plan.cases)
    n_subjects = 1 if plan.is_pairwise else 2
    return Planned(
        answers=2 * repeats.answers * len(plan.cases),
        votes=n_subjects * repeats.answers * votes * n_judged,
        canary_votes=votes * len(judge_canaries(plan)),
        anchor_votes=votes * len(judge_anchors(plan)),
    )


def n_votes_each(plan: Plan) -> int:
    """Return how many votes are asked about one answer, or one pair in both orders: every judge's own."""
    return plan.experiment.repeats.votes * len(plan.judges) * (2 if plan.is_pairwise else 1)


def is_judged(plan: Plan, case: Case) -> bool:
    """Return whether the judge grades the case: it does unless the case carries checks."""
    return not case.checks and bool(plan.judges)


def judge_canaries(plan: Plan) -> tuple[Canary, ...]:
    """Return the canaries that the judge must grade, in file order."""
    if not plan.judges:
        return ()
    return tuple(canary for canary in plan.canaries if canary.grader == "judge")


def judge_anchors(plan: Plan) -> tuple[Anchor, ...]:
    """Return the anchors, in file order; none without a judge."""
    return plan.anchors if plan.judges else ()


def answer_request(plan: Plan, case: Case, arm: Arm, *, repeat: int) -> Request:
    """Return the request for one answer of an arm.

    Raises:
        InputError: The arm's template does not fit the case.
    """
    return _answer_requests(plan, case, arm, repeats=(repeat,))[0]


def answer_requests(plan: Plan, case: Case, arm: Arm) -> tuple[Request, ...]:
    """Return the requests for every answer of an arm to a case, in the order of their repeats.

    Raises:
        InputError: The arm's template does not fit the case.
    """
    return _answer_requests(plan, case, arm, repeats=range(plan.experiment.repeats.answers))


def _answer_requests(plan: Plan, case: Case, arm: Arm, *, repeats: Iterable[int]) -> tuple[Request, ...]:
    endpoint = plan.endpoint(arm)
    messages = answer_messages(plan, case, arm)
    # One text for all: the repeat is in the name, never in the prompt.
    return make_requests(
        role="answer",
        endpoint=arm,
        address=public_address(endpoint.base_url),
        body=chat_body(model=endpoint.model, messages=messages, sampling=endpoint.sampling),
        subject=Subject(kind="case", id=case.id, arm=arm),
        repeats=repeats,
    )


def vote_requests(
    plan: Plan, subject: Subject, *, prompt: str, reference: str | None, answer: str
) -> tuple[Request, ...]:
    """Return the requests for every vote on one answer: judge by judge, in the order of their repeats.

    The judge's endpoint is in the name of each, so that no judge is ever given
    another's reply, nor an arm's, whatever model and text they share.

    Raises:
        InputError: A judge's prompt cannot be filled.
    """
    return tuple(
        request
        for judge in plan.judges
        for request in make_requests(
            role="vote",
            endpoint=judge.endpoint,
            address=public_address(judge.use.endpoint.base_url),
            body=judge_body(asked_alone(plan, judge), prompt=prompt, reference=reference, answer=answer),
            subject=subject,
            repeats=range(plan.experiment.repeats.votes),
            shown_answers=(answer,),
        )
    )


def case_votes(plan: Plan, case: Case, arm: Arm, *, answer_repeat: int, answer: str) -> tuple[Request, ...]:
    """Return the votes on one answer of an arm; none where the case is graded by checks."""
    if not is_judged(plan, case):
        return ()
    subject = Subject(kind="case", id=case.id, arm=arm, answer=answer_repeat)
    return vote_requests(plan, subject, prompt=prompt_text(case), reference=case.reference, answer=answer)


def canary_votes(plan: Plan, canary: Canary) -> tuple[Request, ...]:
    """Return the votes on a canary."""
    subject = Subject(kind="canary", id=canary.id)
    if plan.is_pairwise:
        return planted_pair_votes(plan, subject, canary)
    return vote_requests(
        plan, subject, prompt=canary.prompt, reference=canary.reference, answer=canary.answer
    )


def anchor_votes(plan: Plan, anchor: Anchor) -> tuple[Request, ...]:
    """Return the votes on an anchor."""
    subject = Subject(kind="anchor", id=anchor.id)
    if plan.is_pairwise:
        return planted_pair_votes(plan, subject, anchor)
    return vote_requests(
        plan, subject, prompt=anchor.prompt, reference=anchor.reference, answer=anchor.answer
    )


def answers_in_call_order(plan: Plan) -> Iterator[Request]:
    """Yield the requests for all answers in the seeded order they are asked in."""
    experiment = plan.experiment
    seed = experiment.analysis.seed
    for case, arm, repeat in interleaved(plan.cases, repeats=experiment.repeats.answers, seed=seed):
        yield answer_request(plan, case, arm, repeat=repeat)


def canaries_in_call_order(plan: Plan) -> Iterator[Request]:
    """Yield the votes on all canaries in their seeded order, judges and orders side by side."""
    votes = [canary_votes(plan, canary) for canary in judge_canaries(plan)]
    for index, repeat in _rounds(plan, [canary.id for canary in judge_canaries(plan)], "canaries"):
        yield from votes[index][repeat :: plan.experiment.repeats.votes]


def anchors_in_call_order(plan: Plan) -> Iterator[Request]:
    """Yield the votes on all anchors in their seeded order, judges and orders side by side."""
    anchors = judge_anchors(plan)
    for index, repeat in _rounds(plan, [anchor.id for anchor in anchors], "anchors"):
        # Made anew each round: a large anchor set is not held as requests.
        yield from anchor_votes(plan, anchors[index])[repeat :: plan.experiment.repeats.votes]


def _rounds(plan: Plan, ids: list[str], purpose: str) -> Iterator[tuple[int, int]]:
    experiment = plan.experiment
    return rounds(ids, repeats=experiment.repeats.votes, seed=experiment.analysis.seed, purpose=purpose)
