"""From gates, primary and guardrails to the one sentence that is signed."""

from collections.abc import Sequence
from typing import Literal

from harness.analysis.routing_policy import NOTHING_TO_SAY, RoutingNotes, routing_gate
from harness.analysis.stopping import stop_reasons
from harness.domain.blocks import Status
from harness.domain.cases import ARMS
from harness.domain.estimate_blocks import DecisionVerdict, MajorityBlock, MeanBlock
from harness.domain.findings import Audits
from harness.domain.plan import is_judge
from harness.domain.report import Completeness, Decision, GateBlock, Section
from harness.domain.specs import AnalysisSpec, Gates

Basis = Literal["exploratory", "held_out", "none"]

VERDICT_WORDS: dict[DecisionVerdict, str] = {
    "improvement": "The candidate is better",
    "regression": "The candidate is worse",
    "non_inferior": "The candidate is not worse by as much as the margin",
    "equivalent": "The arms are equivalent within the margin",
    "inconclusive": "The evidence does not tell the arms apart, nor rule a difference out",
    "invalid": "The measurement is not valid",
}


def integrity_gates(audits: Audits, completeness: Completeness, gates: Gates) -> tuple[GateBlock, ...]:
    """Return the gates that come before any number: a run that fails one is invalid."""
    return (
        GateBlock(name="canaries", status=audits.canaries.status, reason="; ".join(audits.canaries.reasons)),
        routing_gate(audits.routing, gates.routing),
        _completeness(completeness, gates),
        GateBlock(
            name="judge_repeatability",
            status=audits.repeatability.status,
            reason="; ".join(audits.repeatability.reasons),
        ),
        GateBlock(
            name="judge_agreement",
            status=audits.human_agreement.status,
            reason="; ".join(audits.human_agreement.reasons),
        ),
        _shared_model(audits, gates),
        *_judge(audits),
    )


def _judge(audits: Audits) -> tuple[GateBlock, ...]:
    """Return the one verdict on the judge as a gate; none where no verdict rests on a judge."""
    judge = audits.judge
    if not judge.needed:
        return ()
    status: Status = "pass" if judge.status == "fit" else "fail" if judge.status == "unfit" else "not_audited"
    return (
        GateBlock(name="judge", status=status, reason=": ".join((judge.status, "; ".join(judge.reasons)))),
    )


def _unaudited_judge(gates: Sequence[GateBlock]) -> list[str]:
    """Return what the sentence must say of a judge that nobody showed to be fit."""
    return [
        "judge_not_audited: nobody has shown that the judge is fit"
        for gate in gates
        if gate.name == "judge" and gate.status == "not_audited"
    ]


def _completeness(completeness: Completeness, gates: Gates) -> GateBlock:
    asked = sum(arm.n_answers_asked for arm in completeness.arms)
    found = sum(arm.n_graded for arm in completeness.arms)
    if asked == 0:
        return GateBlock(name="completeness", status="fail", reason="nothing was asked")
    enough = found >= gates.completeness * asked
    return GateBlock(
        name="completeness",
        status="pass" if enough else "fail",
        reason=f"{found} of {asked} answers are graded, wanted at least {gates.completeness:.0%}",
    )


def _shared_model(audits: Audits, gates: Gates) -> GateBlock:
    judge = [e for e in audits.routing.endpoints if is_judge(e.endpoint)]
    # Two judges of a panel that share a model are a weaker panel, and no arm that grades itself.
    arms = [(each.endpoint, [other for other in each.shares_model_with if other in ARMS]) for each in judge]
    shared = [(name, others) for name, others in arms if others]
    failing = bool(shared) and gates.same_model_as_judge == "fail"
    told = [
        f"{'the judge' if name == 'judge' else name} answers under the same model id as {', '.join(others)}"
        for name, others in shared
    ]
    if audits.bias.same_family:
        who = "the judge" if [each.endpoint for each in judge] == ["judge"] else "a judge of the panel"
        told.append(f"{who} is of the model family of {', '.join(audits.bias.same_family)}")
    return GateBlock(
        name="judge_is_no_arm",
        status="fail" if failing else "pass" if judge else "not_audited",
        reason="; ".join(told),
    )


def decide(
    section: Section | None,
    gates: Sequence[GateBlock],
    spec: AnalysisSpec,
    *,
    basis: Basis,
    n_closed: int,
    routing: RoutingNotes = NOTHING_TO_SAY,
    earlier: Sequence[str] = (),
    design: Sequence[str] = (),
) -> Decision:
    """Decide: integrity gates, then the primary estimate, then guardrails.

    A primary that says "no change" while the other estimand moves for certain
    is inconclusive: neither number may be quoted alone.

    Args:
        section: The numbers of the side of the split that decides.
        gates: The integrity gates.
        spec: The analysis, decided before the data.
        basis: Which side of the split decides.
        n_closed: Held-out cases that were not opened; the sentence says so.
        routing: What the headline says of drift that the plan lets pass.
        earlier: What it says of reports that came before, on other data.
        design: What it says of the plan itself.
    """
    failed = [gate for gate in gates if gate.status == "fail"]
    if section is None or failed:
        reasons = [f"gate_failed: {gate.name}: {gate.reason}".rstrip(": ") for gate in failed]
        reasons += _unaudited_judge(gates)
        all_gates = (*gates, *_not_tested(section))
        return _decision("invalid", basis, reasons or ["nothing was measured"], all_gates, n_closed)
    verdict, reasons = _of_numbers(section, spec, routing.against)
    guardrails = _guardrail_gates(section)
    all_gates = (*gates, _primary_gate(verdict), *guardrails)
    reasons += [f"guardrail_failed: {gate.name}" for gate in guardrails if gate.status != "pass"]
    reasons += [*design, *stop_reasons(section.sequential), *earlier, *routing.told, *_unaudited_judge(gates)]
    return _decision(verdict, basis, reasons, all_gates, n_closed)


