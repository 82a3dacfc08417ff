"""Showing held-out cases: only what a look has opened, and only once the record of exposures has it."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from harness.cli.output import say
from harness.cli.planning import keep_exposures
from harness.cli.run_files import EXPOSURES, LOOKS, read_look, read_origin
from harness.cli.signed_run import LEDGER, gold_folder
from harness.domain.canonical import sha256_hex
from harness.domain.errors import InputError, Tampered
from harness.domain.exposure import ShownBy
from harness.domain.plan import Look, Plan, plan_digest
from harness.domain.report import Report
from harness.inputs.exposures import Showing, append_exposure, exposed_cases, read_exposures
from harness.inputs.ledger import read_looks
from harness.store.run_dir import MANIFEST


def opened_look(run: Path, *, gold: Path | None) -> Look | None:
    """Return the look that opened the held-out cases of a run; null while they are closed.

    A look at the decision alone leaves them closed.

    Args:
        run: The run directory.
        gold: The gold set whose ledger has the look; null for the place where it was.

    Raises:
        Tampered: The look is in no ledger: the one of the gold set, or where that is gone, the signed copy.
    """
    look = read_look(run)
    if look is None:
        return None
    ledgers = (gold or run / read_origin(run).gold) / LEDGER, run / LOOKS
    ledger = next((path for path in ledgers if path.exists()), ledgers[0])
    if look.entry not in {entry.entry for entry in read_looks(ledger)}:
        raise Tampered(f"{run / 'look.json'}: the look {look.entry[:12]} is not in the ledger {ledger}")
    return look if look.shows_numbers else None


def expose_report(run: Path, plan: Plan, report: Report, *, gold: Path | None) -> None:
    """Record which held-out cases a report names, before anybody sees it.

    Raises:
        Tampered: The record of exposures is not as it was written, or was cut short.
        InputError: It is not at hand, or cannot be written.
    """
    if report.held_out is None:
        return
    shown = frozenset(flip.case for flip in report.held_out.flips.cases)
    expose(run, plan, shown, shown_by="report", gold=gold)


def expose(run: Path, plan: Plan, shown: Collection[str], *, shown_by: ShownBy, gold: Path | None) -> None:
    """Record that these cases of a run are shown, as far as the plan holds them out.

    The record beside the gold set is written. A run directory that is carried
    elsewhere may still show what the copy of the record that it keeps tells of.

    Raises:
        Tampered: The record is not as it was written, or was cut short.
        InputError: It is not at hand and tells of less, or cannot be written.
    """
    closed = frozenset(plan.held_out) & frozenset(shown)
    if not closed and shown_by != "report":
        return
    cases = exposed_cases(case for case in plan.cases if case.id in closed)
    name = sha256_hex((run / MANIFEST).read_bytes())
    kept = read_exposures(run / EXPOSURES)
    told = any(each.run == name and each.shown_by == "report" for each in kept)
    folder = gold_folder(run, gold=plan.gold.name, named=gold)
    if folder is None:
        if not told or not {case for each in kept for case in each.cases} >= set(cases):
            raise InputError(
                f"{run}: held-out cases would be shown, and the record of that is not at hand; "
                f"wanted the gold set {plan.gold.name} where it was when the run was made, or named by --gold"
            )
        return
    read_exposures(folder / EXPOSURES, known_entries=[each.entry for each in kept[-1:]])
    showing = Showing(
        exposed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        gold=plan.gold.name,
        run=name,
        plan_sha256=plan_digest(plan),
        shown_by=shown_by,
        cases=cases,
    )
    exposures = append_exposure(folder / EXPOSURES, showing)
    if shown_by == "report" and not told:
        keep_exposures(run, exposures)
    if cases and not told:
        say(
            f"{folder / EXPOSURES}: {len(cases)} held-out cases are shown one by one; "
            "every later plan takes them, and what belongs with them, for exploratory"
        )
