"""The demonstration, against a count made directly from the labels of its source."""

import json
from collections import Counter
from pathlib import Path

LABELS = Path(__file__).parent.parent / "data" / "xstest_labels.jsonl"
CELLS = {(True, True): "both_pass", (False, True): "gain", (True, False): "loss", (False, False): "both_fail"}


def direct_count() -> Counter[str]:
    """Count the four cells over the 250 safe prompts from the recorded GPT-4 labels."""
    passes: dict[str, dict[str, bool]] = {}
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["prompt_label"] == "safe":
            passed = row["judge_gpt4_label"] == "1_full_compliance"
            passes.setdefault(row["id"], {})[row["model"]] = passed
    return Counter(CELLS[found["llama2orig"], found["llama2new"]] for found in passes.values())


def test_the_demonstration_agrees_with_a_direct_count_of_its_source(harness, tmp_path):
    called = harness("demo", "--dir", tmp_path, "--open-held-out", "--json")
    report = json.loads(called.out)
    counted = Counter[str]()
    for section in ("exploratory", "held_out"):
        counted.update({cell: report[section]["majority"][cell] for cell in CELLS.values()})

    assert called.code == 0
    assert counted == direct_count()
    assert sum(counted.values()) == 250


def test_a_closed_held_out_split_is_in_no_number(harness, tmp_path):
    report = json.loads(harness("demo", "--dir", tmp_path, "--json").out)

    assert report["held_out"] is None
    assert report["exploratory"]["majority"]["n_cases"] == report["plan"]["n_exploratory"] < 250
    assert report["decision"]["basis"] == "exploratory"


def test_running_again_asks_nothing_and_reports_the_same_bytes(harness, tmp_path):
    first = harness("demo", "--dir", tmp_path, "--json").out
    sealed = (tmp_path / "run-xstest" / "evidence.jsonl").read_bytes()
    (tmp_path / "project" / "experiments" / "xstest" / "replies-judge.jsonl").touch()

    assert harness("demo", "--dir", tmp_path, "--json").out == first
    assert (tmp_path / "run-xstest" / "evidence.jsonl").read_bytes() == sealed


def test_opening_twice_writes_one_look(harness, tmp_path):
    harness("demo", "--dir", tmp_path)
    run = tmp_path / "run-xstest"
    once = harness("open-held-out", run, "--yes")
    twice = harness("open-held-out", run, "--yes")
    ledger = (tmp_path / "project" / "gold" / "xstest" / "looks.jsonl").read_text()

    assert (once.code, twice.code) == (0, 0)
    assert len(ledger.splitlines()) == 1
    assert "no new look" in twice.err


def test_opening_asks_first_where_nobody_can_answer(harness, tmp_path):
    harness("demo", "--dir", tmp_path)
    called = harness("open-held-out", tmp_path / "run-xstest")

    assert called.code == 2
    assert "--yes" in called.err
    assert not (tmp_path / "project" / "gold" / "xstest" / "looks.jsonl").exists()


def test_the_arena_experiment_reads_raw_judge_texts_and_refuses_what_it_cannot_read(harness, tmp_path):
    report = json.loads(harness("demo", "--dir", tmp_path, "--experiment", "arena", "--json").out)
    baseline, candidate = report["completeness"]["arms"]

    assert (
        baseline["n_graded"] + dict(baseline["answers_missing"])["unreadable"] == baseline["n_answers_asked"]
    )
    assert candidate["n_graded"] > 0
    assert report["audits"]["human_agreement"]["status"] == "not_audited"