def decide_audit(gates: Sequence[GateBlock]) -> Decision:
    """Decide a run that asked no arm: only what the audits found."""
    audited = tuple(gate for gate in gates if gate.name != "completeness")
    failed = [gate for gate in audited if gate.status == "fail"]
    if failed:
        reasons = [f"gate_failed: {gate.name}: {gate.reason}".rstrip(": ") for gate in failed]
        return _decision("invalid", "none", reasons, audited, 0)
    reasons = ["audit_only: the arms were not asked", *_unaudited_judge(gates)]
    return _decision("inconclusive", "none", reasons, audited, 0)


def _of_numbers(
    section: Section, spec: AnalysisSpec, differing: Sequence[str]
) -> tuple[DecisionVerdict, list[str]]:
    verdict = section.primary.verdict
    reasons = list(section.primary.reasons)
    others = (_other_estimand(section, spec, verdict), _other_mix(section, verdict), *differing)
    against = [reason for reason in others if reason]
    if verdict == "inconclusive":
        return verdict, [*reasons, section.planning.information, *against]
    if against:
        return "inconclusive", [*reasons, *against]
    return verdict, reasons


def _other_estimand(section: Section, spec: AnalysisSpec, verdict: DecisionVerdict) -> str | None:
    """Return how the estimand that is not primary moves, if it contradicts the verdict for certain."""
    block: MajorityBlock | MeanBlock
    if section.primary.estimand == "majority":
        name, mine, block = "mean", "majority", section.mean
        pvalues = (section.mean.pvalue, section.mean.pvalue_permutation)
    else:
        name, mine, block = "majority", "mean", section.majority
        pvalues = (section.majority.pvalue, None)
    difference, interval = block.difference, block.interval
    known = [pvalue for pvalue in pvalues if pvalue is not None]
    if not difference or not known or min(known) >= spec.alpha:
        return None
    if (verdict == "improvement" and difference > 0) or (verdict == "regression" and difference < 0):
        return None
    small = interval is not None and -spec.margin < interval.low and interval.high < spec.margin
    if verdict in ("equivalent", "non_inferior") and small:
        return None
    return f"the_{name}_moves: {_points(difference)} although the {mine} does not"


def _other_mix(section: Section, verdict: DecisionVerdict) -> str | None:
    """Return how the verdict changes at the plan's weights, where it does: no mix may be quoted alone."""
    population = section.population
    if population is None or population.weighted_by is None or population.verdict == verdict:
        return None
    if population.difference is None:
        return f"the_plan's_weights_give_no_number: {population.reason}"
    if population.verdict is None:
        return f"the_plan's_weights_give_no_interval: {population.reason}"
    return f"the_mix_decides: {population.verdict}, {_points(population.difference)} at the plan's weights"


def _not_tested(section: Section | None) -> tuple[GateBlock, ...]:
    """Return the gates behind one that failed: nothing is claimed of them."""
    names = ["primary", *(f"guardrail: {block.name}" for block in (section.guardrails if section else ()))]
    return tuple(
        GateBlock(name=name, status="not_audited", reason="not tested: a gate before it failed")
        for name in names
    )


def _guardrail_gates(section: Section) -> tuple[GateBlock, ...]:
    return tuple(
        GateBlock(
            name=f"guardrail: {block.name}",
            status="pass" if block.status == "pass" else "fail",
            reason=block.reason or "",
        )
        for block in section.guardrails
    )


def _primary_gate(verdict: DecisionVerdict) -> GateBlock:
    return GateBlock(
        name="primary",
        status="fail" if verdict == "regression" else "not_audited" if verdict == "inconclusive" else "pass",
        reason=verdict,
    )


def _decision(
    verdict: DecisionVerdict, basis: Basis, reasons: Sequence[str], gates: Sequence[GateBlock], n_closed: int
) -> Decision:
    where = f" on the exploratory cases, with {n_closed} held-out cases not opened" if n_closed else ""
    because = f" ({'; '.join(reasons)})" if reasons else ""
    return Decision(
        verdict=verdict,
        basis=basis,
        sentence=f"{VERDICT_WORDS[verdict]}{where}{because}.",
        reasons=tuple(reasons),
        gates=tuple(gates),
    )


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f} points"
