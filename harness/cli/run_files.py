"""The files of a run directory that only the command line writes: origin, provenance, look, reports."""

import os
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes
from harness.domain.earlier import EarlierReport, EarlierReports
from harness.domain.environment import SoftwareBill
from harness.domain.errors import InputError, Tampered
from harness.domain.fitness import DriftFinding
from harness.domain.plan import Look
from harness.domain.record import Record, Text
from harness.domain.report import Provenance, Report
from harness.inputs.lock import lock_path
from harness.report.document import report_bytes
from harness.report.junit import junit
from harness.report.markdown import summary_markdown
from harness.report.page import page
from harness.store.replace import replace_bytes

_R = TypeVar("_R", bound=Record)

REPORT, PAGE, SUMMARY, JUNIT = "report.json", "report.html", "summary.md", "junit.xml"
ORIGIN, PROVENANCE, LOOK = "origin.json", "provenance.json", "look.json"
DRIFT, EARLIER, ENVIRONMENT = "drift.json", "earlier.json", "environment.json"
LOOKS, EXPOSURES = "looks.jsonl", "exposures.jsonl"
LOCK, LOCK_SIGNATURE = "experiment.lock.json", "experiment.lock.sigstore.json"

RunKind = Literal["run", "audit", "aa"]


class Origin(Record):
    """Where the gold set of a run lies, from the run directory, and what kind of run it is."""

    gold: Text
    kind: RunKind


def write_origin(run: Path, *, gold: Path, kind: RunKind) -> None:
    """Remember where the gold set's ledger is, as seen from the run directory."""
    relative = os.path.relpath(gold.resolve(), run.resolve())
    replace_bytes(run / ORIGIN, canonical_bytes(Origin(gold=Path(relative).as_posix(), kind=kind)))


def read_origin(run: Path) -> Origin:
    """Return where a run comes from."""
    return _read(run / ORIGIN, Origin)


def write_provenance(run: Path, provenance: Provenance) -> None:
    """Remember what made the run, so that its report says the same wherever it is made again."""
    replace_bytes(run / PROVENANCE, canonical_bytes(provenance))


def earlier_move_ms(run: Path) -> int | None:
    """Return how far the clock was moved during earlier starts of a run; null where there were none."""
    return read_provenance(run).clock_moved_ms if (run / PROVENANCE).exists() else None


def write_environment(run: Path, bill: SoftwareBill) -> None:
    """Keep the bill of software that the provenance names by digest."""
    replace_bytes(run / ENVIRONMENT, canonical_bytes(bill))


def read_environment(run: Path) -> SoftwareBill | None:
    """Return the bill of software of a run; null where none was kept."""
    return _read(run / ENVIRONMENT, SoftwareBill) if (run / ENVIRONMENT).exists() else None


def read_provenance(run: Path) -> Provenance:
    """Return what made a run."""
    return _read(run / PROVENANCE, Provenance)


def write_look(run: Path, look: Look) -> None:
    """Keep the look that opened the held-out split of this run."""
    replace_bytes(run / LOOK, canonical_bytes(look))


def read_look(run: Path) -> Look | None:
    """Return the look that opened the held-out split; null while it is closed."""
    return _read(run / LOOK, Look) if (run / LOOK).exists() else None


def keep_lock(run: Path, experiment: Path) -> None:
    """Keep the lock that the run matched, and its signature where it has one, so that both travel with it."""
    lock = lock_path(experiment)
    for beside, kept in ((lock, LOCK), (lock.with_suffix(".sigstore.json"), LOCK_SIGNATURE)):
        if beside.exists():
            replace_bytes(run / kept, beside.read_bytes())


def write_drift(run: Path, drift: DriftFinding) -> None:
    """Keep what a comparison with an earlier run found."""
    replace_bytes(run / DRIFT, canonical_bytes(drift))


def read_drift(run: Path) -> DriftFinding | None:
    """Return what a comparison with an earlier run found; null where none was made."""
    return _read(run / DRIFT, DriftFinding) if (run / DRIFT).exists() else None


def write_earlier(run: Path, reports: tuple[EarlierReport, ...]) -> None:
    """Keep which reports came before this run, on other data of the same arms."""
    replace_bytes(run / EARLIER, canonical_bytes(EarlierReports(reports=reports)))


def read_earlier(run: Path) -> tuple[EarlierReport, ...]:
    """Return which reports came before this run; none where none did."""
    return _read(run / EARLIER, EarlierReports).reports if (run / EARLIER).exists() else ()


def write_reports(run: Path, report: Report) -> None:
    """Write every form of the report."""
    replace_bytes(run / REPORT, report_bytes(report))
    replace_bytes(run / PAGE, page(report).encode("utf-8"))
    replace_bytes(run / SUMMARY, summary_markdown(report).encode("utf-8"))
    replace_bytes(run / JUNIT, junit(report).encode("utf-8"))


def _read(path: Path, kind: type[_R]) -> _R:
    try:
        content = path.read_bytes()
        found = kind.from_json(content)
    except FileNotFoundError as error:
        raise InputError(f"{path}: is not there; wanted a run directory made by `harness run`") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise Tampered(f"{path}: not as the harness writes it") from error
    if canonical_bytes(found) != content:
        raise Tampered(f"{path}: not in the bytes that the harness wrote")
    return found
