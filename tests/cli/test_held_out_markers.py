"""Before a look nothing of a held-out case reaches anyone: no answer, no verdict, no count."""

import json
import re
from pathlib import Path

import pytest

from harness.cli.commands import cli
from harness.store.run_dir import read_plan
from tests.cli.small_project import write_project

MARK = "planted-marker"
SHOWN = ("report.json", "report.html", "summary.md", "junit.xml", "page.html")
COPY = "lines of a copy"
# They never see a run, or are the look itself, or show one case by its name (see test_prove).
ELSEWHERE = {
    "init",
    "power",
    "schema",
    "keygen",
    "demo",
    "open-held-out",
    "audit-votes",
    "prove",
    "verify-proof",
    "timestamp",
}
_OPPOSITE = {"do": "refuse", "refuse": "do", "good": "bad", "bad": "good"}
# A letter must be in it: the digits of a number are to be compared.
_DIGEST = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{8,64}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ][0-9:.]+(\+00:00|Z)?|0\.\d+ s\b|_ms\":-?\d+")


def _turn_held_out(project: Path, held_out: frozenset[str]) -> None:
    """Turn every held-out answer and vote: who should pass now fails, and the other way round."""
    for path in (project / "replies.jsonl", project / "votes.jsonl"):
        if path.exists():
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            turned = [
                {**row, "content": _turned(row["content"])} if row["id"] in held_out else row for row in rows
            ]
            path.write_text("".join(f"{json.dumps(row)}\n" for row in turned))


def _turned(text: str) -> str:
    return re.sub(r"\b(do|refuse|good|bad)\b", lambda found: _OPPOSITE[found[0]], text)


def _fail_one(project: Path, case: str) -> None:
    """Let the candidate fail a case that it passed."""
    for path, word in ((project / "replies.jsonl", "do"), (project / "votes.jsonl", "good")):
        if path.exists():
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            failed = [row | {"content": row["content"].replace(word, _OPPOSITE[word])} for row in rows]
            kept = [new if row["id"] == case else row for row, new in zip(rows, failed, strict=True)]
            path.write_text("".join(f"{json.dumps(row)}\n" for row in kept))


def _everything_shown(harness, project: Path, keys: Path, *looks: tuple[str | Path, ...]) -> dict[str, str]:
    """Call every command that sees the run, after these looks, and return what each of them showed."""
    run, experiment = project / "run", project / "experiment.toml"
    calls: list[tuple[str | Path, ...]] = [
        ("check", experiment),
        ("freeze", experiment),
        ("run", experiment, "--dir", run, "--locked"),
        *looks,
        ("run", experiment, "--dir", project / "again", "--against", run),
        ("audit", experiment, "--dir", project / "audit", "--record"),
        ("audit", experiment, "--dir", project / "audit2", "--against", run),
        ("history", experiment, "--html", project / "history.html"),
        ("report", run),
        ("sign", run, "--key", keys / "signer.key", "--replace"),
        ("verify", run, "--key", keys / "signer.pub", "--recompute", "--inputs", project),
        ("redact", run, "--withhold", "judge-prompt", "--out", project / "copy"),
        ("verify", project / "copy", "--key", keys / "signer.pub", "--recompute"),
        ("label", run, "--for", "human-scale", "-n", "99", "--out", run / "sheet.csv"),
        ("label", run, "--for", "adjudication", "-n", "99", "--out", run / "sheet-doubt.csv"),
        ("compare", f"{run}@baseline", f"{run}@candidate", "--html", run / "page.html"),
        ("compare", f"{run}@baseline", f"{run}@candidate", f"{project / 'again'}@candidate"),
    ]
    called_for = {str(name) for name, *_ in calls}
    assert called_for | ELSEWHERE == set(cli.commands), "a new command must be shown to keep the split closed"
    shown = {}
    for words in calls:
        for form in ((),) if words[0] in ("label", "redact") else ((), ("--json",)):
            called = harness(*words, *form)
            assert not called.err.startswith("Usage"), called.err
            shown[f"{' '.join(map(str, words))} {' '.join(form)}"] = (
                f"exit code {called.code}\n{called.out}\n{called.err}"
            )
    for path in (*(run / name for name in SHOWN), *run.glob("sheet*")):
        shown[path.name] = path.read_text("utf-8")
    shown[COPY] = (project / "copy" / "redacted.jsonl").read_text("utf-8")
    return shown


@pytest.mark.parametrize("judged", [False, True])
def test_no_command_shows_anything_of_a_held_out_case_before_a_look(harness, tmp_path, monkeypatch, judged):
    harness("keygen", tmp_path / "keys")
    shown = {}
    for side in ("true", "turned"):
        project = tmp_path / side / "project"
        write_project(project, answer=f"I {{verb}} it ({MARK}-{{id}}).", judged=judged)
        if side == "turned":
            _turn_held_out(project, frozenset(read_plan(tmp_path / "true" / "project" / "run").held_out))
        monkeypatch.chdir(tmp_path / side)
        shown[side] = _everything_shown(harness, Path("project"), tmp_path / "keys")
    _assert_tells_nothing(shown["true"], shown["turned"], tmp_path / "true" / "project" / "run")


@pytest.mark.parametrize("judged", [False, True])
def test_a_look_at_the_decision_alone_shows_nothing_but_the_decision(harness, tmp_path, monkeypatch, judged):
    harness("keygen", tmp_path / "keys")
    shown, look = {}, ("open-held-out", Path("project") / "run", "--yes", "--decision-only")
    for side in ("true", "turned"):
        project = tmp_path / side / "project"
        write_project(project, answer=f"I {{verb}} it ({MARK}-{{id}}).", judged=judged)
        if side == "turned":
            _fail_one(project, read_plan(tmp_path / "true" / "project" / "run").held_out[0])
        monkeypatch.chdir(tmp_path / side)
        shown[side] = _everything_shown(harness, Path("project"), tmp_path / "keys", look)
    report = json.loads(shown["true"]["report.json"])

    assert (report["decision"]["verdict"], report["decision"]["basis"]) == ("improvement", "held_out")
    _assert_tells_nothing(shown["true"], shown["turned"], tmp_path / "true" / "project" / "run")


def _assert_tells_nothing(shown: dict[str, str], turned: dict[str, str], run: Path) -> None:
    """Assert that no form names a held-out case, shows its answer, or tells another outcome apart."""
    plan = read_plan(run)
    assert len(plan.held_out) > 5
    for name, text in shown.items():
        marked = [case for case in plan.held_out if f"{MARK}-{case}" in text]
        assert not marked, f"{name} shows the answer to {marked[0]}"
        # A copy has a line for every case of the plan, as the plan has.
        named = [case for case in plan.held_out if name != COPY and re.search(rf"\b{case}\b", text)]
        assert not named, f"{name} names the held-out case {named[0]}"
    # The same run with every held-out outcome turned shows the same, digests and times apart.
    for name, text in shown.items():
        assert _comparable(text) == _comparable(turned[name]), f"{name} tells held-out outcomes apart"


def test_the_markers_are_found_once_a_look_was_taken(harness, tmp_path):
    write_project(tmp_path, answer=f"I {{verb}} it ({MARK}-{{id}}).")
    harness("run", tmp_path / "experiment.toml", "--dir", tmp_path / "run")
    harness("open-held-out", tmp_path / "run", "--yes")
    plan, text = read_plan(tmp_path / "run"), (tmp_path / "run" / "report.json").read_text()

    assert all(re.search(rf"\b{case}\b", text) for case in plan.held_out)


def _comparable(text: str) -> str:
    return _TIME.sub("TIME", _DIGEST.sub("DIGEST", text))
