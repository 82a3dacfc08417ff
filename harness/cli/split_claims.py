"""Whether the split of a run is the one its settings deal, and what was shown of it is on record."""

from collections.abc import Iterator
from pathlib import Path

from harness.cli.committed_run import is_redacted
from harness.cli.planning import known_exposures
from harness.cli.run_files import EXPOSURES
from harness.cli.signed_run import RunDocuments, gold_folder
from harness.domain.exposure import Exposure, Moved
from harness.domain.plan import Plan
from harness.inputs.exposures import known_until, read_exposures
from harness.inputs.moving import must_move, shown_ids, unmoved_plan
from harness.inputs.split import held_out_ids
from harness.report.inert import inert
from harness.report.verifying import Claim, broken, holds, not_checked
from harness.store.run_dir import MANIFEST
from harness.store.sealed import file_sha256


def split_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    """Yield whether the held-out side of the plan follows from its cases, its split and what was shown.

    Raises:
        Tampered: The record of exposures kept with the run is not as it was written, or too short.
    """
    plan = documents.plan
    dealt = held_out_ids(plan.cases, plan.gold.split)
    if unmoved_plan(plan).held_out != tuple(case.id for case in plan.cases if case.id in dealt):
        yield broken("split", "the held-out side in plan.json is not the one that its split deals")
        return
    if plan.moved is None:
        yield holds("split", f"its settings deal {len(plan.held_out)} of {len(plan.cases)} cases out")
        return
    if is_redacted(run):
        yield not_checked("split", "which cases had been shown: their prompts may be withheld")
        return
    known = known_until(read_exposures(run / EXPOSURES), plan.moved.ledger, run / EXPOSURES)
    wrong = _wrongly_moved(plan, plan.moved, dealt, known)
    if wrong:
        yield broken("split", wrong)
    else:
        yield holds(
            "split", f"{len(plan.moved.cases)} held-out cases are exploratory, as what was shown has it"
        )


def _wrongly_moved(
    plan: Plan, moved: Moved, dealt: frozenset[str], known: tuple[Exposure, ...]
) -> str | None:
    shown = shown_ids(plan.cases, dealt, known)
    if shown != set(moved.shown):
        one = inert(min(shown ^ set(moved.shown)))
        return f"plan.json and the record of exposures differ on whether {one} was shown"
    wanted = must_move(plan.cases, dealt, shown, plan.gold.split)
    if wanted != set(moved.cases):
        one = inert(min(wanted ^ set(moved.cases)))
        return f"plan.json and what was shown differ on whether {one} must be exploratory"
    return None


def exposure_claims(run: Path, documents: RunDocuments, gold: Path | None) -> Iterator[Claim]:
    """Yield whether what the report shows of held-out cases is on record, here and beside the gold set.

    Raises:
        Tampered: A record of exposures is not as it was written, or was cut short.
    """
    report, plan, _, look = documents
    if is_redacted(run) and not (run / EXPOSURES).exists():
        yield not_checked("exposures", f"{EXPOSURES} names prompts by digest, and is not in this copy")
        return
    kept = read_exposures(run / EXPOSURES)
    if look is not None and report.held_out is not None:
        name = file_sha256(run / MANIFEST)
        told = {case.id for each in kept if each.run == name for case in each.cases}
        hidden = [flip.case for flip in report.held_out.flips.cases if flip.case not in told]
        if hidden or not any(each.run == name for each in kept):
            one = inert(hidden[0]) if hidden else "the look"
            yield broken("exposures", f"the report shows {one}, and {EXPOSURES} of the run does not tell")
            return
    folder = gold_folder(run, gold=plan.gold.name, named=gold)
    if folder is None:
        if kept:
            yield not_checked("exposures", "what was shown since; --gold names the gold set's folder")
        return
    read_exposures(folder / EXPOSURES, known_entries=[each.entry for each in kept[-1:]])
    exposures = known_exposures(folder)
    if exposures:
        yield holds("exposures", f"{folder / EXPOSURES}: {len(exposures)}, every known one among them")
