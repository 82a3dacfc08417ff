"""One arm of a sealed run as a results file, for `harness compare`."""

from collections.abc import Iterator
from pathlib import Path

from harness.cli.exposing import opened_look
from harness.cli.sequential import EARLY, follow
from harness.domain.canonical import digest
from harness.domain.cases import Arm
from harness.domain.errors import InputError
from harness.domain.manifest import Models
from harness.domain.plan import Look, Plan
from harness.graders.reading import read_run
from harness.importers.results import ResultCase, ResultFile
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.run_dir import read_plan


def run_results(run: Path, arm: Arm) -> ResultFile:
    """Return what one arm of a run came to; held-out cases only where a look opened them."""
    plan, manifest = read_plan(run), read_manifest(run)
    if plan.is_pairwise:
        raise InputError(f"{run}@{arm}: was judged in pairs, and one arm's preferences are no results alone")
    followed = follow(plan, read_run(plan, read_evidence(run), read_timings(run)))
    reading, stop = followed.reading, followed.block
    look = opened_look(run, gold=None)
    shown = [case for case in reading.cases if look or case.split == "exploratory"]
    n_hidden = len(reading.cases) - len(shown)
    cases = tuple(
        ResultCase(
            id=case.case,
            cluster=case.cluster,
            tags=case.tags,
            weight=case.weight,
            split="exploratory",
            answers=case.baseline if arm == "baseline" else case.candidate,
        )
        for case in shown
    )
    judged_by = manifest.returned_models
    return ResultFile(
        path=f"{run.name}@{arm}",
        sha256=manifest.evidence_sha256,
        n_rows=sum(len(case.answers) for case in cases),
        repeats=tuple(range(plan.experiment.repeats.answers)),
        n_skipped=0,
        n_flagged=0,
        cases=cases,
        notes=(
            *([EARLY] if stop is not None and stop.ended == "evidence" else []),
            *([f"{n_hidden} held-out cases are closed and left out"] if n_hidden else []),
            *_opened(plan, look),
            "judged by " + (_models(plan, judged_by) or "checks or an unknown model"),
        ),
    )


def _opened(plan: Plan, look: Look | None) -> Iterator[str]:
    """Yield that a comparison of cases which a look has opened is another one, which no look counts."""
    if look is not None:
        yield (
            f"{len(plan.held_out)} cases were held out and opened by look {look.number} of {look.gold}: "
            "no look counts this pairing, so the result is exploratory"
        )


def refuse_other_judge(first: Path | None, second: Path | None) -> None:
    """Refuse to compare two runs that were not judged alike.

    Raises:
        InputError: The judge's spec, its prompt, or the model that answered for
            it differs: their verdicts are not on one scale.
    """
    if first is None or second is None:
        return
    was, now = _judge(first), _judge(second)
    for what in was:
        if was[what] != now[what]:
            raise InputError(f"not comparable: {what} is {was[what]} in {first} and {now[what]} in {second}")


def _judge(run: Path) -> dict[str, str]:
    """Return what is known of who judged a run: of a panel, of all its judges, in their order."""
    plan = read_plan(run)
    specs = [judge.spec for judge in plan.judges]
    return {
        "the judge": ", ".join(f"{spec.name} version {spec.version}" for spec in specs) or "none",
        "the judge's prompt": ", ".join(spec.prompt_sha256[:16] for spec in specs) or "none",
        "the judge's spec": ", ".join(digest(spec)[:16] for spec in specs) or "none",
        "the judge's model": _models(plan, read_manifest(run).returned_models) or "unknown",
    }


def _models(plan: Plan, returned: Models) -> str:
    found = dict(returned)
    return ", ".join(model for judge in plan.judges for model in found.get(judge.endpoint, ()))
