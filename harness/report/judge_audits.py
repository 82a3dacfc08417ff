"""The verdict on the judge, bias, differential error, drift and the human scale in words."""

from collections.abc import Iterator

from harness.domain.blocks import Status
from harness.domain.fitness import (
    AnnotatorTest,
    CorrectedArm,
    DifferentialFinding,
    DriftFinding,
    EarlyLateShift,
    ErrorRates,
    HumanScaleBlock,
    HumanScaleRow,
    JudgeDrift,
    JudgeFitness,
    ScoreMove,
    Stability,
)
from harness.domain.history import HistoryBlock, TrendBlock
from harness.report import words

FITNESS_WORDS = {"fit": "FIT", "unfit": "UNFIT", "not_audited": "NOT AUDITED"}
FITNESS_STATUS: dict[str, Status] = {"fit": "pass", "unfit": "fail", "not_audited": "not_audited"}
_MOST_FLIPS = 10
_MOST_POINTS = 10


def fitness_lines(judge: JudgeFitness, *, who: str) -> tuple[str, ...]:
    """Return the verdict on ``who``, the judge or the panel, and how each audit stands."""
    if not judge.parts:
        return ()
    parts = ", ".join(
        f"{part.name.replace('_', ' ')} {part.status.replace('_', ' ')}" for part in judge.parts
    )
    return (f"the {who} is {FITNESS_WORDS[judge.status]}", parts)


def stability_line(found: Stability) -> str:
    """Return the flip rate of a group of items."""
    if found.flip_rate is None:
        return f"flip rate, {found.of}: not estimable: {found.reason}"
    size = words.plural(found.n_items, "item")
    return f"flip rate, {found.of}: {found.flip_rate:.3f}{words.bracketed(found.interval)}, {size}"


def shift_line(found: EarlyLateShift) -> str:
    """Return how verdicts moved from the first vote to the last."""
    return (
        f"from first to last vote: {words.count(found.to_pass)} to pass, "
        f"{words.count(found.to_fail)} to fail, of {words.plural(found.n_anchors, 'anchor')} "
        f"(exact McNemar {words.pvalue(found.pvalue)})"
    )


def error_rate_lines(found: ErrorRates) -> Iterator[str]:
    """Yield sensitivity and specificity with both intervals."""
    for name, rate, exact in (
        ("sensitivity", found.sensitivity, found.sensitivity_exact),
        ("specificity", found.specificity, found.specificity_exact),
    ):
        limits = f"; exact {exact.low:.3f} to {exact.high:.3f}" if exact else ""
        yield f"{name}, {found.of}: {words.rate(rate)}{limits}"


def annotator_lines(found: AnnotatorTest) -> Iterator[str]:
    """Yield how the judge does in each person's place."""
    for human in found.humans:
        yield (
            f"in the place of {human.human}: judge agrees {human.judge_agreement:.3f} with the others, "
            f"the person {human.human_agreement:.3f} ({words.plural(human.n_items, 'item')})"
        )
    if found.winning_rate is not None:
        yield f"alternative annotator test: winning rate {found.winning_rate:.2f} (epsilon {found.epsilon:g})"
    elif found.reason:
        yield f"alternative annotator test: {found.reason}"


def differential_lines(finding: DifferentialFinding) -> tuple[str, ...]:
    """Return the judge's difference beside people's."""
    if finding.rectifier is None or finding.judge_difference is None or finding.human_difference is None:
        return ()
    return (
        f"judge {finding.judge_difference:+.3f}, people {finding.human_difference:+.3f}, "
        f"{words.plural(finding.n_cases, 'case')} labelled on both arms",
        f"judge less people {finding.rectifier:+.3f}{words.bracketed(finding.interval)}, "
        f"margin {finding.margin:g}",
    )


def drift_lines(finding: DriftFinding) -> tuple[str, ...]:
    """Return what changed on the same anchors, who answered then and now, and the series."""
    judges = (line for each in finding.judges for line in _of_judge(each))
    return (*_drift(finding), *(history_lines(finding.history) if finding.history else ()), *judges)


def _of_judge(each: JudgeDrift) -> Iterator[str]:
    """Yield how one judge of a panel stands against itself."""
    why = f": {each.finding.reasons[0]}" if each.finding.reasons else ""
    yield f"{each.judge}: {each.finding.verdict.replace('_', ' ')}{why}"
    for line in drift_lines(each.finding):
        yield f"{each.judge}: {line}"


def _drift(finding: DriftFinding) -> Iterator[str]:
    if finding.against is None:
        return
    yield f"against {finding.against}: {finding.verdict.replace('_', ' ')}"
    yield from _flips(finding)
    yield from map(_score, finding.scores)
    for row in finding.compared:
        if row.same is not True:
            same = "unknown" if row.same is None else "changed"
            yield f"{row.endpoint} {row.what} {same}: was {row.then}, is {row.now}"
    if finding.attribution is not None:
        yield f"what moved: {finding.attribution.replace('_', ' ')}"


