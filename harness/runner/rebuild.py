"""Every request again, from the plan and the answers, held against the evidence that names them."""

from collections.abc import Iterable, Iterator

from harness.domain.calls import Evidence, Request
from harness.domain.plan import Plan
from harness.runner.collect import completion_of
from harness.runner.plan_order import requests_in_plan_order


class Rebuild:
    """Requests of a plan, made again while the records of its run pass by.

    ``problem`` says of the first record that it is of no request of the plan,
    or of none that comes after the one before it; null as long as all are.
    """

    def __init__(self, plan: Plan) -> None:
        self.problem: str | None = None
        self._passed: Evidence | None = None
        self._requests = requests_in_plan_order(plan, self._text)

    def evidence(self, records: Iterable[Evidence]) -> Iterator[Evidence]:
        """Yield the records, each held against its request."""
        for number, record in enumerate(records, 1):
            if self.problem is None:
                # Before the next request is made: a vote is made from the answer that just passed.
                request = next(self._requests, None)
                if request is None or request.name != record.request:
                    request = self._named(record.request)
                self._passed = record
                self.problem = _problem(record, request, number)
            yield record

    def _named(self, name: str) -> Request | None:
        """Return the next request of that name. Those before it were never sent, or left nothing."""
        return next((request for request in self._requests if request.name == name), None)

    def _text(self, request: Request) -> str | None:
        passed = self._passed
        if passed is None or passed.request != request.name or passed.response is None:
            return None
        completion = completion_of(passed.response)
        return None if completion is None else completion.text


def _problem(record: Evidence, request: Request | None, number: int) -> str | None:
    if request is None:
        named = f"is of the request {record.request[:16]}, which plan and answers do not lead to"
        return f"{_what(record, number)} {named}"
    if (
        record.repeat == request.repeat
        and record.subject == request.subject
        and record.endpoint == request.endpoint
        and record.role == request.role
        and record.shown == request.shown
    ):
        return None
    named = f"says other things than the request {record.request[:16]}, which it names"
    return f"{_what(record, number)} {named}"


def _what(record: Evidence, number: int) -> str:
    subject = record.subject
    return f"record {number} ({record.role} {record.repeat} about {subject.kind} {subject.id!r})"
