"""From a plan and a run, read, to the report: pure rooms, wired."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

from harness.analysis import analyse, answerers, decide, decide_audit, integrity_gates, routing_notes
from harness.audits import (
    count_completeness,
    human_scale,
)
from harness.cli.look_report import look_notes, released
from harness.cli.panel import audit_run
from harness.cli.panel_block import Side, panel_block
from harness.cli.repeats import compared_pairs, costs, judge_votes
from harness.cli.rules import methods, rules_of
from harness.cli.sequential import NOTE, follow
from harness.cli.split_notes import exposure_block, split_notes
from harness.domain.body import public_address
from harness.domain.cases import Split
from harness.domain.earlier import EarlierReport, told_of
from harness.domain.fitness import DriftFinding
from harness.domain.manifest import Manifest, Reading
from harness.domain.plan import Look, Plan
from harness.domain.report import EndpointBlock, InputBlock, PlanBlock, Provenance, Report, RunBlock
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult
from harness.graders.panel import SeenRun
from harness.runner.requests import n_calls_planned

_SEEN_BEFORE = "These arms were reported on before, with other data: the exploratory part is a second one."


_SAME_ARM = "same_arm: an A/A run, so a difference is chance or a fault of the measurement"


class Concluded(NamedTuple):
    """Everything a report of a run is made from."""

    plan: Plan
    kind: Literal["run", "audit", "aa"]
    manifest: Manifest
    reading: Reading
    provenance: Provenance
    look: Look | None
    drift: DriftFinding | None = None
    earlier: tuple[EarlierReport, ...] = ()


def conclude(run: Concluded) -> Report:
    """Return the report of a run: of its held-out cases only what a look has released."""
    report = _conclude(run)
    if run.look is None:
        return report
    shown = report if run.look.shows_numbers else _conclude(run._replace(look=None))
    decision = released(report.decision, run.plan, run.look)
    return shown.model_copy(update={"decision": decision, "notes": report.notes})


def _conclude(run: Concluded) -> Report:
    plan, reading, anytime, stop = follow(run.plan, run.reading)
    spec = plan.experiment.analysis
    seen = SeenRun(plan, reading)
    audits, judges = audit_run(seen, run.drift)
    completeness = count_completeness(
        plan,
        reading,
        n_calls_planned=n_calls_planned(plan).total,
        n_calls_answered=run.manifest.n_records - run.manifest.n_failed,
        opened=run.look is not None,
    )
    who = answerers(reading.identities)
    numbers = partial(
        analyse,
        spec=spec,
        who=who,
        judged=judge_votes(*seen.rounds),
        costs=costs(plan, reading),
        pairs=compared_pairs(plan, reading),
    )
    exploratory = numbers(_side(reading.cases, "exploratory"), anytime=anytime)
    exploratory = exploratory.model_copy(update={"sequential": stop})
    spent = _spent(spec, run.look)
    held_out = numbers(_side(reading.cases, "held_out"), spec=spent) if run.look else None
    gates = integrity_gates(audits, completeness, plan.experiment.gates)
    return Report(
        run=_run_block(run),
        plan=_plan_block(run),
        inputs=tuple(InputBlock(path=item.path, sha256=item.sha256) for item in plan.inputs),
        endpoints=tuple(_endpoint(plan, name) for name in plan.endpoint_names),
        completeness=completeness,
        audits=audits,
        exploratory=exploratory,
        held_out=held_out,
        human_scale=human_scale(*seen.whole, side="held_out" if held_out else "exploratory"),
        panel=panel_block(
            seen,
            judges,
            Side("held_out", held_out, spent, None)
            if held_out
            else Side("exploratory", exploratory, spec, anytime),
        ),
        decision=decide_audit(gates)
        if run.kind == "audit"
        else decide(
            held_out or exploratory,
            gates,
            spent if held_out else spec,
            basis="held_out" if held_out else "exploratory",
            n_closed=0 if held_out else len(run.plan.held_out),
            routing=routing_notes(
                audits.routing,
                plan.experiment.gates.routing,
                (held_out or exploratory).segments,
                alpha=spec.alpha,
            ),
            earlier=() if held_out else told_of(run.earlier),
            design=(_SAME_ARM,) if plan.has_one_arm else (),
        ),
        methods=methods(rules_of(plan)),
        notes=_notes(run),
        provenance=run.provenance,
    )


def _spent(spec: AnalysisSpec, look: Look | None) -> AnalysisSpec:
    """Return the analysis at the share of alpha that a look may spend."""
    return spec if look is None or look.alpha is None else spec.model_copy(update={"alpha": look.alpha})


def _side(cases: Sequence[CaseResult], split: Split) -> list[CaseResult]:
    return [case for case in cases if case.split == split]


def _run_block(run: Concluded) -> RunBlock:
    manifest, usage = run.manifest, run.reading.usage
    return RunBlock(
        name=run.plan.experiment.name,
        kind=run.kind,
        started_at=manifest.started_at,
        finished_at=manifest.finished_at,
        n_attempts=manifest.n_attempts,
        n_calls=manifest.n_calls,
        n_reused=manifest.n_reused,
        prompt_tokens=sum(item.prompt_tokens for item in usage),
        completion_tokens=sum(item.completion_tokens for item in usage),
        n_usage_unknown=sum(item.n_unknown for item in usage),
        cost=_cost(run),
        currency=run.plan.experiment.budget.currency,
        evidence_sha256=manifest.evidence_sha256,
        timings_sha256=manifest.timings_sha256,
        earlier=run.earlier,
    )


def _cost(run: Concluded) -> float | None:
    """Return what the responses cost; null where a price or a count of tokens is unknown."""
    total = 0.0
    for item in run.reading.usage:
        price = run.plan.endpoint(item.endpoint).price
        if item.n_responses and (price is None or item.n_unknown):
            return None
        if price is not None:
            total += item.prompt_tokens * price.prompt + item.completion_tokens * price.completion
    return total / 1e6


def _plan_block(run: Concluded) -> PlanBlock:
    experiment, plan = run.plan.experiment, run.plan
    return PlanBlock(
        sha256=run.manifest.plan_sha256,
        locked=run.manifest.locked,
        estimand=experiment.analysis.estimand,
        alpha=experiment.analysis.alpha,
        margin=experiment.analysis.margin,
        answers=experiment.repeats.answers,
        votes=experiment.repeats.votes,
        judging=plan.judges[0].spec.mode if plan.judges else None,
        seed=experiment.analysis.seed,
        n_cases=len(plan.cases),
        n_exploratory=len(plan.cases) - len(plan.held_out),
        n_held_out=len(plan.held_out),
        n_clusters=len({case.group for case in plan.cases}),
        exposure=exposure_block(plan),
    )


def _endpoint(plan: Plan, name: str) -> EndpointBlock:
    spec = plan.endpoint(name)
    return EndpointBlock(
        endpoint=name,
        backend=spec.backend,
        model=spec.model,
        address=public_address(spec.base_url),
        sampling=spec.sampling,
    )


# A clock that is kept right is slewed by far less while a run lasts.
_CLOCK_MOVED_MS = 1000


def _notes(run: Concluded) -> tuple[str, ...]:
    notes = []
    if not run.manifest.locked:
        notes.append("The plan was not locked before the run: its results are exploratory whatever they say.")
    notes += split_notes(run.plan)
    if run.manifest.stopped:
        notes.append(f"The run stopped early: {run.manifest.stopped}")
    if run.earlier:
        notes.append(_SEEN_BEFORE)
    if run.plan.experiment.sequential and run.kind == "run":
        notes.append(NOTE)
    if run.plan.has_one_arm:
        alpha = run.plan.experiment.analysis.alpha
        notes.append(
            f"Both arms are one (A/A): at most {alpha:.0%} of such runs should end as improvement or "
            "regression."
        )
    moved = run.provenance.clock_moved_ms
    if moved is not None and abs(moved) > _CLOCK_MOVED_MS:
        notes.append(
            f"The clock was moved by {moved / 1000:g} s while calls were made: their times may be wrong."
        )
    if run.manifest.n_failed:
        notes.append(f"{run.manifest.n_failed} calls failed; running again asks them again.")
    if any(run.plan.endpoint(name).backend == "recorded" for name in run.plan.endpoint_names):
        notes.append("At least one endpoint replays recorded replies; nothing was sent to it.")
    if run.look:
        notes += look_notes(run.plan, run.look)
    return tuple(notes)
