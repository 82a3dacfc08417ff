"""`harness history`: a judge over its recorded audits, as a table, a page, or JSON."""

from pathlib import Path

from harness.audits import history_alarms, judge_history
from harness.cli.judge_drift import history_path
from harness.cli.output import put, say
from harness.cli.project import load
from harness.domain.errors import InputError, NotMeasured
from harness.inputs.history_file import read_history
from harness.report.history import history_markdown, history_page


def history(*, experiment: Path, html: Path | None, as_json: bool) -> int:
    """Print the series of the experiment's judge.

    Returns:
        1 where it decays or its chart alarmed, 3 for one audit, which is no series, else 0.

    Raises:
        InputError: There is no judge, or the page cannot be written.
        NotMeasured: No audit was recorded yet.
        Tampered: The history is not the one that was written.
    """
    plan = load(experiment)
    path = history_path(experiment, plan)
    entries = read_history(path)
    if not entries:
        raise NotMeasured(f"{path}: no audit is recorded; `harness audit --record` adds one")
    found = judge_history(entries, seed=plan.experiment.analysis.seed)
    name = plan.judge.name if plan.judge is not None else path.parent.name
    put(found.model_dump_json(indent=2) if as_json else history_markdown(name, found).rstrip("\n"))
    if html is not None:
        _write(html, history_page(name, found))
    if history_alarms(found):
        return 1
    return 0 if len(entries) > 1 else 3


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    say(f"page: {path}")
