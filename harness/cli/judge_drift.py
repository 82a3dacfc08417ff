"""`harness audit --against RUN --record`: the judge then and now, and its history file."""

import os
from pathlib import Path

from harness.audits import Audited, audit_drift, history_entry, judge_history
from harness.cli.output import say
from harness.cli.run_files import read_drift, write_drift
from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError
from harness.domain.fitness import DriftFinding, HistoryEntry
from harness.domain.plan import Plan
from harness.graders.reading import read_run
from harness.inputs.jsonl import read_jsonl
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.run_dir import read_plan

HISTORY = "history.jsonl"


def refuse_without_judge(plan: Plan, *, experiment: Path, against: Path | None, record: bool) -> None:
    """Refuse, before any call is made, an audit that is to be compared or recorded and has no judge.

    Raises:
        InputError: There is no judge.
    """
    if against is not None or record:
        history_path(experiment, plan)


def refuse_unusable(run: Path, *, against: Path | None) -> None:
    """Refuse, before any call is made, an earlier run that `note_drift` could not use.

    Raises:
        InputError: ``against`` is no sealed run, or it is ``run`` itself.
    """
    if against is not None:
        _refuse_itself(against, run)
        read_plan(against)
        read_manifest(against)


def note_drift(run: Path, *, experiment: Path, against: Path | None, record: bool) -> None:
    """Write what the audit in ``run`` says of drift beside it, so that every later report says it too.

    Args:
        run: The directory of the audit.
        experiment: The experiment's file; the history stands beside the judge's spec.
        against: The directory of an earlier run or audit; none: only the history is looked at.
        record: Whether to add this audit to the judge's history.

    Raises:
        InputError: There is no judge, or ``against`` is the audit itself.
        NotMeasured: There is nothing to record.
    """
    if against is None and not record:
        return
    now = _audited(run)
    found = _compared(now, run, against)
    if record:
        path = history_path(experiment, now.plan)
        entries = _recorded(path, history_entry(now.plan, now.reading, read_manifest(run)))
        history = judge_history(entries, seed=now.plan.experiment.analysis.seed)
        update: dict[str, object] = {"history": history}
        if history.first_alarm is not None:
            alarm = (
                f"cusum_alarm: errors rose beyond the first audit's, alarm in that of {history.first_alarm}"
            )
            update |= {"status": "fail", "verdict": "drift", "reasons": (alarm, *found.reasons)}
        found = found.model_copy(update=update)
    write_drift(run, found)


def _compared(now: Audited, run: Path, against: Path | None) -> DriftFinding:
    if against is None:
        earlier = read_drift(run)
        reasons = ("no_earlier_run: only the judge's history was looked at",)
        return earlier or DriftFinding(status="not_audited", reasons=reasons)
    _refuse_itself(against, run)
    return audit_drift(_audited(against), now)


def _refuse_itself(against: Path, run: Path) -> None:
    if against.resolve() == run.resolve():
        raise InputError(f"{against}: is the audit itself, wanted an earlier run")


def history_path(experiment: Path, plan: Plan) -> Path:
    """Return where the history of the plan's judge stands: beside its ``judge.toml``.

    Raises:
        InputError: The plan has no judge.
    """
    if plan.experiment.judge is None:
        raise InputError(f"{experiment}: has no [judge], so there is no judge to compare or record")
    return experiment.parent / plan.experiment.judge.spec / HISTORY


def read_history(path: Path) -> tuple[HistoryEntry, ...]:
    """Return the recorded audits, oldest first; none where there is no file."""
    return tuple(entry for _, entry in read_jsonl(path, HistoryEntry)) if path.exists() else ()


def _recorded(path: Path, entry: HistoryEntry) -> tuple[HistoryEntry, ...]:
    """Append the audit, unless it is there already: the same evidence is the same audit."""
    entries = read_history(path)
    if any(known.evidence_sha256 == entry.evidence_sha256 for known in entries):
        say(f"{path}: holds this audit already")
        return entries
    with path.open("ab") as stream:
        stream.write(canonical_bytes(entry) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    return (*entries, entry)


def _audited(run: Path) -> Audited:
    plan = read_plan(run)
    return Audited(plan=plan, reading=read_run(plan, read_evidence(run), read_timings(run)))
