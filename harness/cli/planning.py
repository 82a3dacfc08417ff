"""The plan of an experiment as it is made now: held-out cases that were shown before are exploratory."""

from collections.abc import Sequence
from pathlib import Path

from harness.cli.run_files import EXPOSURES
from harness.domain.canonical import canonical_bytes
from harness.domain.exposure import Exposure
from harness.domain.plan import Plan
from harness.inputs.exposures import known_until, read_exposures, refuse_unrecorded
from harness.inputs.ledger import read_looks
from harness.inputs.lock import lock_path, read_lock
from harness.inputs.moving import moved_plan
from harness.store.replace import replace_bytes
from harness.store.run_dir import PLAN, read_plan

_LEDGER, _MOVED_BY = "looks.jsonl", "moved.ledger"


def known_exposures(gold: Path) -> tuple[Exposure, ...]:
    """Return what was shown of a gold set's held-out cases, held against its looks.

    Raises:
        Tampered: A chain is broken, or a look is without its exposure.
    """
    exposures = read_exposures(gold / EXPOSURES)
    refuse_unrecorded(read_looks(gold / _LEDGER), exposures, gold / EXPOSURES)
    return exposures


def as_planned(plan: Plan, *, experiment: Path, run: Path | None) -> Plan:
    """Return the plan with what was moved when it was made: at its freezing, at the start of its run, or now.

    What is shown later moves nothing in it: it was decided before.

    Args:
        plan: The plan as the split deals its cases.
        experiment: Its file; a lock stands beside it.
        run: The run directory it goes to, where it has one already.

    Raises:
        Tampered: The record of exposures is not as it was written, or was cut short.
    """
    exposures = known_exposures(experiment.parent / plan.experiment.gold)
    return moved_plan(plan, _known_then(exposures, plan, experiment=experiment, run=run))


def keep_exposures(run: Path, exposures: Sequence[Exposure]) -> None:
    """Keep the record of exposures beside what rests on it."""
    replace_bytes(run / EXPOSURES, b"".join(canonical_bytes(each) + b"\n" for each in exposures))


def keep_known(run: Path, *, experiment: Path) -> None:
    """Keep with a run the exposures that its plan knew of, where it knew of any."""
    plan = read_plan(run)
    if plan.moved is None or (run / EXPOSURES).exists():
        return
    ledger = experiment.parent / plan.experiment.gold / EXPOSURES
    keep_exposures(run, known_until(read_exposures(ledger), plan.moved.ledger, ledger))


def _known_then(
    exposures: Sequence[Exposure], plan: Plan, *, experiment: Path, run: Path | None
) -> Sequence[Exposure]:
    ledger = experiment.parent / plan.experiment.gold / EXPOSURES
    if lock_path(experiment).exists():
        frozen = read_lock(lock_path(experiment)).settings.get(_MOVED_BY)
        return known_until(exposures, frozen, ledger)
    if run is not None and (run / PLAN).exists():
        moved = read_plan(run).moved
        return known_until(exposures, moved.ledger if moved else None, ledger)
    return exposures
