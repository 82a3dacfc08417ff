"""What a plan will ask and what it may cost, before anything is sent."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.domain.cases import ARMS, Anchor, Arm, Canary, Case
from harness.domain.plan import AskedJudge, Plan
from harness.domain.specs import EndpointSpec
from harness.inputs.coherence import judged

_CHARS_A_TOKEN = 4
_MILLION = 1_000_000
_LIMIT_KEYS = ("max_completion_tokens", "max_tokens")

METHOD = (
    "tokens are estimated as characters / 4; "
    "a completion counts 0 at least, and the token limit of the sampling at most"
)


class EndpointSpend(NamedTuple):
    """Calls of one endpoint, tokens and cost as estimates.

    ``prompt_tokens_at_most`` and ``completion_tokens_at_most`` are null where
    no token limit bounds them, ``cost_at_least`` and ``cost_at_most`` where no
    price is known either. Costs are in the currency of the budget. A recorded
    endpoint costs nothing.
    """

    endpoint: str
    n_calls: int
    prompt_tokens_at_least: int
    prompt_tokens_at_most: int | None
    completion_tokens_at_most: int | None
    cost_at_least: float | None
    cost_at_most: float | None


class Spend(NamedTuple):
    """The whole plan. Costs are null where one endpoint's is."""

    endpoints: tuple[EndpointSpend, ...]
    n_calls: int
    cost_at_least: float | None
    cost_at_most: float | None
    currency: str
    method: str


class _Asked(NamedTuple):
    """Prompts of one endpoint: calls, characters in all, and answers shown whose length is unknown."""

    n_calls: int
    n_chars: int
    n_answers: dict[Arm, int]


def estimate_spend(plan: Plan) -> Spend:
    """Return how many calls a plan makes, without retries, and what they may cost."""
    found = [_spend(plan, arm, _asked_of_arm(plan, arm)) for arm in ARMS]
    for judge in plan.judges:
        found.append(_spend(plan, judge.endpoint, _asked_of_judge(plan, judge)))
    return Spend(
        endpoints=tuple(found),
        n_calls=sum(endpoint.n_calls for endpoint in found),
        cost_at_least=_total([endpoint.cost_at_least for endpoint in found]),
        cost_at_most=_total([endpoint.cost_at_most for endpoint in found]),
        currency=plan.experiment.budget.currency,
        method=METHOD,
    )


def _asked_of_arm(plan: Plan, arm: Arm) -> _Asked:
    template = plan.template(arm)
    around = len(template.prompt or "") + len(template.system or "")
    n_chars = sum(_length(case) + around for case in plan.cases)
    answers = plan.experiment.repeats.answers
    return _Asked(n_calls=answers * len(plan.cases), n_chars=answers * n_chars, n_answers={})


def _asked_of_judge(plan: Plan, judge: AskedJudge) -> _Asked:
    """Count the votes on canaries, on anchors, and on every answer to a case without checks."""
    around = len(judge.prompt) + len(judge.spec.system or "")
    canaries = [canary for canary in plan.canaries if canary.grader == "judge"]
    planted = [*map(_planted, canaries), *map(_planted, plan.anchors)]
    cases = judged(plan.cases)
    real = [_length(case) + len(case.reference or "") for case in cases]
    repeats = plan.experiment.repeats
    # A pair is asked about in both orders, and each order shows both arms' answers.
    votes = repeats.votes * (2 if plan.is_pairwise else 1)
    subjects = repeats.answers * (1 if plan.is_pairwise else len(ARMS))
    n_shown = len(planted) + subjects * len(real)
    return _Asked(
        n_calls=votes * n_shown,
        n_chars=votes * (sum(planted) + subjects * sum(real) + around * n_shown),
        n_answers=dict.fromkeys(ARMS, votes * repeats.answers * len(cases)),
    )


def _planted(item: Canary | Anchor) -> int:
    return len(item.prompt) + len(item.reference or "") + len(item.answer) + len(item.other or "")


def _spend(plan: Plan, name: str, asked: _Asked) -> EndpointSpend:
    endpoint = plan.endpoint(name)
    prompt = _tokens(asked.n_chars)
    limit = _token_limit(endpoint)
    completion = None if limit is None else limit * asked.n_calls
    shown = _total([_answers_at_most(plan, arm, n) for arm, n in asked.n_answers.items()])
    prompt_at_most = None if shown is None else prompt + int(shown)
    return EndpointSpend(
        endpoint=name,
        n_calls=asked.n_calls,
        prompt_tokens_at_least=prompt,
        prompt_tokens_at_most=prompt_at_most,
        completion_tokens_at_most=completion,
        cost_at_least=_cost(endpoint, prompt=prompt, completion=0),
        cost_at_most=_cost(endpoint, prompt=prompt_at_most, completion=completion),
    )


def _answers_at_most(plan: Plan, arm: Arm, n_answers: int) -> float | None:
    limit = _token_limit(plan.endpoint(arm))
    return None if limit is None else float(limit * n_answers)


def _cost(endpoint: EndpointSpec, *, prompt: int | None, completion: int | None) -> float | None:
    if endpoint.backend == "recorded":
        return 0.0
    if endpoint.price is None or prompt is None or completion is None:
        return None
    return (prompt * endpoint.price.prompt + completion * endpoint.price.completion) / _MILLION


def _token_limit(endpoint: EndpointSpec) -> int | None:
    found = (endpoint.sampling.get(key) for key in _LIMIT_KEYS)
    return next((limit for limit in found if isinstance(limit, int) and not isinstance(limit, bool)), None)


def _length(case: Case) -> int:
    return len(case.prompt or "") + sum(len(message.content) for message in case.messages)


def _tokens(n_chars: int) -> int:
    return -(-n_chars // _CHARS_A_TOKEN)


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
