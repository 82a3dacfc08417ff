"""A signed run in which every text of every case says whose it is, so that it can be looked for."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.cli.held_out import open_held_out
from harness.cli.run import make_report, run_experiment
from harness.cli.run_files import write_reports
from harness.cli.sign import sign_run
from harness.report.keys import SigningKey
from tests.cli.small_project import write_project

KINDS = ("prompt", "reference", "why", "answer", "reply")


def mark(kind: str, item: str) -> str:
    return f"MARK-{kind}-{item}-"


def write_marked_project(root: Path, *, judged: bool = True) -> Path:
    """Write the small project with a marker in every text; even cases have the tag ``even``."""
    experiment = write_project(root, answer="- MARK-answer-{id}- I {verb} it.", judged=judged)
    _change(root / "gold/small/cases.jsonl", _marked_case)
    if not judged:
        return experiment
    _change(root / "gold/small/canaries.jsonl", _marked_planted)
    _change(root / "anchors/small.jsonl", _marked_anchor)
    _change(root / "votes.jsonl", lambda row: {"content": f"{mark('reply', row['id'])}\n{_last(row)}"})
    return experiment


def sign_marked_run(root: Path, key: SigningKey, *, opened: bool = True, judged: bool = True) -> Path:
    """Run the project, open its held-out split if asked, and sign."""
    run = run_experiment(write_marked_project(root, judged=judged), root / "run", locked=False)
    write_reports(run, make_report(run))
    if opened:
        open_held_out(run=run, gold=None, yes=True, as_json=True)
    sign_run(run, key, gold=None, replace=False, throwaway=False)
    return run


def _marked_case(row: Mapping[str, Any]) -> Mapping[str, Any]:
    item = row["id"]
    tags = ["even"] if int(item[1:]) % 2 == 0 else []
    return {"prompt": mark("prompt", item), "tags": tags, **_gold(item)}


def _marked_planted(row: Mapping[str, Any]) -> Mapping[str, Any]:
    item = row["id"]
    return {"prompt": mark("prompt", item), "answer": f"- {mark('answer', item)}", **_gold(item)}


def _marked_anchor(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in _marked_planted(row).items() if name != "why"}


def _gold(item: str) -> Mapping[str, str]:
    return {"reference": mark("reference", item), "why": mark("why", item)}


def _last(row: Mapping[str, Any]) -> str:
    return str(row["content"]).splitlines()[-1]


def _change(path: Path, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(f"{json.dumps({**row, **change(row)})}\n" for row in rows), encoding="utf-8")
