"""The audits in words."""

from typing import NamedTuple

from harness.domain.blocks import IntervalBlock, Rate, Status
from harness.domain.findings import (
    AgreementFinding,
    Audits,
    CanaryFinding,
    CanaryResult,
    EndpointIdentity,
    RepeatabilityFinding,
    RoutingFinding,
)
from harness.domain.fitness import AnswerStability, Stability
from harness.domain.panel_blocks import JudgeBlock, PanelBlock
from harness.domain.specs import JudgeMode
from harness.report import words
from harness.report.bias_lines import bias_lines
from harness.report.judge_audits import (
    FITNESS_STATUS,
    annotator_lines,
    differential_lines,
    drift_lines,
    error_rate_lines,
    fitness_lines,
    shift_line,
    stability_line,
)
from harness.report.panel_lines import judge_lines, panel_lines
from harness.report.segment_lines import routing_time_lines

STATUS_WORDS: dict[str, str] = {"pass": "pass", "fail": "FAIL", "not_audited": "not audited"}


class AuditRow(NamedTuple):
    """One audit: its question, status, numbers, and what it complains about."""

    name: str
    question: str
    status: Status
    lines: tuple[str, ...]
    reasons: tuple[str, ...]


def audit_rows(
    audits: Audits, panel: PanelBlock | None = None, *, judging: JudgeMode | None = None
) -> tuple[AuditRow, ...]:
    """Return the audits in the order a reader asks; of a panel, then each judge's."""
    each = tuple(_of_judge(judge) for judge in panel.judges) if panel else ()
    return (*_of_whoever_decides(audits, panel, judging), *each)


def _of_judge(judge: JudgeBlock) -> AuditRow:
    question = f"What does {judge.name} say alone?"
    status = FITNESS_STATUS[judge.fitness.status]
    # What was audited of no judge is told once, of the panel.
    reasons = judge.fitness.reasons if judge.fitness.status == "unfit" else ()
    return AuditRow(judge.endpoint, question, status, tuple(judge_lines(judge)), reasons)


def _of_whoever_decides(
    audits: Audits, panel: PanelBlock | None, judging: JudgeMode | None
) -> tuple[AuditRow, ...]:
    return (
        AuditRow(
            "judge",
            "Is the panel fit, and do its judges agree?" if panel else "Is the judge fit?",
            FITNESS_STATUS[audits.judge.status],
            (*fitness_lines(audits.judge, who="panel" if panel else "judge"), *panel_lines(panel)),
            (*audits.judge.reasons, *(panel.reasons if panel else ())),
        ),
        AuditRow(
            "canaries",
            "Do the graders catch planted answers, both ways?",
            audits.canaries.status,
            _canaries(audits.canaries),
            audits.canaries.reasons,
        ),
        AuditRow(
            "routing",
            "Did the same models answer from the first call to the last?",
            audits.routing.status,
            _routing(audits.routing),
            audits.routing.reasons,
        ),
        AuditRow(
            "repeatability",
            "Does the judge repeat itself?",
            audits.repeatability.status,
            _repeatability(audits.repeatability),
            audits.repeatability.reasons,
        ),
        AuditRow(
            "human agreement",
            "Does the judge agree with people?",
            audits.human_agreement.status,
            _agreement(audits.human_agreement),
            audits.human_agreement.reasons,
        ),
        AuditRow(
            "bias",
            "Does the judge lean on what should not matter?",
            audits.bias.status,
            bias_lines(audits.bias, judging=judging),
            audits.bias.reasons,
        ),
        AuditRow(
            "differential error",
            "Does the judge err alike on both arms?",
            audits.differential.status,
            differential_lines(audits.differential),
            audits.differential.reasons,
        ),
        AuditRow(
            "drift",
            "Is the judge the one of an earlier run?",
            audits.drift.status,
            drift_lines(audits.drift),
            audits.drift.reasons,
        ),
    )


def canary_line(canary: CanaryResult) -> str:
    """Return what was expected of one canary and what came."""
    found = canary.found or f"no verdict{f' ({canary.reason})' if canary.reason else ''}"
    votes = (
        f", {words.out_of(canary.n_as_expected, canary.n_votes)} votes as expected" if canary.n_votes else ""
    )
    return f"{canary.grader}: expected {canary.expected}, found {found}{votes}"


def _canaries(finding: CanaryFinding) -> tuple[str, ...]:
    if not finding.n_canaries:
        return ()
    return (f"{words.out_of(finding.n_canaries - finding.n_survived, finding.n_canaries)} graded as planted",)


def _routing(finding: RoutingFinding) -> tuple[str, ...]:
    return (*map(_identity, finding.endpoints), *routing_time_lines(finding))


