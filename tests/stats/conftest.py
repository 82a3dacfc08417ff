"""Lets the tests of this folder import their shared reader, and counts the vectors run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

_MARK = "known_answer["


def pytest_terminal_summary(terminalreporter):
    run = {
        report.nodeid.split(_MARK, 1)[1]
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if _MARK in getattr(report, "nodeid", "")
    }
    if run:
        terminalreporter.write_line(f"reference vectors run: {len(run)}")
