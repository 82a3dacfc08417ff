"""What `harness check` remarks of judges before any call: who is whose model, family, or double."""

from collections.abc import Iterator
from itertools import combinations

from harness.domain.body import public_address
from harness.domain.canonical import canonical_bytes
from harness.domain.cases import ARMS
from harness.domain.plan import AskedJudge, Plan
from harness.domain.specs import EndpointSpec


def judge_remarks(plan: Plan) -> Iterator[str]:
    """Yield what is allowed and weakens the judgement all the same."""
    for judge in plan.judges:
        for arm in ARMS:
            yield from _beside_arm(judge, arm, plan.endpoint(arm))
    if plan.panel:
        yield from _beside_each_other(plan.judges)


def _beside_arm(judge: AskedJudge, arm: str, endpoint: EndpointSpec) -> Iterator[str]:
    if _who(judge.use.endpoint) == _who(endpoint):
        yield f"{judge.endpoint} asks the model of {arm}, {endpoint.model}: a model that judges itself"
    elif judge.family is not None and judge.family == endpoint.family:
        yield f"{judge.endpoint} is of the family of {arm}, {judge.family}"


def _beside_each_other(judges: tuple[AskedJudge, ...]) -> Iterator[str]:
    for first, second in combinations(judges, 2):
        if _asked_alike(first, second):
            yield f"{first.endpoint} and {second.endpoint} are one judge asked twice: repeats.votes does that"
        elif first.family is not None and first.family == second.family:
            yield f"{first.endpoint} and {second.endpoint} are of one family, {first.family}"
    if len(judges) % 2 == 0:
        yield f"{len(judges)} judges can be split evenly, and then an answer has no verdict"


def _asked_alike(first: AskedJudge, second: AskedJudge) -> bool:
    mine, other = first.use.endpoint, second.use.endpoint
    same = canonical_bytes(mine.sampling) == canonical_bytes(other.sampling)
    return same and _who(mine) == _who(other) and (first.spec, first.prompt) == (second.spec, second.prompt)


def _who(endpoint: EndpointSpec) -> tuple[str, str, str | None]:
    return endpoint.model, public_address(endpoint.base_url), endpoint.replies
