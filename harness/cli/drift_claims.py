"""Whether what a run says of drift follows from the earlier run, and from the judge's history."""

from collections.abc import Iterator
from pathlib import Path

from harness.audits import judge_history
from harness.cli.judge_drift import audited, history_path, with_history
from harness.cli.panel_drift import drift_between
from harness.cli.recompute import first_difference
from harness.cli.run_files import read_drift
from harness.cli.signed_run import RunDocuments
from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.fitness import DriftFinding
from harness.domain.history import HistoryBlock
from harness.domain.plan import AskedJudge, plan_digest
from harness.domain.record import Record
from harness.inputs.history_file import read_history
from harness.report.verifying import Claim, broken, holds, not_checked, unproven
from harness.store.run_dir import read_plan


def drift_claims(
    run: Path, documents: RunDocuments, *, against: Path | None, inputs: Path | None
) -> Iterator[Claim]:
    """Yield whether the comparison and the histories come out again; nothing where there are none.

    Args:
        run: The directory of the run.
        documents: Its files, read.
        against: The earlier run that it was compared with, where that is at hand.
        inputs: The experiment's folder, where that is at hand.

    Raises:
        Tampered: A history does not hold an audit that the run knows, or was edited.
    """
    drift = read_drift(run)
    if drift is None:
        return
    if drift.against is not None:
        yield _comparison(run, drift, against)
    for judge, history in _histories(documents, drift):
        yield _series(judge, history, documents, inputs)


def _comparison(run: Path, drift: DriftFinding, against: Path | None) -> Claim:
    if against is None:
        return not_checked("drift", "the comparison with the earlier run; --against names it")
    found = plan_digest(read_plan(against))
    if found != drift.against:
        told = f"the run was compared with the plan {str(drift.against)[:16]}, {against} has {found[:16]}"
        return unproven("drift", told)
    again = drift_between(audited(against), audited(run))
    again = _with_histories(again, drift)
    different = _difference(drift, again)
    if different is not None:
        return broken("drift", f"does not follow from the two runs: {different}")
    return holds("drift", "the comparison with the earlier run comes out again")


def _with_histories(again: DriftFinding, drift: DriftFinding) -> DriftFinding:
    """Return the comparison with the histories that the run tells of, which have a claim of their own."""
    if drift.history is not None:
        again = with_history(again, drift.history)
    told = {each.judge: each.finding.history for each in drift.judges}
    judges = tuple(
        each
        if (history := told.get(each.judge)) is None
        else each.model_copy(update={"finding": with_history(each.finding, history)})
        for each in again.judges
    )
    return again.model_copy(update={"judges": judges})


def _histories(documents: RunDocuments, drift: DriftFinding) -> Iterator[tuple[AskedJudge, HistoryBlock]]:
    known = {each.judge: each.finding.history for each in drift.judges} | {"judge": drift.history}
    for judge in documents.plan.judges:
        history = known.get(judge.endpoint)
        if history is not None:
            yield judge, history


def _series(judge: AskedJudge, history: HistoryBlock, documents: RunDocuments, inputs: Path | None) -> Claim:
    name = f"history of {judge.name}"
    if inputs is None:
        return not_checked(name, "the judge's recorded audits; --inputs names the experiment's folder")
    path = history_path(inputs / "experiment.toml", judge)
    entries = read_history(path, known_entries=[history.last_entry] if history.last_entry else [])
    last = [entry.entry for entry in entries].index(str(history.last_entry))
    again = judge_history(entries[: last + 1], seed=documents.plan.experiment.analysis.seed)
    different = _difference(history, again)
    if different is not None:
        return broken(name, f"does not follow from {path}: {different}")
    return holds(name, f"follows from {last + 1} of the {len(entries)} audits in {path}")


def _difference(was: Record, now: Record) -> str | None:
    return first_difference(strict_json(canonical_bytes(was)), strict_json(canonical_bytes(now)))
