"""A plan made after the data, in whatever way, is called exploratory; a changed one is refused by name."""

import json

import pytest

from harness.cli.project import lock_experiment
from harness.domain.canonical import digest
from tests.cli.small_project import write_project

AFTER = "The plan was not locked before the run: its results are exploratory whatever they say."


@pytest.fixture
def frozen(tmp_path):
    experiment = write_project(tmp_path / "p")
    lock_experiment(experiment)
    return experiment


def dated(experiment, frozen_at):
    """Date the lock otherwise, and seal it again."""
    path = experiment.with_suffix(".lock.json")
    lock = json.loads(path.read_bytes())
    lock["frozen_at"] = frozen_at
    lock["seal"] = digest({name: value for name, value in lock.items() if name != "seal"})
    path.write_text(json.dumps(lock), encoding="utf-8")


def test_a_plan_frozen_before_the_first_call_is_locked(harness, frozen, tmp_path):
    report = json.loads(harness("run", frozen, "--dir", tmp_path / "run", "--json").out)

    assert report["plan"]["locked"] is True
    assert AFTER not in report["notes"]


def test_a_lock_that_is_younger_than_the_first_call_locks_nothing(harness, frozen, tmp_path):
    dated(frozen, "2999-01-01T00:00:00+00:00")
    report = json.loads(harness("run", frozen, "--dir", tmp_path / "run", "--json").out)

    assert report["plan"]["locked"] is False
    assert AFTER in report["notes"]
    assert not (tmp_path / "run" / "experiment.lock.json").exists()


def test_a_lock_written_once_the_run_was_complete_locks_nothing(harness, tmp_path):
    experiment = write_project(tmp_path / "p")
    harness("run", experiment, "--dir", tmp_path / "run")
    harness("freeze", experiment)
    report = json.loads(harness("run", experiment, "--dir", tmp_path / "run", "--locked", "--json").out)

    assert report["plan"]["locked"] is False
    assert AFTER in report["notes"]


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("experiment.toml", "answers = 1", "answers = 5", "experiment.repeats.answers: was 1, is 5"),
        ("experiment.toml", "margin = 0.05", "margin = 0.2", "experiment.analysis.margin: was 0.05, is 0.2"),
        ("gold/small/cases.jsonl", "Do c03?", "Do c03 now?", "cases.jsonl, 'c03', prompt: was"),
        (
            "gold/small/cases.jsonl",
            '{"id": "c00"',
            '{"id": "new", "prompt": "New?", "checks": [{"kind": "json"}]}\n{"id": "c00"',
            "cases.jsonl, 'new': was absent, is there",
        ),
        ("gold/small/set.toml", 'salt = "s"', 'salt = "t"', 'gold.split.salt: was "s", is "t"'),
    ],
    ids=["K raised", "margin", "a case edited", "a case added", "another split"],
)
@pytest.mark.parametrize("command", ["run", "check", "freeze"])
def test_what_changed_since_it_was_frozen_is_named_with_both_values(
    harness, frozen, tmp_path, command, name, old, new, told
):
    path = frozen.parent / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    words = ("--dir", tmp_path / "run", "--locked") if command == "run" else ()
    called = harness(command, frozen, *words)

    assert (called.code, called.out) == (4, "")
    assert "changed since it was frozen at 20" in called.err
    assert told in called.err


def test_an_edited_lock_is_refused(harness, frozen, tmp_path):
    path = frozen.with_suffix(".lock.json")
    path.write_text(path.read_text().replace("0.05", "0.06", 1))
    called = harness("run", frozen, "--dir", tmp_path / "run")

    assert called.code == 4
    assert "edited after it was written" in called.err
