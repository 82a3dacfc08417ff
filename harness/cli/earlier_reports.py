"""Looking for reports that came before a run: beside it, among the runs, and in its own directory."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.cli.run_files import REPORT, read_earlier, write_earlier
from harness.domain.earlier import EarlierReport, is_other_data
from harness.domain.errors import HarnessError
from harness.domain.plan import Plan, plan_digest
from harness.domain.report import Report
from harness.report.document import read_report
from harness.store.evidence import read_manifest
from harness.store.run_dir import MANIFEST, PLAN, read_plan


def note_earlier(path: Path, plan: Plan, *, runs: Path) -> None:
    """Write into the run directory which reports had come to a verdict on other data of the same arms.

    Whoever adds cases or repeats after a report has looked at growing data: the
    next report says so. A run whose plan may end after any batch may be read at
    any time, and its own earlier reports do not count.

    Args:
        path: The run directory, before anything is asked.
        plan: Its plan.
        runs: Where runs stand by default.
    """
    known = {(entry.run, entry.evidence_sha256): entry for entry in read_earlier(path)}
    siblings = {
        folder.resolve() for parent in (path.resolve().parent, runs) for folder in _run_directories(parent)
    }
    found = [entry for folder in sorted(siblings - {path.resolve()}) for entry in _of_another(folder, plan)]
    if plan.experiment.sequential is None:
        found += _of_itself(path)
    if found:
        known |= {(entry.run, entry.evidence_sha256): entry for entry in found}
        write_earlier(path, tuple(known.values()))


def _run_directories(parent: Path) -> Iterator[Path]:
    if parent.is_dir():
        yield from (folder for folder in parent.iterdir() if _is_reported(folder))


def _is_reported(folder: Path) -> bool:
    return all((folder / name).is_file() for name in (PLAN, MANIFEST, REPORT))


def _of_another(folder: Path, plan: Plan) -> Iterable[EarlierReport]:
    """Return the report of another run where it is of the same arms on other data."""
    try:
        report = read_report((folder / REPORT).read_bytes())
        if not _came_to_a_verdict(report) or not _may_be_other_data(report, plan):
            return ()
        earlier, entry = read_plan(folder), (_entry(folder, report),)
    except (HarnessError, OSError):
        # What is no run of this harness says nothing about this one.
        return ()
    return entry if is_other_data(plan, earlier) else ()


def _of_itself(path: Path) -> Iterable[EarlierReport]:
    """Return the report of this very run where it had broken off and came to a verdict all the same."""
    if not _is_reported(path):
        return ()
    try:
        report, stopped = read_report((path / REPORT).read_bytes()), read_manifest(path).stopped
    except (HarnessError, OSError):
        return ()
    return (_entry(path, report, stopped),) if stopped and _came_to_a_verdict(report) else ()


def _came_to_a_verdict(report: Report) -> bool:
    return report.run.kind == "run" and report.decision.verdict != "invalid"


def _may_be_other_data(report: Report, plan: Plan) -> bool:
    """Whether the report's own plan is worth reading: it is large, and the models tell most runs apart."""
    models = {plan.endpoint(name).model for name in plan.endpoint_names}
    return report.plan.sha256 != plan_digest(plan) and {e.model for e in report.endpoints} == models


def _entry(folder: Path, report: Report, stopped: str | None = None) -> EarlierReport:
    return EarlierReport(
        run=folder.name,
        plan_sha256=report.plan.sha256,
        evidence_sha256=read_manifest(folder).evidence_sha256,
        verdict=report.decision.verdict,
        n_cases=report.exploratory.majority.n_cases + report.exploratory.majority.no_majority,
        answers=report.plan.answers,
        votes=report.plan.votes,
        stopped=stopped,
    )