def _identity(endpoint: EndpointIdentity) -> str:
    models = ", ".join(f"{model} ({words.plural(number, 'call')})" for model, number in endpoint.models)
    unnamed = endpoint.n_model_unknown
    unknown = f"; {words.count(unnamed)} without a model id" if unnamed else ""
    changes = f"; {words.plural(endpoint.n_changes, 'change')}" if endpoint.n_changes else ""
    shared = f"; same model as {', '.join(endpoint.shares_model_with)}" if endpoint.shares_model_with else ""
    asked = endpoint.expected_model or endpoint.asked_model
    return f"{endpoint.endpoint}: asked {asked}, answered {models or 'by unknown'}{unknown}{changes}{shared}"


def _repeatability(finding: RepeatabilityFinding) -> tuple[str, ...]:
    size = (f"{words.plural(finding.n_anchors, 'anchor')}, {words.plural(finding.n_votes, 'vote')}",)
    gaps = (f"no verdict: {words.tally(finding.no_verdicts)}",) if finding.no_verdicts else ()
    return (
        gaps
        + (size if finding.n_anchors else ())
        + _rates(
            ("pairs of votes that agree", finding.self_agreement),
            ("anchors with one verdict throughout", finding.unanimous),
            ("early votes against late ones", finding.early_late),
        )
        + ((shift_line(finding.shift),) if finding.shift else ())
        + _on_answers(finding.on_answers)
        + tuple(stability_line(row) for row in _stabilities(finding))
    )


def _on_answers(found: AnswerStability | None) -> tuple[str, ...]:
    if found is None or not found.n_answers:
        return ()
    rates = _rates(
        ("pairs of votes on the arms' answers that agree", found.self_agreement),
        ("answers with one verdict throughout", found.unanimous),
    )
    listed = tuple(f"flips most: {name}: {share:.0%} of pairs agree" for name, share in found.least_stable)
    return (*rates, *listed)


def _stabilities(finding: RepeatabilityFinding) -> tuple[Stability, ...]:
    """Return the flip rates there are; a group without two votes on anything is no line."""
    answers = finding.on_answers
    mine = () if answers is None else (answers.flip_rate, *answers.slices)
    rows = (finding.flip_rate, *finding.slices, *mine)
    return tuple(row for row in rows if row is not None and row.flip_rate is not None)


def _agreement(finding: AgreementFinding) -> tuple[str, ...]:
    if not (finding.n_anchors or finding.n_no_human_label or finding.n_no_judge_label):
        return ()
    size = (
        f"{words.plural(finding.n_anchors, 'anchor')} compared; "
        f"{words.count(finding.n_no_human_label)} without a human label, "
        f"{words.count(finding.n_no_judge_label)} without a judge's"
    )
    rates = _rates(
        ("same label", finding.agreement),
        ("same outcome", finding.pass_agreement),
        ("sensitivity (people pass, judge passes)", finding.sensitivity),
        ("specificity (people fail, judge fails)", finding.specificity),
        ("people among themselves", finding.human_human),
        ("same label where people agree", finding.undisputed),
        ("same label where people differ", finding.disputed),
    )
    exact = tuple(line for row in finding.error_rates for line in error_rate_lines(row))
    return (size, *rates, *exact, *_beyond_chance(finding), *_people(finding))


def _people(finding: AgreementFinding) -> tuple[str, ...]:
    alpha = (
        (f"Krippendorff's alpha of the people {words.plain_number(finding.krippendorff_alpha)}",)
        if finding.krippendorff_alpha is not None
        else ()
    )
    return (*alpha, *(annotator_lines(finding.annotator_test) if finding.annotator_test else ()))


def _beyond_chance(finding: AgreementFinding) -> tuple[str, ...]:
    named = (
        ("kappa", finding.kappa, finding.kappa_interval),
        ("AC1", finding.gwet_ac1, finding.gwet_ac1_interval),
        ("kappa, quadratic weights", finding.kappa_weighted, finding.kappa_weighted_interval),
        ("AC2, quadratic weights", finding.gwet_ac2, finding.gwet_ac2_interval),
    )
    found = tuple(
        f"{name} {words.plain_number(value)}{_coefficient_interval(interval)}"
        for name, value, interval in named
        if value is not None
    )
    if finding.kappa is None and finding.kappa_reason:
        return (f"kappa not estimable: {finding.kappa_reason}", *found)
    return found


def _coefficient_interval(interval: IntervalBlock | None) -> str:
    if interval is None:
        return ""
    low, high = words.plain_number(interval.low), words.plain_number(interval.high)
    level, method = words.level(interval.confidence_level), words.method_name(interval.method)
    return f" ({level} interval {low} to {high}, {method})"


def _rates(*named: tuple[str, Rate | None]) -> tuple[str, ...]:
    return tuple(f"{name}: {words.rate(rate)}" for name, rate in named if rate is not None)
