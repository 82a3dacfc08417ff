"""What came of a plan's calls, in plan order: the evidence."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from harness.domain.calls import Evidence, Failure, Request, Response, Stored, Timing
from harness.domain.completion import MalformedBody, read_response
from harness.domain.completion_parts import Completion
from harness.domain.plan import Plan
from harness.runner.plan_order import canary_requests, requests_in_plan_order
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
    return _records(canary_requests(plan), _Last(store), failures)


def run_records(plan: Plan, store: ResponseStore, failures: Mapping[str, Failed]) -> Iterator[Line]:
    """Yield the evidence of a whole run in plan order, each record with its timing.

    A call that was not made has no record. Requests are made again from the
    plan, since they are the same ones.

    Args:
        plan: What was asked.
        store: The responses.
        failures: By request name, the calls that ended without one.

    Raises:
        StoreError: A response cannot be read.
    """
    last = _Last(store)
    return _records(requests_in_plan_order(plan, last.text), last, failures)


class _Last:
    """The responses of a store, the last one at hand: an answer's text is wanted right after its record."""

    def __init__(self, store: ResponseStore) -> None:
        self._store = store
        self._name: str | None = None
        self._stored: Stored | None = None

    def get(self, name: str) -> Stored | None:
        """Return what the store holds under the name."""
        if name != self._name:
            self._name, self._stored = name, self._store.get(name)
        return self._stored

    def text(self, request: Request) -> str | None:
        """Return the text of the answer to a request, where one came."""
        stored = self.get(request.name)
        completion = completion_of(stored.response) if stored is not None else None
        return None if completion is None else completion.text


def _records(requests: Iterable[Request], responses: _Last, failures: Mapping[str, Failed]) -> Iterator[Line]:
    for request in requests:
        stored = responses.get(request.name)
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
