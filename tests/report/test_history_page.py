"""A judge's history for people: a page that runs nothing, and a table that foreign names cannot break."""

import re

import pytest

from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.history import HistoryBlock, HistoryPoint, TrendBlock
from harness.report.history import history_markdown, history_page
from harness.report.series import series


def point(number: int, right: int, cusum: float | None, model: str = "j-1") -> HistoryPoint:
    interval = IntervalBlock(low=right / 20 - 0.1, high=right / 20, confidence_level=0.95, method="wilson")
    return HistoryPoint(
        at=f"2026-01-0{number}",
        correct=Rate(n=right, of=20, rate=right / 20, interval=interval),
        flips=None if number == 1 else Rate(n=number, of=20, rate=number / 20),
        models=(model,),
        fingerprints=(),
        judge_sha256="c" * 64,
        cusum=cusum,
        highest_cusum=cusum,
    )


@pytest.fixture
def block() -> HistoryBlock:
    return HistoryBlock(
        points=(point(1, 20, 0.0), point(2, 18, 1.5), point(3, 10, 6.0)),
        last_entry="d" * 64,
        accepted_rate=0.02,
        rate_to_catch=0.04,
        limit=3.0,
        run_length_in_control=412.0,
        run_length_out_of_control=60.0,
        first_alarm="2026-01-03",
        slope=-0.25,
        slope_interval=IntervalBlock(low=-0.4, high=-0.1, confidence_level=0.95, method="paired_t"),
        trend=TrendBlock(verdict="not_audited", n_audits=3, reason="3 audits; an order shows nothing"),
    )


def test_the_table_has_a_row_an_audit_with_interval_flips_and_chart(block):
    lines = history_markdown("strict", block).splitlines()

    assert lines[0] == "## Judge `strict`"
    assert (
        lines[5]
        == "| 2026-01-02 | 18 of 20 | 0.800 to 0.900 | 2 of 20 | 1.50 | `j-1` | `unknown` | `cccccccccccc` |"
    )
    assert (
        "- CUSUM limit 3.00, a false alarm in 412 verdicts (simulated): alarm in the audit of 2026-01-03"
        in lines
    )
    assert "- slow decay: not audited: 3 audits; an order shows nothing" in "\n".join(lines).replace("`", "")


def test_the_page_draws_every_audit_and_the_limit_and_loads_nothing(block):
    text = history_page("strict", block)

    assert text.count("<circle") == 6
    assert text.count('class="limit"') == 1
    assert len(re.findall("<svg", text)) == 2
    assert not re.search(r"<script|<img|<a |<link|<iframe|href|src=|url\(|\son\w+=", text)
    assert "default-src 'none'; style-src 'sha256-" in text


def test_marks_stand_where_the_numbers_say(block):
    accuracy, cusum = series(block).accuracy, series(block).cusum

    # 1.0 stands 4% from the top and 0.0 at 96%; half right stands in the middle.
    assert [dot.y for dot in accuracy.dots] == ["4.00%", "13.20%", "50.00%"]
    assert cusum.limit == "56.00%"
    assert cusum.dots[0].y == "96.00%"


def test_one_audit_has_no_chart_of_errors():
    only = HistoryBlock(points=(point(1, 20, None),), last_entry="d" * 64, reason="one audit is no series")

    assert series(only).cusum is None
    assert "CUSUM of errors" not in history_page("strict", only)
    assert "no slope: one audit is no series" in history_markdown("strict", only)


def test_names_from_elsewhere_stay_text(block):
    hostile = "<script>alert(1)</script>|\n[x](http://evil)"
    block = block.model_copy(update={"points": (point(1, 20, 0.0, model=hostile), *block.points[1:])})

    page, table = history_page(hostile, block), history_markdown(hostile, block)

    assert "<script" not in page
    assert len(table.splitlines()[4].replace("\\|", "").split("|")) == 10
    assert "](http" not in re.sub("`[^`]*`", "", table)
