"""`harness compare`: two existing per-case results, paired, analysed and reported like a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from harness.analysis import analyse, decide, exit_code
from harness.cli.exposing import expose
from harness.cli.output import put, say
from harness.cli.provenance import provenance
from harness.cli.rules import methods
from harness.cli.run_results import refuse_other_judge, run_results
from harness.domain.canonical import digest
from harness.domain.cases import ARMS, Arm
from harness.domain.errors import InputError
from harness.domain.findings import (
    AgreementFinding,
    Audits,
    BiasFinding,
    CanaryFinding,
    RepeatabilityFinding,
    RoutingFinding,
)
from harness.domain.report import (
    ArmCompleteness,
    Completeness,
    GateBlock,
    InputBlock,
    PlanBlock,
    Report,
    RunBlock,
    Section,
)
from harness.domain.specs import AnalysisSpec, Estimand
from harness.domain.verdicts import CaseResult, Graded
from harness.importers.pairing import Pairing, pair_results
from harness.importers.results import ResultFile, read_results
from harness.report.document import report_bytes
from harness.report.page import page
from harness.report.terminal import terminal_summary
from harness.store.run_dir import read_plan

_FROM_FILES = "results were read from files: nothing was asked, so there is nothing to audit"


def compare(
    *,
    baseline: Path,
    candidate: Path,
    margin: float,
    alpha: float,
    estimand: Estimand,
    measure: Literal["pass", "score"],
    pass_at: float | None,
    metric: str | None,
    questions_differ: bool,
    slices: Sequence[str],
    seed: int,
    coverage: float,
    html: Path | None,
    as_json: bool,
) -> int:
    """Compare, print, and return the exit code of the decision."""
    refuse_other_judge(run_directory(baseline), run_directory(candidate))
    first, second = (read_side(side, pass_at, metric) for side in (baseline, candidate))
    pairing = pair_results(baseline=first, candidate=second, other_questions=questions_differ)
    tags = {tag for case in pairing.cases for tag in case.tags}
    unknown = [tag for tag in slices if tag not in tags]
    if unknown:
        raise InputError(
            f"--slice: found {unknown[0]!r}, wanted a tag of the files: "
            + (", ".join(sorted(tags)) or "they have none")
        )
    spec = AnalysisSpec(
        estimand=estimand, primary=measure, alpha=alpha, margin=margin, slices=tuple(slices), seed=seed
    )
    report = compare_report(first, second, pairing, spec, coverage=coverage)
    _expose_flips(report, (run_directory(baseline), run_directory(candidate)))
    say(pairing.notes[0])
    put(report_bytes(report).decode("utf-8") if as_json else terminal_summary(report))
    if html is not None:
        html.write_text(page(report), encoding="utf-8")
    return exit_code(report.decision)


def _expose_flips(report: Report, runs: Sequence[Path | None]) -> None:
    """Record the held-out cases of runs that the comparison names, before anybody sees it."""
    flips = frozenset(flip.case for flip in report.exploratory.flips.cases) if report.exploratory else ()
    for run in runs:
        if run is not None:
            expose(run, read_plan(run), flips, shown_by="compare", gold=None)


def compare_report(
    first: ResultFile, second: ResultFile, pairing: Pairing, spec: AnalysisSpec, *, coverage: float
) -> Report:
    """Return the report of two results files.

    Below the coverage asked for, no figure is given at all: a handful of
    shared cases is another population than either file's.
    """
    shown = [case for case in pairing.cases if case.split == "exploratory"]
    gate = _coverage_gate(pairing, coverage)
    section = analyse(shown, spec) if gate.status == "pass" else _no_figures(spec, gate.reason)
    inputs = tuple(InputBlock(path=file.path, sha256=file.sha256) for file in (first, second))
    n_hidden = len(pairing.cases) - len(shown)
    return Report(
        run=_run_block(first, second),
        plan=_plan_block(
            pairing, shown, spec, inputs, answers=max(len(first.repeats), len(second.repeats), 1)
        ),
        inputs=inputs,
        endpoints=(),
        completeness=_completeness(pairing, shown),
        audits=_not_audited(),
        exploratory=section,
        held_out=None,
        human_scale=None,
        decision=decide(section, (gate,), spec, basis="exploratory", n_closed=n_hidden),
        methods=methods(),
        notes=(
            *pairing.notes,
            *([f"{n_hidden} held-out cases of the files are in no number"] if n_hidden else []),
            "The analysis was chosen on the command line: nothing shows that it was chosen before the data.",
        ),
        provenance=provenance(Path()),
    )


def read_side(path: Path, pass_at: float | None, metric: str | None) -> ResultFile:
    """Read one side: a results file, an arm of a run, or a column of a log.

    An arm is named as ``RUN@candidate``, a column as ``LOG@NAME``.
    """
    name, _, arm = str(path).partition("@")
    if Path(name).is_dir():
        if arm not in ("", *ARMS):
            raise InputError(f"{path}: found {arm!r} behind the @, wanted baseline or candidate")
        return run_results(Path(name), "baseline" if arm == "baseline" else "candidate")
    if path.exists() or not Path(name).is_file():
        return read_results(path, pass_at=pass_at, metric=metric)
    return read_results(Path(name), pass_at=pass_at, metric=metric, column=arm)


def run_directory(path: Path) -> Path | None:
    """Return the run directory that the argument names; null where it names a file."""
    found = Path(str(path).partition("@")[0])
    return found if found.is_dir() else None


def _coverage_gate(pairing: Pairing, coverage: float) -> GateBlock:
    n_all = len(pairing.cases)
    n_graded = sum(_has_verdict(case.baseline) and _has_verdict(case.candidate) for case in pairing.cases)
    return GateBlock(
        name="completeness",
        status="pass" if n_graded and n_graded >= coverage * n_all else "fail",
        reason=f"{n_graded} of {n_all} cases have a verdict in both files, wanted at least {coverage:.0%}",
    )


def _has_verdict(answers: Sequence[Graded]) -> bool:
    return any(answer.outcome is not None or answer.score is not None for answer in answers)


def _no_figures(spec: AnalysisSpec, why: str) -> Section:
    """Return a section without a figure, which says why there is none."""
    section, reason = analyse([], spec), {"reason": f"not computed: {why}"}
    return section.model_copy(
        update={
            "primary": section.primary.model_copy(update=reason),
            "majority": section.majority.model_copy(update=reason),
            "mean": section.mean.model_copy(update=reason),
        }
    )


def _run_block(first: ResultFile, second: ResultFile) -> RunBlock:
    return RunBlock(
        name=f"{Path(first.path).name} against {Path(second.path).name}",
        kind="compare",
        started_at=None,
        finished_at=None,
        n_attempts=0,
        n_calls=0,
        n_reused=0,
        prompt_tokens=0,
        completion_tokens=0,
        n_usage_unknown=0,
        cost=None,
        currency=None,
        evidence_sha256=None,
        timings_sha256=None,
    )


def _plan_block(
    pairing: Pairing,
    shown: Sequence[CaseResult],
    spec: AnalysisSpec,
    inputs: Sequence[InputBlock],
    *,
    answers: int,
) -> PlanBlock:
    settings = {"analysis": spec.model_dump(mode="json"), "inputs": [item.sha256 for item in inputs]}
    return PlanBlock(
        sha256=digest(settings),
        locked=False,
        estimand=spec.estimand,
        alpha=spec.alpha,
        margin=spec.margin,
        answers=answers,
        votes=0,
        seed=spec.seed,
        n_cases=len(pairing.cases),
        n_exploratory=len(shown),
        n_held_out=len(pairing.cases) - len(shown),
        n_clusters=len({case.cluster for case in pairing.cases}),
    )


def _completeness(pairing: Pairing, shown: Sequence[CaseResult]) -> Completeness:
    only = (*pairing.only_in_baseline, *pairing.only_in_candidate)
    return Completeness(
        n_calls_planned=0,
        n_calls_answered=0,
        n_cases_not_counted=len(pairing.cases) - len(shown),
        arms=tuple(_arm(shown, arm) for arm in ARMS),
        unpaired_cases=only,
        warnings=(),
    )


def _arm(cases: Sequence[CaseResult], arm: Arm) -> ArmCompleteness:
    answers = [
        answer for case in cases for answer in (case.baseline if arm == "baseline" else case.candidate)
    ]
    reasons = [answer.reason for answer in answers if answer.reason is not None]
    return ArmCompleteness(
        arm=arm,
        n_cases=len(cases),
        n_answers_asked=len(answers),
        n_answers=len(answers) - reasons.count("not_run"),
        n_votes_asked=0,
        n_votes=0,
        n_graded=len(answers) - len(reasons),
        answers_missing=tuple((reason, reasons.count(reason)) for reason in sorted(set(reasons))),
    )


def _not_audited() -> Audits:
    reasons = (_FROM_FILES,)
    return Audits(
        canaries=CanaryFinding(status="not_audited", n_canaries=0, n_survived=0, reasons=reasons),
        routing=RoutingFinding(status="not_audited", policy="fail", reasons=reasons),
        repeatability=RepeatabilityFinding(status="not_audited", n_anchors=0, n_votes=0, reasons=reasons),
        human_agreement=AgreementFinding(
            status="not_audited", n_anchors=0, n_no_human_label=0, n_no_judge_label=0, reasons=reasons
        ),
        bias=BiasFinding(status="not_audited", reasons=reasons),
    )
