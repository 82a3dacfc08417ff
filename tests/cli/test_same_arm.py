"""`harness run --aa`: the same arm twice, through everything a run goes through."""

import json

import pytest

from tests.cli.live_project import HONEST, serving, write_live_project
from tests.cli.small_project import write_project


def test_the_baseline_is_asked_twice_and_the_report_says_what_a_difference_would_be(harness, tmp_path):
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        called = harness("run", experiment, "--aa", "--dir", tmp_path / "run", "--json")
        asked = server.stats()["n_requests"]
    report = json.loads(called.out)
    models = {each["endpoint"]: each["models"] for each in report["audits"]["routing"]["endpoints"]}

    assert report["run"]["kind"] == "aa"
    # Twelve answers an arm: the two arms are asked apart, though they are one.
    assert models["baseline"] == models["candidate"] == [["m-old", 12]]
    assert asked == 6 * 2 * 2 * (1 + 3) + 2 * 3
    assert "same_arm: an A/A run, so a difference is chance or a fault" in report["decision"]["sentence"]
    assert report["decision"]["verdict"] not in ("improvement", "regression")
    assert any("at most 5% of such runs" in note for note in report["notes"])


def test_the_numbers_and_the_plan_of_such_a_run_can_be_made_again(harness, tmp_path):
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        harness("run", experiment, "--aa", "--dir", tmp_path / "run")
    verified = harness("verify", tmp_path / "run", "--recompute", "--inputs", tmp_path / "p")
    said = " ".join(verified.out.split())

    assert "the files it names make it again" in said
    assert "byte by byte" in said


def test_two_arms_are_no_such_run(harness, tmp_path):
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        report = json.loads(harness("run", experiment, "--dir", tmp_path / "run", "--json").out)

    assert report["run"]["kind"] == "run"
    assert "same_arm" not in report["decision"]["sentence"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--aa"], "recorded replies in arm.baseline"),
        (["--aa", "--locked"], "--locked is not used with --aa"),
    ],
)
def test_recorded_replies_cannot_be_asked_twice_and_no_lock_is_of_one_arm(
    harness, tmp_path, options, message
):
    called = harness("run", write_project(tmp_path), *options)

    assert called.code == 2
    assert message in called.err
