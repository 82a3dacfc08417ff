"""`harness history`: a judge over its recorded audits, as a table, a page, or JSON."""

from pathlib import Path

from harness.audits import history_alarms, judge_history
from harness.cli.judge_drift import history_path
from harness.cli.output import put, say
from harness.cli.project import load
from harness.domain.errors import InputError, NotMeasured
from harness.domain.plan import AskedJudge, Plan
from harness.inputs.history_file import read_history
from harness.report.history import history_markdown, history_page


def history(*, experiment: Path, name: str | None, html: Path | None, as_json: bool) -> int:
    """Print the series of the experiment's judge, or of the judge of its panel that is named.

    Returns:
        1 where it decays or its chart alarmed, 3 for one audit, which is no series, else 0.

    Raises:
        InputError: There is no such judge, or the page cannot be written.
        NotMeasured: No audit was recorded yet.
        Tampered: The history is not the one that was written.
    """
    plan = load(experiment)
    judge = _chosen(experiment, plan, name)
    path = history_path(experiment, judge)
    entries = read_history(path)
    if not entries:
        raise NotMeasured(f"{path}: no audit is recorded; `harness audit --record` adds one")
    found = judge_history(entries, seed=plan.experiment.analysis.seed)
    put(found.model_dump_json(indent=2) if as_json else history_markdown(judge.name, found).rstrip("\n"))
    if html is not None:
        _write(html, history_page(judge.name, found))
    if history_alarms(found):
        return 1
    return 0 if len(entries) > 1 else 3


def _chosen(experiment: Path, plan: Plan, name: str | None) -> AskedJudge:
    if not plan.judges:
        raise InputError(f"{experiment}: has no [judge], so there is no history of one")
    if name is None and not plan.panel:
        return plan.judges[0]
    found = next((judge for judge in plan.judges if judge.name == name), None)
    if found is None:
        names = ", ".join(judge.name for judge in plan.judges)
        told = "found none" if name is None else f"found {name!r}"
        raise InputError(f"--judge: {told}, wanted one of {names} ({experiment})")
    return found


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    say(f"page: {path}")
