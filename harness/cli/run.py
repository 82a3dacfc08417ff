"""`harness run`, `audit` and `report`: ask, seal, conclude, write."""

import asyncio
import os
import signal
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple

from harness.analysis import exit_code
from harness.backends.open import open_backend
from harness.cli.collector import collector_off
from harness.cli.conclude import Concluded, conclude
from harness.cli.earlier_reports import note_earlier
from harness.cli.exposing import expose_report, opened_look
from harness.cli.judge_drift import note_drift, refuse_unusable, refuse_without_judge
from harness.cli.output import put, say
from harness.cli.panel import canary_survived
from harness.cli.planning import as_planned, keep_known
from harness.cli.progress import Shown
from harness.cli.project import audited_plan, load, matching_lock, same_arm_plan
from harness.cli.provenance import provenance, read_clocks, software_bill, with_move
from harness.cli.run_files import (
    REPORT,
    RunKind,
    earlier_move_ms,
    keep_lock,
    read_drift,
    read_earlier,
    read_look,
    read_origin,
    read_provenance,
    write_environment,
    write_origin,
    write_provenance,
    write_reports,
)
from harness.cli.sequential import Stopping
from harness.cli.signed_run import is_signed, set_aside
from harness.domain.calls import Evidence, Timing
from harness.domain.errors import NotMeasured, Tampered
from harness.domain.manifest import Reading
from harness.domain.plan import Plan, plan_digest
from harness.domain.report import Report
from harness.graders.reading import read_run
from harness.report.document import report_bytes
from harness.report.terminal import terminal_summary
from harness.runner.asking import INTERRUPTED, Asking
from harness.runner.collect import Failed, canary_records, run_records
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.protocol import ResponseStore
from harness.store.run_dir import EVIDENCE, MANIFEST, TIMINGS, open_run, read_plan, safe_name
from harness.store.seal import Sealing, seal_run
from harness.store.sealed import file_sha256

_RUNS = Path("runs")
_GO_ON = "the same command goes on from there"
_CANARY_SURVIVED = "a canary survived, so the arms were not asked"


def _is_complete(path: Path) -> bool:
    if not (path / MANIFEST).exists():
        return False
    manifest = read_manifest(path)
    if not manifest.complete:
        return False
    for name, sealed in ((EVIDENCE, manifest.evidence_sha256), (TIMINGS, manifest.timings_sha256)):
        found = file_sha256(path / name)
        if found != sealed:
            raise Tampered(f"{path / name}: found sha256 {found[:16]}, the manifest has {sealed[:16]}")
    return True


class Asked(NamedTuple):
    """How far the asking came, why it stopped if it did, and the calls without a response."""

    reached: Literal["canaries_unasked", "canary_survived", "cases"]
    stopped: str | None
    failures: Mapping[str, Failed]


def run(
    *,
    experiment: Path,
    directory: Path | None,
    locked: bool,
    same_arm: bool,
    against: Path | None,
    as_json: bool,
) -> int:
    """Run an experiment, or go on with it, and report; compare it with an earlier run."""
    if same_arm:
        return report(run=_run_same_arm(experiment, directory, against=against), as_json=as_json)
    path = run_experiment(experiment, directory, locked=locked, against=against)
    return report(run=path, as_json=as_json)


def run_experiment(
    experiment: Path, directory: Path | None, *, locked: bool, against: Path | None = None
) -> Path:
    """Ask what is not on disk yet, seal the run, and return its directory."""
    dealt = load(experiment)
    path = directory or _default_directory(dealt, "")
    plan = as_planned(dealt, experiment=experiment, run=path)
    lock = matching_lock(experiment, plan, wanted=locked)
    refuse_unusable(path, against=against)
    run_plan(plan, experiment=experiment, path=path, frozen_at=lock.frozen_at if lock else None, kind="run")
    note_drift(path, experiment=experiment, against=against, record=False)
    keep_known(path, experiment=experiment)
    if lock is not None and read_manifest(path).locked:
        keep_lock(path, experiment)
    return path


