"""The batches that a plan asks its cases in: one, or those between which a sequential plan may end."""

from collections.abc import Iterator, Sequence, Set

from harness.domain.cases import Case
from harness.domain.order import seeded_order
from harness.domain.plan import Plan


def batches(plan: Plan) -> tuple[tuple[Case, ...], ...]:
    """Return the cases in the batches that they are asked in; no batch is empty.

    A plan that is not sequential has one batch: all its cases. Else they are
    the exploratory cases, clusters as wholes in a seeded order. A batch ends
    once it has the cases it wants, and the last one before a cluster that
    would exceed ``n_max``.
    """
    sequential = plan.experiment.sequential
    if sequential is None:
        return (plan.cases,) if plan.cases else ()
    most = sequential.n_max or len(plan.cases)
    return tuple(_batches(_clusters(plan), size=sequential.batch, most=most))


def after_the_batches(plan: Plan) -> tuple[Case, ...]:
    """Return the held-out cases that a sequential plan asks, all of them, whatever the others said."""
    sequential = plan.experiment.sequential
    if sequential is None or not sequential.ask_held_out:
        return ()
    held_out = frozenset(plan.held_out)
    return tuple(case for case in plan.cases if case.id in held_out)


def asked_at_most(plan: Plan) -> Plan:
    """Return the plan without the cases that are never asked, however long a sequential run goes on."""
    if plan.experiment.sequential is None:
        return plan
    asked = {case.id for batch in batches(plan) for case in batch}
    return only_cases(plan, asked | {case.id for case in after_the_batches(plan)})


def only_cases(plan: Plan, wanted: Set[str]) -> Plan:
    """Return the plan with these of its cases, in its own order."""
    return plan.model_copy(
        update={
            "cases": tuple(case for case in plan.cases if case.id in wanted),
            "held_out": tuple(name for name in plan.held_out if name in wanted),
        }
    )


def _clusters(plan: Plan) -> list[list[Case]]:
    held_out = frozenset(plan.held_out)
    clusters: dict[str, list[Case]] = {}
    for case in plan.cases:
        if case.id not in held_out:
            clusters.setdefault(case.group, []).append(case)
    names = list(clusters)
    order = seeded_order(names, seed=plan.experiment.analysis.seed, purpose="sequential")
    return [clusters[names[index]] for index in order]


def _batches(clusters: Sequence[Sequence[Case]], *, size: int, most: int) -> Iterator[tuple[Case, ...]]:
    batch: list[Case] = []
    n_cases = 0
    for cluster in clusters:
        n_cases += len(cluster)
        if n_cases > most:
            break
        batch += cluster
        if len(batch) >= size:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)
