"""A panel then and now: its majority, and each judge against the one of its name."""

import json
from pathlib import Path

import pytest

from tests.cli.panel_project import write_panel
from tests.cli.small_project import write_project, write_rows

N = 20
PEOPLE = ["good" if number % 2 else "bad" for number in range(N)]
OTHER = {"good": "bad", "bad": "good"}


def project(root: Path, *, names: tuple[str, ...] = ("x", "y", "z")) -> Path:
    """A panel that is right on all of twenty anchors."""
    experiment = write_panel(root, dict.fromkeys(names, lambda kind, name, arm: "good"))
    anchors = [
        {
            "id": f"a{number:02}",
            "prompt": f"Question {number}?",
            "answer": f"Answer {number}.",
            "reviews": [{"by": "r1", "label": label}],
            "selection": "random",
        }
        for number, label in enumerate(PEOPLE)
    ]
    write_rows(root / "anchors/small.jsonl", anchors)
    for name in names:
        votes(root, name, wrong=set())
    return experiment


def votes(root: Path, judge: str, *, wrong: set[int]) -> None:
    """Record what a judge says of the canaries and the anchors."""
    said = [("canary", "k1", "bad"), ("canary", "k2", "good")]
    said += [
        ("anchor", f"a{number:02}", OTHER[label] if number in wrong else label)
        for number, label in enumerate(PEOPLE)
    ]
    write_rows(
        root / f"votes-{judge}.jsonl",
        [{"kind": kind, "id": name, "content": label, "model": f"m-{judge}"} for kind, name, label in said],
    )


def audits_of(called) -> dict:
    return json.loads(called.out)["audits"]


@pytest.fixture
def then(harness, tmp_path):
    """An audit of the panel, recorded, after which one judge is wrong about eight anchors."""
    experiment = project(tmp_path / "p")
    harness("audit", experiment, "--dir", tmp_path / "then", "--record")
    votes(tmp_path / "p", "y", wrong=set(range(8)))
    return experiment


def test_a_judge_that_changed_is_unfit_though_the_majority_says_what_it_said(harness, then, tmp_path):
    now, before = tmp_path / "now", tmp_path / "then"
    audits = audits_of(harness("audit", then, "--dir", now, "--against", before, "--json"))
    drift = audits["drift"]
    flipped = {each["judge"]: each["finding"]["flip_share"]["n"] for each in drift["judges"]}

    assert drift["flip_share"]["n"] == 0
    assert flipped == {"judge:x": 0, "judge:y": 8, "judge:z": 0}
    assert audits["judge"]["status"] == "unfit"
    assert audits["judge"]["reasons"]
    assert all(reason.startswith("panel_judge_unfit: judge:y: ") for reason in audits["judge"]["reasons"])
    assert any("judge_flipped: 8 of 20" in reason for reason in audits["judge"]["reasons"])


def test_what_is_compared_is_the_run_that_was_named(harness, then, tmp_path):
    audits = audits_of(
        harness("audit", then, "--dir", tmp_path / "now", "--against", tmp_path / "then", "--json")
    )
    plan = json.loads((tmp_path / "then/manifest.json").read_bytes())["plan_sha256"]

    assert audits["drift"]["against"] == plan
    assert {each["finding"]["against"] for each in audits["drift"]["judges"]} == {plan}


def test_every_judge_of_a_panel_has_a_history_of_its_own(harness, then, tmp_path):
    now = tmp_path / "now"
    harness("audit", then, "--dir", now, "--against", tmp_path / "then", "--record")
    folder = tmp_path / "p/judges/strict"
    lines = {name: (folder / name / "history.jsonl").read_text().count("\n") for name in "xyz"}
    shown = harness("history", then, "--judge", "y")
    report = json.loads((now / "report.json").read_bytes())
    series = {
        each["judge"]: [point["correct"]["n"] for point in each["finding"]["history"]["points"]]
        for each in report["audits"]["drift"]["judges"]
    }

    assert lines == {"x": 2, "y": 2, "z": 2}
    assert series == {"judge:x": [20, 20], "judge:y": [20, 12], "judge:z": [20, 20]}
    assert "12 of 20" in shown.out
    assert not (folder / "history.jsonl").exists()


def test_a_history_of_a_panel_is_asked_for_by_the_name_of_a_judge(harness, then):
    for words, found in (((), "found none"), (("--judge", "w"), "found 'w'")):
        called = harness("history", then, *words)

        assert called.code == 2
        assert f"--judge: {found}, wanted one of x, y, z" in called.err


def test_every_number_of_the_comparison_is_made_again(harness, then, tmp_path):
    harness("audit", then, "--dir", tmp_path / "now", "--against", tmp_path / "then", "--record")
    said = harness("verify", tmp_path / "now", "--recompute").out

    assert "every verdict, estimate and the decision follow from the evidence, byte by byte" in said


def test_verdicts_of_other_judges_are_not_compared(harness, tmp_path):
    single = write_project(tmp_path / "single", judged=True)
    harness("audit", single, "--dir", tmp_path / "then")
    panel = project(tmp_path / "p")
    now = tmp_path / "now"
    drift = audits_of(harness("audit", panel, "--dir", now, "--against", tmp_path / "then", "--json"))[
        "drift"
    ]

    assert drift["status"] == "not_audited"
    assert drift["reasons"] == ["other_judges: verdicts were by judge, are by judge:x, judge:y, judge:z"]
    assert {each["finding"]["reasons"][0] for each in drift["judges"]} == {
        f"no_such_judge: the earlier run has no judge:{name}" for name in "xyz"
    }


def test_a_judge_that_joined_the_panel_has_nothing_to_be_held_against(harness, tmp_path):
    before, after = project(tmp_path / "b", names=("x", "y")), project(tmp_path / "a", names=("x", "z"))
    harness("audit", before, "--dir", tmp_path / "then")
    called = harness("audit", after, "--dir", tmp_path / "now", "--against", tmp_path / "then", "--json")
    verdicts = {each["judge"]: each["finding"]["verdict"] for each in audits_of(called)["drift"]["judges"]}

    assert verdicts["judge:z"] == "not_audited"
    assert verdicts["judge:x"] in ("stable", "not_shown")
