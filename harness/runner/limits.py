"""When to stop asking: decided by plain functions, from counts."""

from harness.domain.calls import Failure
from harness.domain.specs import Budget

# Nothing that is asked of this endpoint can succeed.
_HOPELESS = frozenset({"wrong_key", "no_quota", "not_found", "redirect", "certificate"})
# One long case may be refused by a healthy server; so many in a row are the server or the settings.
_IN_A_ROW_AT_FIRST = 5
_IN_A_ROW = 50


def endpoint_problem(failure: Failure, *, n_in_a_row: int, n_answered: int) -> str | None:
    """Return why an endpoint should not be asked any more, or null.

    Args:
        failure: What the last call ended in, after its last try.
        n_in_a_row: Failures since the last response, this one included.
        n_answered: Responses of the endpoint in this start of the run.
    """
    if failure.kind in _HOPELESS:
        return failure.detail or failure.kind
    most = _IN_A_ROW if n_answered else _IN_A_ROW_AT_FIRST
    if n_in_a_row < most:
        return None
    return f"{n_in_a_row} calls in a row failed, the last one with {failure.kind}: {failure.detail}"


def spent(budget: Budget, *, n_calls: int, cost: float) -> str | None:
    """Return which part of the budget is used up, or null.

    Args:
        budget: What the plan allows the run, its earlier starts included.
        n_calls: Calls that were answered or are being made.
        cost: What the responses cost, as far as prices and usage are known.
    """
    if budget.calls is not None and n_calls >= budget.calls:
        return f"budget: {budget.calls} calls are made"
    if budget.cost is not None and cost >= budget.cost:
        return f"budget: {budget.cost:g} {budget.currency} are spent"
    return None
