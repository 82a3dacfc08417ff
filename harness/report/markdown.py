"""The summary in Markdown, as a CI page shows it."""

import re
from collections.abc import Iterator, Sequence

from harness.domain.report import Report, Section
from harness.report.audits import STATUS_WORDS, audit_rows, canary_line
from harness.report.estimates import estimate_rows, lead, n_cases
from harness.report.findings import (
    further_reasons,
    how_closed,
    missing_rows,
    not_counted,
    planning_lines,
    run_line,
    section_missing,
    top_flips,
)
from harness.report.further import further
from harness.report.inert import inert, name
from harness.report.preferences import count_name, outcome_table, unsettled_name
from harness.report.rows import EstimateRow, sentence

_MOST_ROWS = 20
_MOST_SLICES = 50

# A word of these characters means nothing to Markdown, brackets and angles
# apart, which are escaped. Every other word is shown as code, where neither
# markup nor links, mentions or images exist.
_PLAIN_WORD = re.compile(r"(?:[^\W_]|[.,;:%()+\-'’\"/=?!≤→…\[\]<>–])*", re.UNICODE)
_LINK = re.compile(r"//|www\.|:\w", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:[-+=]+|\d+[.)])")


def summary_markdown(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown.

    Names and texts from elsewhere cannot become links, images, HTML, tables
    or mentions.
    """
    blocks = [
        *_lead(report),
        *_missing(report),
        *_section("Exploratory cases", report.exploratory),
        *_held_out(report),
        *_audits(report),
        *_foot(report),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def prose(text: str) -> str:
    """Return a sentence that may quote foreign text, as Markdown."""
    words = [_word(word) for word in inert(text).split(" ")]
    if words and _LIST_MARK.fullmatch(words[0]):
        words[0] = f"{words[0][:-1]}\\{words[0][-1]}"
    return " ".join(words)


def code(text: str) -> str:
    """Return a foreign name as a code span, fit for a table cell too."""
    return _span(name(text))


def _word(word: str) -> str:
    if _PLAIN_WORD.fullmatch(word) and not _LINK.search(word):
        return re.sub(r"([\[\]<>])", r"\\\1", word)
    return _span(word)


def _span(text: str) -> str:
    if not text:
        return ""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    # A bar would end a table cell even inside a code span; ¦ ends nothing.
    return f"{fence}{pad}{text.replace('|', '¦')}{pad}{fence}"


def _lead(report: Report) -> Iterator[str]:
    decision = report.decision
    primary, _, reading = lead(report)
    yield f"## {_title(report)}"
    yield prose(decision.sentence)
    yield f"**difference {prose(sentence(primary))}**"
    below = (primary.pvalues, primary.remark, reading)
    yield "; ".join(prose(part) for part in below if part)
    yield _bullets([f"reason: {prose(reason)}" for reason in further_reasons(decision)])
    rows = [(code(gate.name), STATUS_WORDS[gate.status], prose(gate.reason)) for gate in decision.gates]
    yield _table(("gate", "status", "reason"), rows)


def _title(report: Report) -> str:
    basis = {"exploratory": "exploratory cases", "held_out": "held-out cases", "none": "no cases"}
    verdict = report.decision.verdict.replace("_", "-")
    return f"{code(report.run.name)}: {verdict} ({basis[report.decision.basis]})"


def _missing(report: Report) -> Iterator[str]:
    completeness = report.completeness
    yield "### Without a verdict"
    rows = [
        (row.arm, prose(row.without), row.answers, row.votes, row.graded)
        for row in missing_rows(completeness)
    ]
    yield _table(("arm", "without a verdict", "answers came", "votes came", "graded"), rows)
    yield _bullets([prose(warning) for warning in completeness.warnings])
    yield not_counted(report)
    if completeness.unpaired_cases:
        shown = [code(case) for case in completeness.unpaired_cases[:_MOST_ROWS]]
        yield f"{len(completeness.unpaired_cases):,} cases stand in one arm only: {', '.join(shown)}"


def _section(title: str, section: Section) -> Iterator[str]:
    yield f"### {title}: {n_cases(section):,}"
    yield _bullets([prose(line) for line in section_missing(section)])
    unsettled = unsettled_name(section).capitalize()
    yield f"{unsettled}: {section.majority.no_majority:,} of {n_cases(section):,} cases."
    head, *counts = outcome_table(section)
    yield _table(head, counts)
    rows = estimate_rows(section)[1:]
    yield _table(
        ("estimate", "difference", "interval", "method", "n", "p-values", "remark"),
        [_cells(row) for row in rows[:_MOST_SLICES]],
    )
    if len(rows) > _MOST_SLICES:
        yield f"{len(rows) - _MOST_SLICES:,} more estimates stand in `report.json`."
    yield _flips(section)
    yield _bullets([prose(line) for line in planning_lines(section.planning, n_cases=n_cases(section))])
    yield _bullets([prose(f"{title}: {line}") for title, lines in further(section) for line in lines])


def _cells(row: EstimateRow) -> tuple[str, ...]:
    label = row.label if row.kind in ("majority", "mean") else f"{row.kind} {code(row.label)}"
    return (
        label,
        *(prose(text) for text in (row.estimate, row.interval, row.method, row.n, row.pvalues)),
        prose(row.remark),
    )


def _flips(section: Section) -> str:
    cases, counted = section.flips.cases, count_name(section)
    rows = [
        (
            flip.direction,
            code(flip.case),
            f"{flip.baseline_passes}/{flip.of}",
            f"{flip.candidate_passes}/{flip.of}",
            ", ".join(code(tag) for tag in flip.tags),
        )
        for flip in top_flips(cases, most=_MOST_ROWS)
    ]
    table = _table(("flip", "case", f"baseline {counted}", f"candidate {counted}", "tags"), rows)
    more = len(cases) - _MOST_ROWS
    return f"{table}\n\n{more:,} more flips stand in `report.json`." if more > 0 else table


def _held_out(report: Report) -> Iterator[str]:
    if report.held_out is not None:
        yield from _section("Held-out cases", report.held_out)
    elif report.plan.n_held_out:
        number = f"Held-out cases: {report.plan.n_held_out:,}"
        yield f"{number}, {how_closed(report)}; they are in no number above."


def _audits(report: Report) -> Iterator[str]:
    yield "### Audits"
    rows = [
        (
            audit.name,
            STATUS_WORDS[audit.status],
            "<br>".join(prose(line) for line in (*audit.lines, *audit.reasons)),
        )
        for audit in audit_rows(report.audits, report.panel, judging=report.plan.judging)
    ]
    yield _table(("audit", "status", "found"), rows)
    survivors = [canary for canary in report.audits.canaries.canaries if canary.survived][:_MOST_ROWS]
    yield _bullets(
        [f"surviving canary {code(canary.id)}: {prose(canary_line(canary))}" for canary in survivors]
    )


def _foot(report: Report) -> Iterator[str]:
    yield prose(
        f"{run_line(report)}; plan {report.plan.sha256[:12]}, "
        f"{'locked' if report.plan.locked else 'not locked'}."
    )
    yield _bullets([prose(note) for note in report.notes])


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
