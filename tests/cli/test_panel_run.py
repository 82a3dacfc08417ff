"""A run with a panel, from its files to its report and back."""

import json
from pathlib import Path

import pytest

from harness.cli.sign import sign_run
from harness.report.keys import make_key, write_key_pair
from tests.cli.panel_project import always_good, right, unreadable, write_panel


def report_of(run: Path) -> dict:
    return json.loads((run / "report.json").read_bytes())


def test_three_judges_one_of_them_unreadable_come_to_the_majority_of_two(harness, tmp_path):
    experiment = write_panel(tmp_path, {"gpt": right, "claude": right, "gemini": unreadable}, votes=2)
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)
    report = report_of(run)

    assert report["exploratory"]["majority"]["difference"] == 1.0
    # Every judge was asked about 11 exploratory cases, twice; a third of the votes said nothing.
    assert report["completeness"]["arms"][0]["n_votes_asked"] == 66
    assert report["completeness"]["arms"][0]["votes_missing"] == [["unreadable", 22]]
    assert [each["endpoint"] for each in report["endpoints"]][2:] == [
        "judge:gpt",
        "judge:claude",
        "judge:gemini",
    ]


def test_a_canary_that_one_judge_lets_live_stops_the_run_before_an_arm_is_asked(harness, tmp_path):
    experiment = write_panel(tmp_path, {"gpt": right, "claude": right, "naive": always_good})
    run = tmp_path / "run"
    code = harness("run", experiment, "--dir", run).code
    report = report_of(run)

    assert code == 1
    assert report["decision"]["verdict"] == "invalid"
    assert report["completeness"]["n_calls_answered"] == 6  # two canaries, three judges, no arm
    assert report["audits"]["judge"]["status"] == "unfit"
    assert report["audits"]["judge"]["reasons"] == ["panel_judge_unfit: judge:naive: canary_survived: k1"]
    # The majority saw the canary for what it is: that does not excuse the judge who did not.
    assert report["audits"]["canaries"]["status"] == "pass"


@pytest.mark.parametrize("votes", [1, 2])
def test_every_number_of_a_panel_is_made_again_from_the_evidence(harness, tmp_path, votes):
    experiment = write_panel(tmp_path, {"gpt": right, "gemini": unreadable}, votes=votes)
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)
    said = harness("verify", run, "--recompute").out

    assert "every verdict, estimate and the decision follow from the evidence, byte by byte" in said
    assert "plan and answers lead to every request that the evidence names" in said


def test_an_even_panel_that_is_split_leaves_the_case_without_a_verdict(harness, tmp_path):
    experiment = write_panel(tmp_path, {"gpt": right, "naive": always_good}, canaries=False)
    run = tmp_path / "run"
    harness("run", experiment, "--dir", run)
    majority = report_of(run)["exploratory"]["majority"]

    assert (majority["n_cases"], majority["no_majority"]) == (0, 11)
    assert report_of(run)["panel"]["n_no_majority"] == 11


def test_a_copy_without_the_judges_words_still_proves_the_numbers_of_a_panel(harness, tmp_path):
    key = make_key("p256")
    write_key_pair(tmp_path / "signer.key", key)
    experiment = write_panel(tmp_path / "p", {"gpt": right, "gemini": unreadable}, votes=2)
    run, copy = tmp_path / "run", tmp_path / "copy"
    harness("run", experiment, "--dir", run)
    sign_run(run, key, gold=None, replace=False, throwaway=False)
    harness("redact", run, "--out", copy, "--withhold", "judge-prompt", "--withhold", "replies")
    said = harness("verify", copy, "--key", tmp_path / "signer.pub", "--recompute").out

    assert b"Verdict last." not in b"".join(path.read_bytes() for path in copy.iterdir())
    assert "every verdict, estimate and the decision follow" in said
    assert "broken" not in said
