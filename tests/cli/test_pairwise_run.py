"""A run whose judge compares both arms' answers, through the command line."""

import json
import shutil
from pathlib import Path

import pytest

from harness.domain.canonical import canonical_bytes
from harness.report.keys import make_key, write_key_pair
from harness.store.evidence import read_evidence
from tests.cli.pair_project import N_CASES, first_place_wins, write_pair_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pair_project(tmp_path_factory.mktemp("pairs"))


@pytest.fixture
def ran(harness, project):
    """The run's directory and its report."""
    called = harness("run", project, "--dir", project.parent / "run", "--json")
    return called.code, project.parent / "run", json.loads(called.out)


def test_check_counts_the_calls_of_both_orders(harness, project):
    found = json.loads(harness("check", project, "--json").out)

    assert found["calls"]["judge"] == 2 * 2 * (N_CASES + 12 + 1)


def test_the_report_tells_preferences(ran):
    code, _, report = ran
    section = report["exploratory"]

    assert code == 0
    assert report["decision"]["verdict"] == "improvement"
    assert section["majority"]["gain"] == section["preferences"]["candidate_preferred"] > 0
    assert section["majority"]["both_fail"] == section["preferences"]["ties"] > 0
    assert report["audits"]["judge"]["status"] == "fit"
    assert [effect["of"] for effect in report["audits"]["bias"]["position"]] == ["anchors", "answers"]


def test_the_evidence_says_which_answer_was_shown_first(ran):
    _, run, _ = ran
    firsts = [record.subject.first for record in read_evidence(run) if record.role == "vote"]

    assert {first: firsts.count(first) for first in set(firsts)} == {
        "answer": 26,
        "other": 26,
        "baseline": 2 * N_CASES,
        "candidate": 2 * N_CASES,
    }


def test_a_signed_run_is_made_again_from_its_evidence(harness, ran, tmp_path):
    _, run, _ = ran
    write_key_pair(tmp_path / "k.key", make_key("p256"))
    assert harness("sign", run, "--key", tmp_path / "k.key").code == 0

    called = harness("verify", run, "--key", tmp_path / "k.pub", "--recompute", "--json")

    assert called.code == 0, called.out + called.err
    assert all(claim["standing"] != "broken" for claim in json.loads(called.out)["claims"])


def test_a_swapped_order_in_the_evidence_is_caught(harness, project, tmp_path):
    run = tmp_path / "run"
    assert harness("run", project, "--dir", run).code == 0
    lines = (run / "evidence.jsonl").read_bytes().splitlines()
    place = next(n for n, line in enumerate(lines) if b'"first":"baseline"' in line)
    record = json.loads(lines[place])
    record["subject"]["first"] = "candidate"
    lines[place] = canonical_bytes(record)
    (run / "evidence.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))

    called = harness("report", run)
    assert (called.code, called.out) == (3, "")
    assert "candidate first twice" in called.err


def test_the_held_out_side_is_opened_with_its_own_pairs(harness, tmp_path):
    experiment = write_pair_project(tmp_path)
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)
    report = json.loads(harness("open-held-out", run, "--yes", "--json").out)

    n = {side: report[side]["preferences"]["n_pairs"] for side in ("exploratory", "held_out")}
    assert n["exploratory"] + n["held_out"] == N_CASES
    assert n["held_out"] > 0
    assert report["audits"]["bias"]["position"][1]["n_pairs"] == n["exploratory"]


def test_an_audit_asks_canaries_and_anchors_in_both_orders(harness, project, tmp_path):
    report = json.loads(harness("audit", project, "--dir", tmp_path / "audit", "--json").out)

    assert report["run"]["n_calls"] == 2 * 2 * 13
    assert report["audits"]["human_agreement"]["agreement"]["n"] == 12
    assert report["audits"]["bias"]["position"][0]["of"] == "anchors"


def test_the_judge_of_an_earlier_run_is_compared_by_preferences(harness, ran, project, tmp_path):
    _, run, _ = ran
    called = harness("audit", project, "--dir", tmp_path / "audit", "--against", run, "--json")

    drift = json.loads(called.out)["audits"]["drift"]
    assert (drift["n_anchors"], drift["both_correct"], drift["flips"]) == (12, 12, [])


def test_a_judge_that_loves_the_first_place_is_unfit(harness, tmp_path):
    experiment = write_pair_project(tmp_path, say=first_place_wins)
    called = harness("run", experiment, "--dir", tmp_path / "run", "--json")
    report = json.loads(called.out)

    assert called.code == 1
    assert report["decision"]["verdict"] == "invalid"
    assert any(reason.startswith("bias_position: +1.000") for reason in report["audits"]["judge"]["reasons"])
    assert (
        report["exploratory"]["preferences"]["ties_by_reversal"]
        == report["exploratory"]["majority"]["both_fail"]
    )


@pytest.mark.parametrize("words", [("label", "--for", "human-scale", "--out", "sheet.csv"), ("compare",)])
def test_what_looks_at_one_answer_refuses_pairs(harness, ran, words, tmp_path, monkeypatch):
    _, run, _ = ran
    monkeypatch.chdir(tmp_path)
    if words[0] == "label":
        called = harness("label", run, *words[1:])
    else:
        called = harness("compare", f"{run}@baseline", f"{run}@candidate")

    assert called.code == 2
    assert called.err.count("\n") == 1


def test_a_copy_without_texts_has_the_same_numbers(harness, ran, tmp_path):
    run = shutil.copytree(ran[1], tmp_path / "run", ignore=shutil.ignore_patterns("*.sigstore.json"))
    write_key_pair(tmp_path / "k.key", make_key("p256"))
    assert harness("sign", run, "--key", tmp_path / "k.key").code == 0
    assert harness("redact", run, "--out", tmp_path / "copy").code == 0

    called = harness("verify", tmp_path / "copy", "--key", tmp_path / "k.pub", "--recompute", "--json")

    assert called.code == 0, called.out + called.err
    lines = (tmp_path / "copy/redacted.jsonl").read_bytes()
    assert not any(text in lines for text in (b"It is Madrid", b"It is Rome", b"Paris", b" does c"))


def test_a_run_held_against_an_earlier_one_has_no_rate_of_an_arm_alone(harness, ran, project, tmp_path):
    _, run, _ = ran
    called = harness("run", project, "--dir", tmp_path / "again", "--against", run, "--json")
    drift = json.loads(called.out)["audits"]["drift"]

    assert (drift["scores"], drift["n_anchors"], drift["outcome_pvalue"]) == ([], 12, None)
    assert "pass rate" not in (tmp_path / "again/summary.md").read_text("utf-8")


def test_one_case_is_proved_with_both_orders(harness, ran, tmp_path):
    run = shutil.copytree(ran[1], tmp_path / "run", ignore=shutil.ignore_patterns("*.sigstore.json"))
    write_key_pair(tmp_path / "k.key", make_key("p256"))
    assert harness("sign", run, "--key", tmp_path / "k.key").code == 0
    assert harness("prove", run, "--case", "c00", "--out", tmp_path / "proof.json").code == 0

    called = harness("verify-proof", tmp_path / "proof.json", "--key", tmp_path / "k.pub")
    assert called.code == 0, called.out + called.err