def _run_same_arm(experiment: Path, directory: Path | None, *, against: Path | None) -> Path:
    """Ask the baseline twice, as if it were both arms; no lock is of such a plan."""
    plan = same_arm_plan(load(experiment))
    path = directory or _default_directory(plan, "-aa")
    refuse_unusable(path, against=against)
    run_plan(plan, experiment=experiment, path=path, frozen_at=None, kind="aa")
    note_drift(path, experiment=experiment, against=against, record=False)
    return path


def audit(
    *, experiment: Path, directory: Path | None, against: Path | None, record: bool, as_json: bool
) -> int:
    """Ask the judge about its canaries and anchors, and nothing else; compare it with an earlier run."""
    plan = as_planned(load(experiment), experiment=experiment, run=None)
    lock = matching_lock(experiment, plan, wanted=False)
    audited = audited_plan(plan)
    path = directory or _default_directory(audited, "-audit")
    refuse_without_judge(plan, experiment=experiment, against=against, record=record)
    refuse_unusable(path, against=against)
    run_plan(
        audited, experiment=experiment, path=path, frozen_at=lock.frozen_at if lock else None, kind="audit"
    )
    try:
        note_drift(path, experiment=experiment, against=against, record=record)
    except NotMeasured as error:
        # A judge that let a canary live has no anchors to record, and its report must say why.
        say(f"harness: {error}")
        return report(run=path, as_json=as_json) or error.exit_code
    return report(run=path, as_json=as_json)


def report(*, run: Path, as_json: bool, gold: Path | None = None) -> int:
    """Make the report of a sealed run from its evidence, write all its forms and print it.

    Raises:
        Tampered: The run claims a look that the gold set's ledger does not hold,
            the record of exposures was cut short, or its report is signed and
            comes out otherwise now.
    """
    opened_look(run, gold=gold)
    made = make_report(run)
    _refuse_to_unsign(run, report_bytes(made))
    expose_report(run, read_plan(run), made, gold=gold)
    write_reports(run, made)
    put(report_bytes(made).decode("utf-8") if as_json else terminal_summary(made))
    say(f"report: {run / 'report.html'}")
    return exit_code(made.decision)


def _refuse_to_unsign(run: Path, made: bytes) -> None:
    path = run / REPORT
    if path.exists() and path.read_bytes() != made and is_signed(run):
        raise Tampered(
            f"{path}: is signed, and is not what this version makes of the evidence now; "
            "nothing is written, and `harness verify --recompute` says what differs"
        )


def make_report(run: Path) -> Report:
    """Return the report that a sealed run comes to."""
    with collector_off():
        plan = read_plan(run)
        return report_of(run, plan, read_run(plan, read_evidence(run), read_timings(run)))


def report_of(run: Path, plan: Plan, reading: Reading) -> Report:
    """Return the report that a run, read, comes to."""
    manifest = read_manifest(run)
    return conclude(
        Concluded(
            plan=plan,
            kind=read_origin(run).kind,
            manifest=manifest,
            reading=reading,
            provenance=read_provenance(run),
            look=read_look(run),
            drift=read_drift(run),
            earlier=tuple(
                entry for entry in read_earlier(run) if entry.evidence_sha256 != manifest.evidence_sha256
            ),
        )
    )


