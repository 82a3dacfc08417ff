"""`harness audit --against RUN --record`: the judge then and now, and its history file."""

from pathlib import Path

from harness.audits import (
    Audited,
    audit_drift,
    audit_kept,
    compared_endpoints,
    history_alarms,
    judge_history,
)
from harness.cli.output import say
from harness.cli.panel import whole_judge
from harness.cli.run_files import read_drift, write_drift
from harness.domain.errors import InputError
from harness.domain.fitness import DriftFinding
from harness.domain.history import HistoryBlock
from harness.domain.plan import Plan
from harness.graders.reading import read_run
from harness.inputs.history_file import HEAD, HISTORY, append_history, head_bytes, read_history
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.replace import replace_bytes
from harness.store.run_dir import read_plan


def refuse_without_judge(plan: Plan, *, experiment: Path, against: Path | None, record: bool) -> None:
    """Refuse, before any call is made, an audit without a judge to compare, or whose history is broken.

    Raises:
        InputError: There is no judge.
        Tampered: The audit is to be recorded, and audits are missing or edited in the history.
    """
    if (against is not None or record) and not plan.judges:
        raise InputError(f"{experiment}: has no [judge], so there is no judge to compare or record")
    if record:
        read_history(history_path(experiment, plan))


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
        history = _recorded(now, run, experiment=experiment, against=against)
        alarms = history_alarms(history)
        update: dict[str, object] = {"history": history}
        if alarms:
            update |= {"status": "fail", "verdict": "drift", "reasons": (*alarms, *found.reasons)}
        found = found.model_copy(update=update)
    write_drift(run, found)


def _compared(now: Audited, run: Path, against: Path | None) -> DriftFinding:
    if against is None:
        earlier = read_drift(run)
        reasons = ("no_earlier_run: only the judge's history was looked at",)
        return earlier or DriftFinding(status="not_audited", reasons=reasons)
    _refuse_itself(against, run)
    then = _audited(against)
    compared = compared_endpoints(then, now)
    return audit_drift(Audited(*whole_judge(*then)), Audited(*whole_judge(*now)), compared=compared)


def _refuse_itself(against: Path, run: Path) -> None:
    if against.resolve() == run.resolve():
        raise InputError(f"{against}: is the audit itself, wanted an earlier run")


def history_path(experiment: Path, plan: Plan) -> Path:
    """Return where the history of the plan's judge stands: beside its ``judge.toml``.

    Raises:
        InputError: The plan has no judge, or a panel of them.
    """
    if plan.panel:
        raise InputError(f"{experiment}: has a [[panel]]; a history is of one judge, wanted [judge]")
    if plan.experiment.judge is None:
        raise InputError(f"{experiment}: has no [judge], so there is no history of one")
    return experiment.parent / plan.experiment.judge.spec / HISTORY


def _recorded(now: Audited, run: Path, *, experiment: Path, against: Path | None) -> HistoryBlock:
    """Add the audit to the judge's history, and return what the series comes to."""
    path = history_path(experiment, now.plan)
    known = [
        drift.history.last_entry
        for other in (run, against)
        if other is not None
        and (drift := read_drift(other)) is not None
        and drift.history is not None
        and drift.history.last_entry is not None
        # The earlier run may be of another judge, whose history is another file.
        and _spec(read_plan(other)) == _spec(now.plan)
    ]
    before = len(read_history(path, known_entries=known))
    entries = append_history(path, audit_kept(now.plan, now.reading, read_manifest(run)))
    if len(entries) == before:
        say(f"{path}: holds this audit already")
    replace_bytes(path.with_name(HEAD), head_bytes(entries))
    return judge_history(entries, seed=now.plan.experiment.analysis.seed)


def _spec(plan: Plan) -> str | None:
    return None if plan.experiment.judge is None else plan.experiment.judge.spec


def _audited(run: Path) -> Audited:
    plan = read_plan(run)
    return Audited(plan=plan, reading=read_run(plan, read_evidence(run), read_timings(run)))
