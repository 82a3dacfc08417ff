"""Did the same models answer from the first call to the last, and were they the ones asked for?"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from harness.audits.routing_times import routing_times
from harness.domain.blocks import Status
from harness.domain.findings import EndpointIdentity, RoutingFinding
from harness.domain.fitness import Compared
from harness.domain.manifest import Reading
from harness.domain.plan import Plan, is_judge
from harness.domain.verdicts import CallIdentity

_SNAPSHOT = re.compile(r"[-@:_]?(\d{4}-?\d{2}-?\d{2}|\d{4}|\d{6}|v?\d+([.-]\d+)*)$")


def audit_routing(plan: Plan, reading: Reading, earlier: Sequence[Compared] = ()) -> RoutingFinding:
    """Count who answered for each endpoint, and name every drift.

    Drift is an id, a provider or a fingerprint that changes during the run, or
    an id that is not the one pinned (``expect_model``) or, without a pin, not
    the model asked for or a dated snapshot of it; and an id or a fingerprint
    that is not the one of an earlier run, which asked for the same model. Null
    is unknown, never equal.

    Args:
        plan: The plan of the run.
        reading: The run, read.
        earlier: What came back in an earlier run, beside this one.

    Returns:
        ``fail`` with any drift, ``not_audited`` where an endpoint never said
        who it is, else ``pass``.
    """
    answered = _answered(reading.identities, plan.endpoint_names)
    found = [_identity(plan, name, answered) for name in answered]
    told = {each.endpoint: [*_drift(each), *_resolved_otherwise(each, earlier)] for each in found}
    endpoints = tuple(each.model_copy(update={"drifted": bool(told[each.endpoint])}) for each in found)
    drift = [reason for reasons in told.values() for reason in reasons]
    unknown = [f"model_not_reported: {e.endpoint}" for e in endpoints if e.n_calls and not e.models]
    partly = [
        f"model_reported_for {e.n_calls - e.n_model_unknown} of {e.n_calls}: {e.endpoint}"
        for e in endpoints
        if e.models and e.n_model_unknown
    ]
    uncalled = [f"not_called: {e.endpoint}" for e in endpoints if not e.n_calls]
    status: Status = "fail" if drift else "not_audited" if unknown or uncalled else "pass"
    times = routing_times(plan, reading.identities, plan.endpoint_names)
    return RoutingFinding(
        status=status,
        policy=plan.experiment.gates.routing,
        endpoints=endpoints,
        by_time=times.rows,
        n_identities_left_out=times.n_left_out,
        reasons=(*drift, *unknown, *uncalled, *partly, *_shared(endpoints)),
    )


class _Answered(NamedTuple):
    """The calls of one endpoint: by model, provider and fingerprint, and how often one of them changed."""

    by_who: Counter[tuple[str | None, str | None, str | None]]
    n_changes: int

    def by(self, part: int) -> Counter[str | None]:
        """Return the calls by model (0), provider (1) or fingerprint (2)."""
        found: Counter[str | None] = Counter()
        for who, n in self.by_who.items():
            found[who[part]] += n
        return found


def _answered(identities: Sequence[CallIdentity], endpoints: Sequence[str]) -> dict[str, _Answered]:
    # One walk over what may be millions of calls; they are put in time only where somebody changed.
    seen = Counter([(call.endpoint, call.model, call.provider, call.fingerprint) for call in identities])
    found: dict[str, _Answered] = {}
    for name in endpoints:
        by_who = Counter({who[1:]: n for who, n in seen.items() if who[0] == name})
        calls = [call for call in identities if call.endpoint == name] if len(by_who) > 1 else []
        found[name] = _Answered(by_who, n_changes=_changes(calls))
    return found


def _identity(plan: Plan, name: str, answered: dict[str, _Answered]) -> EndpointIdentity:
    spec = plan.endpoint(name)
    models, providers, fingerprints = (answered[name].by(part) for part in range(3))
    named = _named(models)
    wanted = spec.expect_model or spec.model
    return EndpointIdentity(
        endpoint=name,
        asked_model=spec.model,
        expected_model=spec.expect_model,
        n_calls=models.total(),
        models=named,
        fingerprints=_named(fingerprints),
        providers=_named(providers),
        n_model_unknown=models[None],
        n_fingerprint_unknown=fingerprints[None],
        n_changes=answered[name].n_changes,
        matches=_all_match(named, wanted, pinned=spec.expect_model is not None),
        shares_model_with=tuple(
            other
            for other, theirs in answered.items()
            if other != name and theirs.by(0).keys() & {model for model, _ in named}
        ),
    )


def _named(counts: Counter[str | None]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((value, n) for value, n in counts.items() if value is not None))


def _changes(calls: Sequence[CallIdentity]) -> int:
    """Count how often, in time, the known identity differs from the known one before it."""
    in_time = sorted(calls, key=lambda call: call.started_ms)
    changes = 0
    for read in (lambda c: c.model, lambda c: c.provider, lambda c: c.fingerprint):
        known = [value for value in map(read, in_time) if value is not None]
        changes += sum(before != after for before, after in pairwise(known))
    return changes


def _all_match(models: Sequence[tuple[str, int]], wanted: str, *, pinned: bool) -> bool | None:
    if not models:
        return None
    return all(model == wanted or (not pinned and _snapshot_of(model, wanted)) for model, _ in models)


def _snapshot_of(model: str, alias: str) -> bool:
    """Whether the id is the alias with a date or a version number behind it."""
    return model.startswith(alias) and _SNAPSHOT.fullmatch(model[len(alias) :]) is not None


def _drift(endpoint: EndpointIdentity) -> list[str]:
    found = []
    for what, seen in (
        ("model", endpoint.models),
        ("provider", endpoint.providers),
        ("fingerprint", endpoint.fingerprints),
    ):
        if len(seen) > 1:
            ids = ", ".join(f"{value} ({n})" for value, n in seen)
            found.append(f"{what}_changed: {endpoint.endpoint} was answered by {ids}")
    if endpoint.matches is False:
        wanted = endpoint.expected_model or endpoint.asked_model
        models = ", ".join(model for model, _ in endpoint.models)
        found.append(
            f"not_what_was_asked: {endpoint.endpoint} wanted {wanted}, got {models}"
            + ("" if endpoint.expected_model else " (if that is right, pin it with expect_model)")
        )
    return found


def _resolved_otherwise(endpoint: EndpointIdentity, earlier: Sequence[Compared]) -> list[str]:
    """Return how the same name was resolved in an earlier run, where that was otherwise.

    Another model asked for, or another address, is a change somebody made. An
    id that is the one the plan pins is no drift, whatever it was before.
    """
    mine = {row.what: row for row in earlier if row.endpoint == endpoint.endpoint}
    if any(mine[what].same is False for what in ("model asked for", "address") if what in mine):
        return []
    pinned = endpoint.expected_model is not None and endpoint.matches is True
    return [
        f"resolved_otherwise: {endpoint.endpoint}: {what} was {mine[what].then}, is {mine[what].now}"
        for what in ("returned model", "returned fingerprint")
        if what in mine and mine[what].same is False and not (pinned and what == "returned model")
    ]


def _shared(endpoints: Sequence[EndpointIdentity]) -> list[str]:
    judges = [each for each in endpoints if is_judge(each.endpoint)]
    return [
        f"judge_shares_model_with: {other}" + ("" if each.endpoint == "judge" else f" ({each.endpoint})")
        for each in judges
        for other in each.shares_model_with
    ]