def run_plan(plan: Plan, *, experiment: Path, path: Path, frozen_at: str | None, kind: RunKind) -> None:
    """Ask everything the plan wants that is not on disk yet, and seal it.

    A run that is sealed and complete is left as it is, to the byte: there is
    nothing to ask, a signature over it stays good, and a lock written after the
    data cannot make it a locked one.

    Raises:
        Tampered: A complete run's files are not those that its manifest names.
        NotMeasured: The run was interrupted, or nothing came; what came is kept.
    """
    root = experiment.parent
    with open_run(path, plan) as opened:
        if _is_complete(path):
            return
        _set_signatures_aside(path)
        write_origin(path, gold=root / plan.experiment.gold, kind=kind)
        bill, clocks = software_bill(), read_clocks()
        write_environment(path, bill)
        made_by = provenance(root, bill=bill, clock_moved_ms=earlier_move_ms(path))
        write_provenance(path, made_by)
        if kind == "run":
            note_earlier(path, plan, runs=_RUNS)
        if _a_canary_survived(plan, "checks", ()):
            asked = Asked("canary_survived", None, {})  # no call is needed to know it
        else:
            asked = asyncio.run(_ask(plan, opened.store, root=root, environ=os.environ))
        write_provenance(path, with_move(made_by, clocks, read_clocks()))
        kept = f"{len(opened.store)} responses are kept in {path}; {_GO_ON}"
        if asked.stopped == INTERRUPTED or asked.reached == "canaries_unasked":
            raise NotMeasured(f"{asked.stopped or _first_failure(asked.failures)}; {kept}")
        if asked.stopped:
            say(f"harness: {asked.stopped}; {kept}")
        survived = asked.reached == "canary_survived"
        records = canary_records if survived else run_records
        seal_run(
            path,
            records(plan, opened.store, asked.failures),
            Sealing(
                plan_sha256=plan_digest(plan),
                harness_version=version("judge-harness"),
                stopped=_CANARY_SURVIVED if survived else asked.stopped,
                locked=frozen_at is not None,
                frozen_at=frozen_at,
            ),
        )


def _set_signatures_aside(path: Path) -> None:
    """Keep the signatures over what a run had come to before it goes on, with the report they are of."""
    earlier = len(list((path / "superseded").glob("before-start-*")))
    for bundle in set_aside(path, why=f"before-start-{earlier + 1}"):
        say(f"{bundle}: is of the report before this start; `harness sign {path}` signs the new one")


def _first_failure(failures: Mapping[str, Failed]) -> str:
    failure = next(iter(failures.values())).failure
    return f"{len(failures)} calls about canaries failed, first {failure.kind}: {failure.detail}"


async def _ask(plan: Plan, store: ResponseStore, *, root: Path, environ: Mapping[str, str]) -> Asked:
    """Ask the canaries, then, if none survived, everything else.

    A canary that could not be asked has proved nothing, for or against the judge.
    """
    stop = asyncio.Event()
    for sent in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sent, stop.set)
    backends = {
        name: open_backend(name, plan.endpoint(name), root=root, environ=environ)
        for name in plan.endpoint_names
    }
    with Shown() as shown:
        async with Asking(plan, store=store, backends=backends, stop=stop, on_progress=shown) as asking:
            outcome = await asking.ask_canaries()
            if outcome.stopped or outcome.failures:
                return Asked("canaries_unasked", outcome.stopped, outcome.failures)
            if _a_canary_survived(plan, "judge", canary_records(plan, store, outcome.failures)):
                return Asked("canary_survived", None, outcome.failures)
            outcome = await asking.ask_cases(Stopping(plan, store))
            return Asked("cases", outcome.stopped, outcome.failures)


def _a_canary_survived(
    plan: Plan, grader: Literal["checks", "judge"], records: Iterable[tuple[Evidence, Timing]]
) -> bool:
    planted = tuple(canary for canary in plan.canaries if canary.grader == grader)
    # Read as a run that has these canaries and nothing else.
    alone = plan.model_copy(update={"canaries": planted, "cases": (), "held_out": (), "anchors": ()})
    return canary_survived(alone, read_run(alone, [record for record, _ in records], ()))


def _default_directory(plan: Plan, suffix: str) -> Path:
    return _RUNS / f"{safe_name(plan.experiment.name)}{suffix}-{plan_digest(plan)[:8]}"
