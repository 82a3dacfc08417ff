"""The judges of a panel in words: how they agree, and what each would say alone."""

from collections.abc import Iterator

from harness.domain.blocks import IntervalBlock
from harness.domain.panel_blocks import JudgeBlock, JudgedArm, PanelBlock, PanelEstimate
from harness.report import words
from harness.report.judge_audits import fitness_lines
from harness.report.rows import estimate_row, n_text, sentence


def panel_lines(panel: PanelBlock | None) -> tuple[str, ...]:
    """Return how far the judges agree on the answers; nothing where there is no panel."""
    if panel is None:
        return ()
    shown = f"of {words.plural(panel.n_answers, 'answer')} that the judges were shown"
    counts = (
        f"{len(panel.judges)} judges: all agree on {words.count(panel.n_unanimous)} {shown}, "
        f"no majority on {words.count(panel.n_no_majority)}"
    )
    return (counts, _alpha(panel))


def _alpha(panel: PanelBlock) -> str:
    if panel.alpha is None:
        return f"Krippendorff's alpha of the judges: not estimable: {panel.alpha_reason}"
    found = f"Krippendorff's alpha of the judges {words.plain_number(panel.alpha)}"
    if panel.alpha_interval is None:
        return f"{found}, no interval: {panel.alpha_reason}"
    return found + _limits(panel.alpha_interval)


def _limits(interval: IntervalBlock) -> str:
    low, high = words.plain_number(interval.low), words.plain_number(interval.high)
    level, method = words.level(interval.confidence_level), words.method_name(interval.method)
    return f" ({level} interval {low} to {high}, {method})"


def judge_lines(judge: JudgeBlock) -> Iterator[str]:
    """Yield what one judge says: its counts on each arm, the difference alone and that without it."""
    yield from fitness_lines(judge.fitness, who=f"judge {judge.name}")
    for arm in judge.arms:
        yield _arm(arm)
    yield _estimate("alone", judge.alone)
    yield _estimate("the panel without it", judge.without)
    canaries = judge.canaries
    if canaries.n_canaries:
        kept = words.out_of(canaries.n_canaries - canaries.n_survived, canaries.n_canaries)
        yield f"canaries: {kept} graded as planted"
    for name, rate in (
        ("pairs of its votes that agree", judge.repeatability.self_agreement),
        ("same outcome as people", judge.human_agreement.pass_agreement),
        ("sensitivity", judge.human_agreement.sensitivity),
        ("specificity", judge.human_agreement.specificity),
    ):
        if rate is not None:
            yield f"{name}: {words.rate(rate)}"


def _arm(arm: JudgedArm) -> str:
    silent = f"; no verdict: {words.tally(arm.no_verdict)}" if arm.no_verdict else ""
    return (
        f"{arm.arm}: passes {words.count(arm.n_pass)} and fails {words.count(arm.n_fail)} "
        f"of {words.plural(arm.n_answers, 'answer')}{silent}"
    )


def _estimate(label: str, found: PanelEstimate) -> str:
    row = estimate_row(
        "primary",
        label,
        found.difference,
        found.interval,
        n=n_text(found.n_cases),
        cases=found.n_cases,
        reason=found.reason,
    )
    moved = "" if found.change is None else f"; {words.points(found.change, 1)} points from the panel's"
    return f"{label}: {sentence(row)}: {found.verdict.replace('_', ' ')}{moved}"
