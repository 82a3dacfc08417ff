"""What came of a plan's calls, in plan order: the evidence."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from harness.domain.calls import Evidence, Failure, Request, Response, Timing
from harness.domain.cases import ARMS, Arm, Case
from harness.domain.completion import Completion, MalformedBody, read_response
from harness.domain.plan import Plan
from harness.runner.requests import (
    anchor_votes,
    answer_requests,
    canary_votes,
    case_votes,
    judge_anchors,
    judge_canaries,
)
from harness.store.protocol import ResponseStore


class Failed(NamedTuple):
    """A call that ended without a response, and when it was tried."""

    failure: Failure
    timing: Timing


Line = tuple[Evidence, Timing]


def completion_of(response: Response) -> Completion | None:
    """Return what a response says; null where it is no chat completion."""
    try:
        return read_response(response)
    except MalformedBody:
        return None


def canary_records(plan: Plan, store: ResponseStore, failures: Mapping[str, Failed]) -> Iterator[Line]:
    """Yield the evidence on the judge's canaries, in file order, votes in order."""
    for canary in judge_canaries(plan):
        yield from _records(canary_votes(plan, canary), store, failures)


def run_records(plan: Plan, store: ResponseStore, failures: Mapping[str, Failed]) -> Iterator[Line]:
    """Yield the evidence of a whole run in plan order, each record with its timing.

    Canaries, then anchors, then the cases, all in file order; of a case, for
    each repeat, each arm's answer followed by the votes on it. A call that was
    not made has no record. Requests are made again from the plan, since they
    are the same ones.

    Args:
        plan: What was asked.
        store: The responses.
        failures: By request name, the calls that ended without one.

    Raises:
        StoreError: A response cannot be read.
    """
    yield from canary_records(plan, store, failures)
    for anchor in judge_anchors(plan):
        yield from _records(anchor_votes(plan, anchor), store, failures)
    for case in plan.cases:
        answers = [answer_requests(plan, case, arm) for arm in ARMS]
        for side_by_side in zip(*answers, strict=True):
            for arm, request in zip(ARMS, side_by_side, strict=True):
                yield from _answer_records(plan, case, arm, request, store, failures)


def _answer_records(
    plan: Plan,
    case: Case,
    arm: Arm,
    request: Request,
    store: ResponseStore,
    failures: Mapping[str, Failed],
) -> Iterator[Line]:
    """Yield the evidence on one answer, and that on the votes about it."""
    for record, timing in _records((request,), store, failures):
        yield record, timing
        completion = completion_of(record.response) if record.response else None
        if completion is None or completion.text is None:
            continue
        votes = case_votes(plan, case, arm, answer_repeat=request.repeat, answer=completion.text)
        yield from _records(votes, store, failures)


def _records(
    requests: Iterable[Request], store: ResponseStore, failures: Mapping[str, Failed]
) -> Iterator[Line]:
    for request in requests:
        stored = store.get(request.name)
        if stored is not None:
            yield _evidence(request, response=stored.response), stored.timing
        elif request.name in failures:
            failed = failures[request.name]
            yield _evidence(request, failure=failed.failure), failed.timing


def _evidence(
    request: Request, *, response: Response | None = None, failure: Failure | None = None
) -> Evidence:
    return Evidence(
        request=request.name,
        role=request.role,
        endpoint=request.endpoint,
        subject=request.subject,
        repeat=request.repeat,
        shown=request.shown,
        response=response,
        failure=failure,
    )
