"""`harness audit --against RUN --record`: the judge then and now, and its history file."""

from pathlib import Path

from harness.audits import Audited, audit_kept, history_alarms, judge_history
from harness.cli.output import say
from harness.cli.panel_drift import drift_between
from harness.cli.run_files import read_drift, write_drift
from harness.domain.canonical import digest
from harness.domain.errors import InputError
from harness.domain.fitness import DriftFinding, JudgeDrift
from harness.domain.history import AuditKept, HistoryBlock
from harness.domain.manifest import Manifest
from harness.domain.plan import AskedJudge, Plan, plan_digest
from harness.graders.panel import SeenRun
from harness.graders.reading import read_run
from harness.inputs.history_file import HEAD, HISTORY, append_history, head_bytes, read_history
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.replace import replace_bytes
from harness.store.run_dir import read_plan

_ONLY_HISTORY = "no_earlier_run: only the judge's history was looked at"


def refuse_without_judge(plan: Plan, *, experiment: Path, against: Path | None, record: bool) -> None:
    """Refuse, before any call is made, an audit without a judge to compare, or whose history is broken.

    Raises:
        InputError: There is no judge.
        Tampered: The audit is to be recorded, and audits are missing or edited in the history.
    """
    if (against is not None or record) and not plan.judges:
        raise InputError(f"{experiment}: has no [judge], so there is no judge to compare or record")
    for judge in plan.judges if record else ():
        read_history(history_path(experiment, judge))


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
    now = audited(run)
    found = _compared(now, run, against)
    try:
        if record:
            found = _with_histories(found, now, run, experiment=experiment, against=against)
    finally:
        # What the comparison found stands, whether or not there was something to record.
        write_drift(run, found)


def _with_histories(
    found: DriftFinding, now: Audited, run: Path, *, experiment: Path, against: Path | None
) -> DriftFinding:
    """Return the finding with the history of the judge, or of each judge of a panel."""
    judges = now.plan.judges
    if not now.plan.panel:
        return _recorded(found, now, judges[0], run, experiment=experiment, against=against)
    known = {each.judge: each.finding for each in found.judges}
    nothing = DriftFinding(status="not_audited", reasons=(_ONLY_HISTORY,))
    each = tuple(
        JudgeDrift(
            judge=judge.endpoint,
            finding=_recorded(
                known.get(judge.endpoint, nothing), now, judge, run, experiment=experiment, against=against
            ),
        )
        for judge in judges
    )
    return found.model_copy(update={"judges": each})


def _compared(now: Audited, run: Path, against: Path | None) -> DriftFinding:
    if against is None:
        earlier = read_drift(run)
        return earlier or DriftFinding(status="not_audited", reasons=(_ONLY_HISTORY,))
    _refuse_itself(against, run)
    return drift_between(audited(against), now)


def _refuse_itself(against: Path, run: Path) -> None:
    if against.resolve() == run.resolve():
        raise InputError(f"{against}: is the audit itself, wanted an earlier run")


def history_path(experiment: Path, judge: AskedJudge) -> Path:
    """Return where a judge's history stands: beside its ``judge.toml``, in a panel in a folder of its name.

    Two judges of a panel may share a ``judge.toml``, and are two judges.
    """
    folder = experiment.parent / judge.use.spec
    return folder / HISTORY if judge.endpoint == "judge" else folder / judge.name / HISTORY


def _recorded(
    found: DriftFinding,
    now: Audited,
    judge: AskedJudge,
    run: Path,
    *,
    experiment: Path,
    against: Path | None,
) -> DriftFinding:
    """Add the audit to a judge's history, and return the finding with what the series comes to."""
    return with_history(found, _history(now, judge, run, experiment=experiment, against=against))


def with_history(found: DriftFinding, history: HistoryBlock) -> DriftFinding:
    """Return the finding with the judge's series, which alone can make the judge unfit."""
    alarms = history_alarms(history)
    update: dict[str, object] = {"history": history}
    if alarms:
        update |= {"status": "fail", "verdict": "drift", "reasons": (*alarms, *found.reasons)}
    return found.model_copy(update=update)


def _history(
    now: Audited, judge: AskedJudge, run: Path, *, experiment: Path, against: Path | None
) -> HistoryBlock:
    path = history_path(experiment, judge)
    known = [
        drift.history.last_entry
        for other in (run, against)
        if other is not None
        and (drift := _noted(other, judge)) is not None
        and drift.history is not None
        and drift.history.last_entry is not None
        # The earlier run may be of another judge, whose history is another file.
        and _spec(read_plan(other), judge) == judge.use.spec
    ]
    before = len(read_history(path, known_entries=known))
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = append_history(path, _kept(now, judge, read_manifest(run)))
    if len(entries) == before:
        say(f"{path}: holds this audit already")
    replace_bytes(path.with_name(HEAD), head_bytes(entries))
    return judge_history(entries, seed=now.plan.experiment.analysis.seed)


def _kept(now: Audited, judge: AskedJudge, manifest: Manifest) -> AuditKept:
    """Return what the history keeps, under the names of the plan and the judge as they are, not as seen."""
    seen = SeenRun(*now).alone(judge)
    kept = audit_kept(seen.plan, seen.reading, manifest)
    named = {"plan_sha256": plan_digest(now.plan), "judge_sha256": digest(judge.spec)}
    return kept.model_copy(update=named)


def _noted(run: Path, judge: AskedJudge) -> DriftFinding | None:
    drift = read_drift(run)
    if drift is None or judge.endpoint == "judge":
        return drift
    return next((each.finding for each in drift.judges if each.judge == judge.endpoint), None)


def _spec(plan: Plan, judge: AskedJudge) -> str | None:
    return next((each.use.spec for each in plan.judges if each.endpoint == judge.endpoint), None)


def audited(run: Path) -> Audited:
    """Return a sealed run, read, as far as it tells of its judge."""
    plan = read_plan(run)
    return Audited(plan=plan, reading=read_run(plan, read_evidence(run), read_timings(run)))