def _flips(finding: DriftFinding) -> Iterator[str]:
    if finding.flip_share is None:
        return
    yield f"majorities that differ: {words.rate(finding.flip_share)}, tolerance {finding.tolerance:g}"
    yield (
        f"right then and now {finding.both_correct}, only then {finding.only_then_correct}, "
        f"only now {finding.only_now_correct}, never {finding.neither_correct}"
    )
    if finding.outcome_pvalue is not None:
        yield f"{finding.to_pass} anchors went to pass, {finding.to_fail} to fail"
    for flip in finding.flips[:_MOST_FLIPS]:
        yield f"{flip.anchor}: was {flip.then}, is {flip.now}, people {flip.human or 'undecided'}"
    if len(finding.flips) > _MOST_FLIPS:
        yield f"{words.count(len(finding.flips) - _MOST_FLIPS)} more"


def _score(move: ScoreMove) -> str:
    if move.then is None or move.now is None or move.difference is None:
        return f"{move.arm}: scores then and now: not estimable: {move.reason}"
    test = f", {words.pvalue(move.pvalue)}" if move.pvalue is not None else ""
    same = (
        f"; {words.out_of(move.n_other_outcome, move.n_same_text)} answers of the same text graded otherwise"
        if move.n_same_text
        else ""
    )
    return (
        f"{move.arm}: pass rate {move.then:.3f} then, {move.now:.3f} now: {move.difference:+.3f}"
        f"{words.bracketed(move.interval)}{test}, {words.plural(move.n_cases, 'case')}{same}"
    )


def history_lines(history: HistoryBlock) -> Iterator[str]:
    """Yield the latest audits, and what the whole series comes to."""
    if len(history.points) > _MOST_POINTS:
        yield f"{words.count(len(history.points) - _MOST_POINTS)} earlier audits are not shown here"
    for point in history.points[-_MOST_POINTS:]:
        chart = "" if point.highest_cusum is None else f", CUSUM up to {point.highest_cusum:.2f}"
        flips = "" if point.flips is None else f", {words.out_of(point.flips.n, point.flips.of)} flipped"
        yield f"{point.at}: right on {words.rate(point.correct)}{flips}{chart}"
    yield from series_lines(history)


def series_lines(history: HistoryBlock) -> Iterator[str]:
    """Yield the CUSUM with its limit, the slope and the trend."""
    if history.limit is not None and history.run_length_in_control is not None:
        alarm = f"alarm in the audit of {history.first_alarm}" if history.first_alarm else "no alarm"
        yield (
            f"CUSUM limit {history.limit:.2f}, a false alarm in {history.run_length_in_control:.0f} verdicts "
            f"(simulated): {alarm}"
        )
    if history.slope is not None:
        yield f"accuracy changes by {history.slope:+.4f} an audit{words.bracketed(history.slope_interval)}"
    elif history.reason:
        yield f"no slope: {history.reason}"
    if history.trend is not None:
        yield trend_line(history.trend)


def trend_line(trend: TrendBlock) -> str:
    """Return whether accuracy falls over the audits."""
    if trend.pvalue is None:
        return f"slow decay: not audited: {trend.reason}"
    orders = "all" if trend.exact else "random"
    found = "accuracy falls" if trend.verdict == "decay" else "not shown"
    return (
        f"slow decay over {trend.n_audits} audits: {found} ({words.pvalue(trend.pvalue)}, "
        f"one-sided, {words.count(trend.n_orders)} orders of the audits, {orders})"
    )


def human_scale_lines(block: HumanScaleBlock) -> tuple[str, ...]:
    """Return the three rows side by side, and each arm's corrected rate."""
    tuned = (
        ()
        if block.tuning is None or block.effective_n_anchors is None
        else (
            f"weight of the judge (lambda) {block.tuning:.3f}; worth {block.effective_n_anchors:.0f} "
            f"human labels, with {words.count(block.n_anchors)}",
        )
    )
    refused = (block.reason,) if block.reason else ()
    return (*map(_row, block.rows), *tuned, *refused, *map(_arm, block.arms))


def _row(row: HumanScaleRow) -> str:
    name = row.of.replace("_", " ")
    if row.difference is None:
        return f"{name}: no number: {row.reason}"
    return (
        f"{name}: {row.difference:+.4f}{words.bracketed(row.interval)}, {words.plural(row.n_cases, 'case')}"
    )


def _arm(arm: CorrectedArm) -> str:
    apparent = f"{arm.arm}: as judged {words.rate(arm.apparent)}"
    if arm.estimate is None:
        return f"{apparent}; as people would: no number: {arm.reason}"
    cut = ", cut at the end of the scale" if arm.was_cut else ""
    return f"{apparent}; as people would {arm.estimate:.3f}{words.bracketed(arm.interval)}{cut}"
