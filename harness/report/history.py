"""A judge's history for people: one inert page, and one Markdown table."""

from harness.domain.history import HistoryBlock
from harness.report.html import page_environment, page_style, page_style_digest
from harness.report.markdown import code, prose
from harness.report.series import HEAD, Series, series

_N_OWN_CELLS = 5  # the other cells hold names from elsewhere


def history_page(judge: str, history: HistoryBlock) -> str:
    """Return the series as an HTML page that needs nothing else: no network, no script.

    Args:
        judge: The judge's name.
        history: Its audits, at least one.
    """
    return (
        page_environment()
        .get_template("history.html.j2")
        .render(
            judge=judge,
            head=HEAD,
            series=series(history),
            last_entry=history.last_entry,
            style=page_style(),
            style_digest=page_style_digest(),
        )
    )


def history_markdown(judge: str, history: HistoryBlock) -> str:
    """Return the series as a Markdown table with the findings below it."""
    shown = series(history)
    lines = "\n".join(f"- {prose(line)}" for line in shown.lines)
    return f"## Judge {code(judge)}\n\n{_table(shown)}\n\n{lines}\n"


def _table(shown: Series) -> str:
    rows = [(*map(prose, row[:_N_OWN_CELLS]), *map(code, row[_N_OWN_CELLS:])) for row in shown.rows]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
