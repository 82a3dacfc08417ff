"""A run held against an earlier one: a name that was resolved otherwise is drift, in a run as in an audit."""

import json
from pathlib import Path

from tests.cli.panel_project import right, write_panel
from tests.cli.small_project import write_project


def resolved(root: Path, model: str) -> None:
    replies = root / "replies.jsonl"
    rows = [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["arm"] == "candidate":
            row["model"] = model
    replies.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def two_runs(harness, root: Path, policy: str):
    experiment = write_project(root)
    with experiment.open("a", encoding="utf-8") as stream:
        stream.write(f'\n[gates]\nrouting = "{policy}"\n')
    resolved(root, "m-candidate-2026-01-01")
    first = harness("run", experiment, "--dir", root / "then")
    assert first.code == 0
    resolved(root, "m-candidate-2026-02-02")
    return harness("run", experiment, "--dir", root / "now", "--against", root / "then", "--json")


def test_an_alias_resolved_otherwise_than_in_the_last_run_fails_the_run(harness, tmp_path):
    called = two_runs(harness, tmp_path / "p", "fail")
    report = json.loads(called.out)

    assert called.code == 1
    assert report["decision"]["verdict"] == "invalid"
    assert report["audits"]["routing"]["reasons"][0] == (
        "resolved_otherwise: candidate: returned model was m-candidate-2026-01-01, is m-candidate-2026-02-02"
    )
    assert harness("report", tmp_path / "p" / "now", "--json").out == called.out


def test_a_plan_that_accepts_it_has_it_in_the_headline(harness, tmp_path):
    called = two_runs(harness, tmp_path / "p", "accept")

    assert called.code == 0
    assert "routing_accepted: candidate drifted" in json.loads(called.out)["decision"]["sentence"]


def test_a_run_is_not_held_against_itself(harness, tmp_path):
    experiment = write_project(tmp_path / "p")
    called = harness("run", experiment, "--dir", tmp_path / "now", "--against", tmp_path / "now")

    assert called.code == 2
    assert not (tmp_path / "now").exists()


def test_a_panel_is_compared_judge_by_judge(harness, tmp_path):
    judges = {"one": right, "two": right, "three": right}
    experiment = write_panel(tmp_path / "p", judges)
    harness("audit", experiment, "--dir", tmp_path / "then")
    votes = tmp_path / "p" / "votes-two.jsonl"
    votes.write_text(votes.read_text().replace('"m-two"', '"m-two-2026-02-02"'), encoding="utf-8")
    called = harness("audit", experiment, "--dir", tmp_path / "now", "--against", tmp_path / "then", "--json")
    drift = json.loads(called.out)["audits"]["drift"]

    changed = [row["endpoint"] for row in drift["compared"] if row["same"] is False]
    assert changed == ["judge:two"]
    assert drift["n_anchors"] == 1
