"""A run directory belongs to one plan, and to one process at a time."""

import subprocess
import sys

import pytest
from runs import a_name, a_plan, a_stored

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError, StoreError, Tampered
from harness.store.run_dir import open_run, read_plan, safe_name, write_plan

PLAN = a_plan()


HOLD = """
import sys
from pathlib import Path
from harness.domain.plan import Plan
from harness.store.run_dir import open_run

with open_run(Path(sys.argv[1]), Plan.from_json(sys.argv[2])):
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def another_process(tmp_path):
    """Another process that works in the directory until its input ends."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "run"), canonical_bytes(PLAN).decode()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        yield process


def test_a_new_directory_holds_the_plan_and_an_empty_store(tmp_path):
    with open_run(tmp_path / "deep" / "run", PLAN) as run:
        assert len(run.store) == 0

    assert read_plan(tmp_path / "deep" / "run") == PLAN


def test_what_one_start_stored_the_next_one_finds(tmp_path):
    name = a_name()
    with open_run(tmp_path / "run", PLAN) as run:
        run.store.add_all([(name, a_stored(name))])
    with open_run(tmp_path / "run", PLAN) as run:
        assert run.store.get(name) == a_stored(name)


def test_a_directory_of_another_plan_is_refused_and_left_alone(tmp_path):
    with open_run(tmp_path / "run", PLAN):
        pass
    with pytest.raises(InputError, match="another plan"), open_run(tmp_path / "run", a_plan(seed=8)):
        pass

    assert read_plan(tmp_path / "run") == PLAN


def test_two_processes_never_work_in_one_directory(tmp_path, another_process):
    with (
        pytest.raises(StoreError, match=f"process {another_process.pid} is working"),
        open_run(tmp_path / "run", PLAN),
    ):
        pass


def test_a_killed_process_leaves_no_lock_behind(tmp_path, another_process):
    another_process.kill()
    another_process.wait(30)

    with open_run(tmp_path / "run", PLAN) as run:
        assert len(run.store) == 0


def test_a_directory_without_a_plan_is_no_run_directory(tmp_path):
    with pytest.raises(InputError, match="not a run directory"):
        read_plan(tmp_path)


def test_a_plan_with_an_unknown_key_or_other_bytes_was_changed(tmp_path):
    write_plan(tmp_path, PLAN)
    path = tmp_path / "plan.json"
    content = path.read_bytes()

    path.write_bytes(content.replace(b'{"anchors"', b'{"added":1,"anchors"'))
    with pytest.raises(Tampered, match="added"):
        read_plan(tmp_path)
    path.write_bytes(content + b"\n")
    with pytest.raises(Tampered, match="bytes"):
        read_plan(tmp_path)


def test_a_directory_that_cannot_be_made_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="cannot be written"), open_run(tmp_path / "file" / "run", PLAN):
        pass


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("org/m:8b", "org-m-8b"),
        ("a/../b", "a-..-b"),
        ("../../etc", "etc"),
        ("2026-01-02T03:04:05+00:00", "2026-01-02T03-04-05-00-00"),
        ("..", "run"),
        ("", "run"),
        ("naïve café", "na-ve-caf"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_file_name_made_of_any_text_is_one_path_component(name, safe):
    assert safe_name(name) == safe
    assert "/" not in safe_name(name)
