"""`harness open-held-out`: one look, in the ledger before anything is computed."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from harness.cli.output import say
from harness.cli.run import report
from harness.cli.run_files import read_look, read_origin, write_look
from harness.cli.sign import drop_throwaway
from harness.cli.signed_run import set_aside
from harness.domain.canonical import sha256_hex
from harness.domain.errors import InputError, Tampered
from harness.domain.plan import Look, plan_digest
from harness.inputs.ledger import Opening, append_look, read_looks, refuse_spent
from harness.store.evidence import read_manifest
from harness.store.run_dir import MANIFEST, read_plan

_LEDGER = "looks.jsonl"


def open_held_out(
    *,
    run: Path,
    gold: Path | None,
    yes: bool,
    as_json: bool,
    decision_only: bool = False,
    past_budget: bool = False,
) -> int:
    """Open the held-out split of a sealed run; what an earlier look released is only shown again.

    A look at the decision alone shows no number; one at the numbers is then another look.
    """
    plan, manifest = read_plan(run), read_manifest(run)
    if not plan.held_out:
        shown = ": all that the split holds out were shown before" if plan.moved and plan.moved.cases else ""
        raise InputError(f"{run}: the plan holds no case out, so there is nothing to open{shown}")
    if plan.experiment.sequential and not plan.experiment.sequential.ask_held_out:
        raise InputError(f"{run}: its plan asks no held-out case (sequential.ask_held_out = false)")
    if not manifest.complete:
        raise InputError(f"{run}: the run is not complete; a look at it would be spent on part of the cases")
    ledger = _gold(run, gold) / _LEDGER
    run_sha256, looks = sha256_hex((run / MANIFEST).read_bytes()), read_looks(ledger)
    look = _last_look(run, run_sha256, looks, ledger)
    if look is not None and (look.shows_numbers or decision_only):
        write_look(run, look)
        say(f"{run}: was opened before, look {look.number}; no new look is written")
        return report(run=run, as_json=as_json, gold=gold)
    n_looks = plan.gold.split.looks
    if not past_budget:
        refuse_spent(looks, n_looks, ledger)
    _ask(len(looks), n_looks, plan.gold.name, yes=yes)
    opening = Opening(
        opened_at=datetime.now(UTC).isoformat(timespec="seconds"),
        gold=plan.gold.name,
        run=run_sha256,
        plan_sha256=plan_digest(plan),
        released="decision" if decision_only else "numbers",
        alpha=plan.experiment.analysis.alpha / n_looks if n_looks else None,
    )
    look = append_look(ledger, opening, at_most=n_looks, past_budget=past_budget)
    if drop_throwaway(run):
        say(f"{run}: the throw-away signature was of the report before the look, and is gone")
    for bundle in set_aside(run, why=f"before-look-{look.number}"):
        say(f"{bundle}: is of the report before the look; `harness sign {run}` signs the new one")
    write_look(run, look)
    return report(run=run, as_json=as_json, gold=gold)


def _gold(run: Path, gold: Path | None) -> Path:
    folder = gold if gold is not None else run / read_origin(run).gold
    if not (folder / "set.toml").exists():
        raise InputError(
            f"{folder}: no set.toml there; name the gold set whose ledger takes the look with --gold"
        )
    return folder


def _last_look(run: Path, run_sha256: str, looks: Sequence[Look], ledger: Path) -> Look | None:
    """Return the last look at the run; null where there was none."""
    # A look may stand in the ledger although the run did not live to keep it.
    kept = read_look(run)
    if kept is not None and kept.entry not in {entry.entry for entry in looks}:
        raise Tampered(f"{ledger}: the look that opened this run ({kept.entry[:12]}) is not in it")
    return next((entry for entry in reversed(looks) if entry.run == run_sha256), kept)


def _ask(n_before: int, at_most: int | None, gold: str, *, yes: bool) -> None:
    budget = f" of {at_most}" if at_most else ""
    if at_most and n_before >= at_most:
        budget += ", past the budget: the result will be exploratory"
    say(
        f"Opening the held-out split of {gold} is look number {n_before + 1}{budget}. "
        "It is written into the ledger and cannot be taken back."
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("open-held-out: nobody is there to ask; say --yes to open")
    if not click.confirm("Open it?", err=True):
        raise click.Abort
