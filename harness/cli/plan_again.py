"""The plan again, from the files it was made of, held against the one of a run."""

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from harness.cli.project import audited_plan, load, same_arm_plan
from harness.cli.run_files import EXPOSURES, RunKind, read_origin
from harness.cli.signed_run import RunDocuments
from harness.domain.plan import Plan, plan_digest
from harness.inputs.exposures import known_until, read_exposures
from harness.inputs.moving import moved_plan
from harness.report.inert import inert
from harness.report.verifying import Claim, broken, holds, not_checked, unproven

_ASKED: Mapping[RunKind, Callable[[Plan], Plan]] = {
    "run": lambda plan: plan,
    "audit": audited_plan,
    "aa": same_arm_plan,
}


def plan_claims(run: Path, documents: RunDocuments, folder: Path) -> Iterator[Claim]:
    """Yield whether the experiment's files make the plan of a run, setting by setting.

    Raises:
        InputError: A file cannot be read as part of an experiment.
    """
    if not documents.plan.inputs:
        yield not_checked("plan", "names no files that it was made of")
        return
    kind = read_origin(run).kind
    experiment = documents.plan.inputs[0].path
    again = plan_digest(_asked_by(_as_it_was(run, documents.plan, load(folder / experiment)), kind))
    was = documents.manifest.plan_sha256
    made_by, here = documents.manifest.harness_version, version("judge-harness")
    if again == was:
        yield holds("plan", f"{inert(experiment)} and the files it names make it again")
    elif made_by != here:
        yield unproven(
            "plan", f"made by version {made_by}; this is {here}, which makes another one of the files"
        )
    else:
        yield broken("plan", f"{inert(experiment)} makes the plan {again[:16]}, the run has {was[:16]}")


def _as_it_was(run: Path, was: Plan, dealt: Plan) -> Plan:
    """Return the plan with what was moved in it when it was made."""
    if was.moved is None:
        return dealt
    return moved_plan(dealt, known_until(read_exposures(run / EXPOSURES), was.moved.ledger, run / EXPOSURES))


def _asked_by(plan: Plan, kind: RunKind) -> Plan:
    return _ASKED[kind](plan)
