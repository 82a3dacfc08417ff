"""The report as one HTML page that needs nothing else: no network, no script."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import Environment

from harness.domain.canonical import sha256_hex
from harness.domain.record import thaw
from harness.domain.report import Report, Section
from harness.report.audits import STATUS_WORDS, audit_rows, canary_line
from harness.report.document import report_bytes
from harness.report.estimates import estimate_rows, lead, n_cases, segment_rows
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
from harness.report.forest import Axis, axis
from harness.report.further import further
from harness.report.html import page_environment, page_style, page_style_digest
from harness.report.judge_audits import human_scale_lines
from harness.report.preferences import count_name, outcome_caption, outcome_table
from harness.report.rows import EstimateRow

_MOST_FLIPS = 100
_MOST_SLICES = 200
_MOST_NUMBERS = 200


class Side(NamedTuple):
    """One side of the split, ready for the page."""

    title: str
    anchor: str
    section: Section
    n_cases: int
    rows: tuple[EstimateRow, ...]
    n_rows_left_out: int
    segments: tuple[EstimateRow, ...]
    axis: Axis | None


def page(report: Report) -> str:
    """Return ``report.html``: self-contained, readable in light, dark and print.

    Every text goes through `inert` and HTML escaping on its way out, whatever
    the template says; the page's own policy forbids scripts, pictures and any
    address.
    """
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            style=page_style(),
            style_digest=page_style_digest(),
            report_sha256=sha256_hex(report_bytes(report)),
            lead=lead(report),
            sides=tuple(_sides(report)),
            missing=missing_rows(report.completeness),
            audits=audit_rows(report.audits, report.panel, judging=report.plan.judging),
            human_scale=human_scale_lines(report.human_scale) if report.human_scale else (),
        )
    )


def flattened(value: Any, *, path: str = "") -> tuple[tuple[str, str], ...]:
    """Return a JSON object as dotted paths with their values in text, at most 200 of them."""
    return tuple(pair for pair, _ in zip(_leaves(thaw(value), path), range(_MOST_NUMBERS), strict=False))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and (value or not path):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, _leaf(value)


def _leaf(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_leaf(item) for item in value) or "none"
    if isinstance(value, Mapping):
        return "none"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "yes", False: "no"}[value]
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _sides(report: Report) -> Iterator[Side]:
    yield _side("Exploratory cases", "exploratory", report.exploratory)
    if report.held_out is not None:
        yield _side("Held-out cases", "held-out", report.held_out)


def _side(title: str, anchor: str, section: Section) -> Side:
    rows, segments = estimate_rows(section), segment_rows(section)
    shown = rows[:_MOST_SLICES]
    return Side(
        title=title,
        anchor=anchor,
        section=section,
        n_cases=n_cases(section),
        rows=shown,
        n_rows_left_out=len(rows) - len(shown),
        segments=segments if len(segments) > 1 else (),
        axis=axis((*shown, *segments), margin=section.planning.margin),
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = page_environment()
    environment.filters |= {"flattened": flattened}
    environment.globals |= {
        "canary_line": canary_line,
        "flaky_lines": flaky_lines,
        "further": further,
        "further_reasons": further_reasons,
        "how_closed": how_closed,
        "not_counted": not_counted,
        "planning_lines": planning_lines,
        "run_line": run_line,
        "section_missing": section_missing,
        "status_words": STATUS_WORDS,
        "top_flips": lambda flips: top_flips(flips, most=_MOST_FLIPS),
        "outcome_table": outcome_table,
        "outcome_caption": outcome_caption,
        "count_name": count_name,
        "votes_text": votes_text,
    }
    return environment
