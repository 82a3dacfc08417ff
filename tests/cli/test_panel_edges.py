"""A panel beside everything else: remarks before a run, sequential plans, forged numbers, strange texts."""

import json

import pytest

from harness.cli.judge_remarks import judge_remarks
from harness.cli.rules import RULES, rules_of
from harness.domain.canonical import canonical_bytes
from tests.cli.panel_project import right, write_panel
from tests.panels import as_panel
from tests.runs import a_plan

SAME = {"model": "m", "base_url": "http://one.test/v1"}


@pytest.mark.parametrize(
    ("endpoints", "names", "remarks"),
    [
        ({}, "xyz", []),
        ({}, "xy", ["2 judges can be split evenly, and then an answer has no verdict"]),
        (
            {"x": SAME, "y": SAME},
            "xyz",
            ["judge:x and judge:y are one judge asked twice: repeats.votes does that"],
        ),
        (
            {"x": SAME, "y": {**SAME, "sampling": {"temperature": 1}}},
            "xyz",
            [],
        ),
        (
            {"x": {"family": "greek"}, "z": {"family": "greek"}},
            "xyz",
            ["judge:x and judge:z are of one family, greek"],
        ),
    ],
)
def test_check_remarks_on_judges_that_are_no_panel(endpoints, names, remarks):
    assert list(judge_remarks(as_panel(a_plan(), *names, endpoints=endpoints))) == remarks


def test_check_remarks_on_a_judge_that_is_an_arm_or_of_its_family():
    plan = a_plan(endpoints={"baseline": SAME, "candidate": {"family": "latin"}})
    panel = as_panel(plan, *"xyz", endpoints={"x": SAME, "y": {"family": "latin"}})

    assert list(judge_remarks(panel)) == [
        "judge:x asks the model of baseline, m: a model that judges itself",
        "judge:y is of the family of candidate, latin",
    ]
    assert list(judge_remarks(a_plan(endpoints={"baseline": SAME, "judge": SAME}))) == [
        "judge asks the model of baseline, m: a model that judges itself"
    ]


def test_the_rule_of_a_panel_is_frozen_with_a_panel_and_with_no_other_plan():
    assert rules_of(a_plan()) == RULES
    assert set(rules_of(as_panel(a_plan(), "x", "y"))) - set(RULES) == {"panel"}


def test_a_sequential_run_of_a_panel_ends_by_its_evidence_and_is_made_again(harness, tmp_path):
    experiment = write_panel(tmp_path / "p", {"x": right, "y": right, "z": right})
    experiment.write_text(f"{experiment.read_text()}\n[sequential]\nbatch = 3\n")
    harness("run", experiment, "--dir", tmp_path / "run")
    report = json.loads((tmp_path / "run/report.json").read_bytes())
    said = harness("verify", tmp_path / "run", "--recompute").out

    asked = report["exploratory"]["sequential"]["n_cases"]
    assert asked < 11
    # Every judge saw the cases that were asked, and what it says alone holds whenever the run ends.
    assert report["panel"]["n_answers"] == 2 * asked
    method = report["exploratory"]["primary"]["interval"]["method"]
    assert {judge["alone"]["interval"]["method"] for judge in report["panel"]["judges"]} == {method}
    assert "every verdict, estimate and the decision follow from the evidence" in said


def test_a_number_of_the_panel_that_was_changed_is_named(harness, tmp_path):
    experiment = write_panel(tmp_path / "p", {"x": right, "y": right, "z": right})
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)
    report = json.loads((run / "report.json").read_bytes())
    report["panel"]["judges"][1]["arms"][0]["n_pass"] += 1
    (run / "report.json").write_bytes(canonical_bytes(report))
    called = harness("verify", run, "--recompute")

    assert called.code == 4
    assert "panel.judges.1.arms.0.n_pass: the report has" in called.out


def test_a_vote_that_was_moved_to_another_judge_is_found(harness, tmp_path):
    experiment = write_panel(tmp_path / "p", {"x": right, "y": right, "z": right})
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)
    lines = (run / "evidence.jsonl").read_bytes().splitlines(keepends=True)
    moved = next(n for n, line in enumerate(lines) if b'"judge:x"' in line)
    lines[moved] = lines[moved].replace(b'"judge:x"', b'"judge:y"')
    (run / "evidence.jsonl").write_bytes(b"".join(lines))

    assert harness("verify", run, "--recompute").code == 4


def test_a_family_with_markup_is_shown_as_text(harness, tmp_path):
    experiment = write_panel(tmp_path / "p", {"x": right, "y": right, "z": right})
    hostile = "<script>alert(1)</script>"
    text = experiment.read_text()
    for name in ("baseline", "x"):
        text = text.replace(f'model = "m-{name}"', f'model = "m-{name}"\nfamily = "{hostile}"')
    experiment.write_text(text)
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)

    assert hostile in json.loads((run / "report.json").read_bytes())["panel"]["reasons"][0]
    for form in ("report.html", "summary.md"):
        assert hostile not in (run / form).read_text()


def test_one_case_of_a_run_with_a_panel_can_be_proved(harness, tmp_path):
    experiment = write_panel(tmp_path / "p", {"x": right, "y": right}, held_out=False)
    run, proof = tmp_path / "run", tmp_path / "proof.json"
    harness("run", experiment, "--dir", run)
    harness("keygen", tmp_path / "keys")
    harness("sign", run, "--key", tmp_path / "keys" / "signer.key")
    shown = harness("prove", run, "--case", "c03", "--out", proof)
    verified = harness("verify-proof", proof, "--key", tmp_path / "keys" / "signer.pub")

    assert (shown.code, verified.code) == (0, 0)
    assert proof.read_text().count("judge:x") >= 2


@pytest.mark.parametrize(("gate", "status"), [("note", "pass"), ("fail", "fail")])
def test_a_judge_that_answers_under_the_model_of_an_arm_is_told_or_fails_the_run(
    harness, tmp_path, gate, status
):
    experiment = write_panel(tmp_path / "p", {"x": right, "y": right, "z": right})
    votes = tmp_path / "p" / "votes-x.jsonl"
    votes.write_text(votes.read_text().replace('"m-x"', '"m-candidate"'))
    text = experiment.read_text().replace('model = "m-x"', 'model = "m-candidate"')
    experiment.write_text(f'{text}\n[gates]\nsame_model_as_judge = "{gate}"\n')
    harness("run", experiment, "--dir", tmp_path / "run")
    report = json.loads((tmp_path / "run/report.json").read_bytes())
    found = next(each for each in report["decision"]["gates"] if each["name"] == "judge_is_no_arm")

    assert found["status"] == status
    assert found["reason"] == "judge:x answers under the same model id as candidate"
    assert "judge_shares_model_with: candidate (judge:x)" in report["audits"]["routing"]["reasons"]
