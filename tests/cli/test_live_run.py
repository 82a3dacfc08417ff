"""Runs over the wire: what they ask, what they say when something is wrong, and what is kept."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.live_project import HONEST, LENIENT, serving, wait_for, write_live_project

N_CALLS = 6 * 2 * 2 * (1 + 3) + 2 * 3


def test_a_run_asks_everything_once_and_again_asks_nothing(harness, tmp_path):
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        first = harness("run", experiment, "--dir", tmp_path / "run", "--json")
        asked = server.stats()["n_requests"]
        second = harness("run", experiment, "--dir", tmp_path / "run", "--json")
        again = server.stats()["n_requests"]
    report = json.loads(first.out)

    assert (asked, again) == (N_CALLS, N_CALLS)
    assert report["run"]["n_calls"] == N_CALLS
    assert report["audits"]["canaries"]["status"] == "pass"
    assert [e["models"] for e in report["audits"]["routing"]["endpoints"]] == [
        [["m-old", 12]],
        [["m-new", 12]],
        [["m-judge", 78]],
    ]
    assert second.out == first.out


def test_a_surviving_canary_stops_the_line_before_the_arms_are_asked(harness, tmp_path):
    with serving(LENIENT) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        called = harness("run", experiment, "--dir", tmp_path / "run", "--json")
        asked = server.stats()["n_requests"]
    report = json.loads(called.out)

    assert called.code == 1
    assert report["decision"]["verdict"] == "invalid"
    assert "canary_survived: wrong" in " ".join(report["decision"]["reasons"])
    assert asked == 2 * 3


def test_a_surviving_canary_of_the_checks_stops_the_line_before_any_call(harness, tmp_path):
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        planted = {
            "id": "blind",
            "prompt": "Q?",
            "answer": "no",
            "expected": "pass",
            "grader": "checks",
            "why": "t",
        }
        planted["checks"] = [{"kind": "exact", "expected": "yes"}]
        with (tmp_path / "p" / "gold" / "live" / "canaries.jsonl").open("a") as canaries:
            canaries.write(json.dumps(planted) + "\n")
        for _ in range(2):
            called = harness("run", experiment, "--dir", tmp_path / "run", "--json")
        asked = server.stats()["n_requests"]
    report = json.loads(called.out)

    assert (called.code, report["decision"]["verdict"]) == (1, "invalid")
    assert "canary_survived: blind" in " ".join(report["decision"]["reasons"])
    assert asked <= 2 * 3


def test_a_missing_key_variable_is_one_line_and_nothing_is_sent(harness, tmp_path, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url, key_env="NO_SUCH_KEY")
        called = harness("run", experiment, "--dir", tmp_path / "run")
        asked = server.stats()["n_requests"]

    assert (called.code, asked) == (2, 0)
    assert "NO_SUCH_KEY" in called.err
    assert "baseline" in called.err
    assert len(called.err.splitlines()) == 1


def test_an_unreachable_server_is_told_by_address_and_nothing_else_happens(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    called = harness("run", experiment, "--dir", tmp_path / "run")

    assert (called.code, called.out) == (3, "")
    assert "judge (model m-judge at http://127.0.0.1:1/v1)" in called.err
    assert "connection" in called.err
    assert len(called.err.splitlines()) == 1


def test_a_wrong_model_stops_the_run_at_once_with_its_status(harness, tmp_path):
    faults = [{"fault": "404", "contains": "m-new"}]
    with serving(HONEST, faults=faults) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        called = harness("run", experiment, "--dir", tmp_path / "run")
        refused = server.stats()["faults"]["404"]

    assert called.code in (1, 3)
    assert "404" in called.err
    assert "m-new" in called.err
    assert "Traceback" not in called.err
    assert refused <= 4


def test_a_setting_changed_after_the_lock_is_named_with_both_values(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    harness("freeze", experiment)
    experiment.write_text(experiment.read_text().replace("margin = 0.05", "margin = 0.01"))
    called = harness("run", experiment, "--dir", tmp_path / "run")

    assert called.code == 4
    assert "margin" in called.err
    assert "0.05" in called.err
    assert "0.01" in called.err


def test_locked_wants_a_lock(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    called = harness("run", experiment, "--dir", tmp_path / "run", "--locked")

    assert called.code == 2
    assert "experiment.lock.json" in called.err


def test_an_unknown_key_is_named_with_its_file(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    experiment.write_text(experiment.read_text().replace("seed = 1", "seed = 1\nmargins = 0.1"))
    called = harness("check", experiment)

    assert called.code == 2
    assert "experiment.toml" in called.err
    assert "margins" in called.err
    assert len(called.err.splitlines()) == 1


def test_an_interrupted_run_says_what_is_kept_and_goes_on_without_paying_twice(harness, tmp_path):
    with serving(HONEST, latency_ms=30) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        words = [sys.executable, "-c", "from harness.cli import main; main()", "run", str(experiment)]
        with subprocess.Popen(
            [*words, "--dir", str(tmp_path / "run")], stderr=subprocess.PIPE, text=True
        ) as process:
            wait_for(server, 20)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        report = json.loads(harness("run", experiment, "--dir", tmp_path / "run", "--json").out)
        answered_twice = server.stats()["answered_twice"]

    assert process.returncode == 3
    assert "interrupted" in told
    assert "are kept in" in told
    assert "Traceback" not in told
    assert answered_twice == []
    assert report["completeness"]["n_calls_answered"] == N_CALLS


def test_a_file_that_is_no_run_is_one_line(harness, tmp_path: Path):
    called = harness("report", tmp_path)

    assert called.code == 2
    assert len(called.err.splitlines()) == 1
