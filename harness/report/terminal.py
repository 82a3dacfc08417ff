"""The terminal summary: plain text that leads with the interval."""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from harness.domain.report import Report, Section
from harness.report import words
from harness.report.audits import STATUS_WORDS, audit_rows, canary_line
from harness.report.estimates import (
    estimate_rows,
    lead,
    n_cases,
    segment_rows,
)
from harness.report.findings import (
    flaky_lines,
    further_reasons,
    how_closed,
    missing_rows,
    not_counted,
    planning_lines,
    run_line,
    section_missing,
    top_flips,
    votes_text,
)
from harness.report.further import further
from harness.report.inert import inert, name, width
from harness.report.judge_audits import human_scale_lines
from harness.report.preferences import flip_counts, outcome_table, unsettled_name
from harness.report.rows import EstimateRow, sentence

COLUMNS = 96
_TOP_FLIPS = 10
_TOP_NAMES = 5
_LABEL = 22


def terminal_summary(report: Report) -> str:
    """Return the report in plain text, at most 96 columns wide, without colour.

    The first line is the decision, the second the estimate it rests on with
    interval, method and n. Nothing in it can move a cursor or turn a text.
    """
    blocks = [
        list(_lead(report)),
        list(_missing(report)),
        list(_section("Exploratory cases", report.exploratory)),
        list(_held_out(report)),
        list(_audits(report)),
        list(_gates(report)),
        list(_run(report)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _lead(report: Report) -> Iterator[str]:
    primary, estimand, reading = lead(report)
    yield from _wrapped(report.decision.sentence)
    subject = "difference " if primary.interval else "difference: "
    yield from _wrapped(subject + sentence(primary))
    yield from _wrapped("; ".join(part for part in (primary.pvalues, primary.remark) if part))
    side = {"exploratory": "exploratory cases", "held_out": "held-out cases", "none": "no cases"}
    yield from _wrapped(
        f"verdict {report.decision.verdict}, from {side[report.decision.basis]}; "
        f"primary estimand {estimand}, candidate minus baseline" + (f"; {reading}" if reading else "")
    )
    for reason in further_reasons(report.decision):
        yield from _wrapped(f"reason: {reason}")


def _missing(report: Report) -> Iterator[str]:
    completeness = report.completeness
    if not (completeness.arms or completeness.unpaired_cases or completeness.warnings):
        return
    yield "Without a verdict, before any verdict is counted"
    for row in missing_rows(completeness):
        yield from _labelled(
            row.arm, f"{row.without}; graded {row.graded}; answers came {row.answers}, votes {row.votes}"
        )
    if completeness.unpaired_cases:
        shown = ", ".join(name(case) for case in completeness.unpaired_cases[:_TOP_NAMES])
        more = ", …" if len(completeness.unpaired_cases) > _TOP_NAMES else ""
        number = words.plural(len(completeness.unpaired_cases), "case")
        yield from _labelled("in one arm only", f"{number}: {shown}{more}")
    for warning in completeness.warnings:
        yield from _labelled("warning", warning)
    if not_counted(report):
        yield from _labelled("held out", not_counted(report))


def _section(title: str, section: Section) -> Iterator[str]:
    yield f"{title}: {n_cases(section):,}"
    for line in section_missing(section):
        yield from _wrapped(line, indent=2)
    yield from _table(section)
    for row in estimate_rows(section)[1:]:
        yield from _estimate(row)
    yield from _segments(section)
    yield from _listed("flaky cases", flaky_lines(section.flaky, n_cases=n_cases(section)))
    yield from _flips(section)
    yield from _listed("planning", planning_lines(section.planning, n_cases=n_cases(section)))
    for title, lines in further(section):
        yield from _listed(title, lines)


def _table(section: Section) -> Iterator[str]:
    yield f"  {unsettled_name(section)}: {section.majority.no_majority:,}"
    for cells in outcome_table(section):
        yield f"  {cells[0]:<16}" + "".join(f"  {cell:>18}" for cell in cells[1:])


def _estimate(row: EstimateRow) -> Iterator[str]:
    parts = [part for part in (sentence(row), row.pvalues, row.remark) if part]
    kind = "" if row.kind in ("majority", "mean") else f"{row.kind} "
    yield from _listed(f"{kind}{name(row.label)}", parts)


def _segments(section: Section) -> Iterator[str]:
    if len(section.segments.segments) < 2:
        return
    for row in segment_rows(section):
        yield from _labelled("segment", f"{name(row.label, limit=160)}: {sentence(row)}; {row.remark}")


def _flips(section: Section) -> Iterator[str]:
    flips = section.flips
    busiest = sorted(flips.by_tag, key=lambda tag: -(tag.gain + tag.loss))[:_TOP_NAMES]
    for tag in busiest:
        if tag.gain + tag.loss:
            yield from _labelled(
                f"tag {name(tag.tag)}", f"gain {tag.gain:,}, loss {tag.loss:,} in {tag.n_cases:,} cases"
            )
    for flip in top_flips(flips.cases, most=_TOP_FLIPS):
        tags = f"; {', '.join(name(tag) for tag in flip.tags)}" if flip.tags else ""
        counts = flip_counts(
            section, baseline=flip.baseline_passes, candidate=flip.candidate_passes, of=flip.of
        )
        yield from _labelled(flip.direction, f"{name(flip.case)}: {counts}{tags}")
    if len(flips.cases) > _TOP_FLIPS:
        yield from _labelled("", f"and {len(flips.cases) - _TOP_FLIPS:,} more flips in report.json")


def _held_out(report: Report) -> Iterator[str]:
    if report.held_out is not None:
        yield from _section("Held-out cases", report.held_out)
    elif report.plan.n_held_out:
        yield f"Held-out cases: {report.plan.n_held_out:,}, {how_closed(report)}; they are in no number above"


def _audits(report: Report) -> Iterator[str]:
    yield "Audits"
    for audit in audit_rows(report.audits, report.panel, judging=report.plan.judging):
        reasons = (f"reason: {reason}" for reason in audit.reasons)
        yield from _listed(audit.name, (STATUS_WORDS[audit.status], *audit.lines, *reasons))
    if report.human_scale is not None:
        yield from _listed("human scale", human_scale_lines(report.human_scale))
    for canary in report.audits.canaries.canaries:
        if canary.survived:
            yield from _labelled("surviving canary", f"{name(canary.id)}: {canary_line(canary)}")


def _gates(report: Report) -> Iterator[str]:
    if not report.decision.gates:
        return
    yield "Gates"
    for gate in report.decision.gates:
        reason = f": {gate.reason}" if gate.reason else ""
        yield from _labelled(name(gate.name), f"{STATUS_WORDS[gate.status]}{reason}")


def _run(report: Report) -> Iterator[str]:
    plan = report.plan
    yield from _wrapped(f"{report.run.kind.capitalize()} {name(report.run.name)}")
    yield from _labelled(
        "plan",
        f"{plan.sha256[:12]}, {'locked' if plan.locked else 'not locked'}: {plan.n_exploratory:,} "
        f"exploratory and {plan.n_held_out:,} held-out cases, "
        f"{words.plural(plan.answers, 'answer')} an arm, {votes_text(plan)}",
    )
    yield from _labelled("calls", run_line(report))
    for note in report.notes:
        yield from _labelled("note", note)


def _labelled(label: str, text: str) -> Iterator[str]:
    """Yield a label and its text, the text's further lines set in under it."""
    padded = f"  {label}{' ' * max(0, _LABEL - width(label))}  "
    lines = _wrapped(text, indent=_LABEL + 4)
    if width(label) > _LABEL:
        yield from _wrapped(label, indent=2)
        yield from lines
        return
    first, *rest = list(lines) or [""]
    yield (padded + first.strip()).rstrip()
    yield from rest


def _listed(label: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the label beside the first line, the others under it."""
    for number, line in enumerate(lines):
        yield from _labelled("" if number else label, line)


def _wrapped(text: str, *, indent: int = 0) -> Iterable[str]:
    """Return the text, made inert, in lines of at most `COLUMNS` columns."""
    margin = " " * indent
    return _narrow(inert(text), columns=COLUMNS - indent, margin=margin)


def _narrow(text: str, *, columns: int, margin: str) -> list[str]:
    # textwrap counts characters; where wide ones occur, half as many fit.
    room = columns // 2 if any(width(character) > 1 for character in text) else columns
    return [margin + line for line in wrap(text, room, break_on_hyphens=False)]
