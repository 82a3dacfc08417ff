"""What made a run is told: software by a bill with a digest, the commit, and how the clock went."""

import hashlib
import json
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from harness.cli.provenance import Clocks, provenance, software_bill, with_move
from harness.cli.run import make_report
from tests.cli.small_project import write_project


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    (tmp_path / "file").write_text("as it was")
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=n", "-c", "user.email=e@x.test", "commit", "-qm", "first"),
    ):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)
    return tmp_path


def test_a_clean_repository_is_named_by_its_commit(repository):
    found = provenance(repository)

    assert (len(found.git_commit or ""), found.git_dirty) == (40, False)


def test_a_changed_file_makes_it_dirty_and_a_run_directory_does_not(repository):
    (repository / "runs").mkdir()
    (repository / "runs" / "report.json").write_text("{}")
    assert provenance(repository).git_dirty is False
    (repository / "file").write_text("changed")

    assert provenance(repository).git_dirty is True


def test_without_a_repository_nothing_is_said_of_one(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    found = provenance(tmp_path)

    assert (found.git_commit, found.git_dirty) == (None, None)


def test_the_bill_lists_every_package_once_by_its_normalised_name_in_order():
    bill = software_bill()
    names = [name for name, _ in bill.packages]

    assert names == sorted(set(names))
    assert dict(bill.packages)["numpy"] == version("numpy")
    assert dict(bill.packages)["pydantic-core"] == version("pydantic_core")


def test_the_digest_in_the_report_is_that_of_the_bill_beside_it(harness, tmp_path):
    harness("run", write_project(tmp_path), "--dir", tmp_path / "run")
    bill = (tmp_path / "run" / "environment.json").read_bytes()
    found = make_report(tmp_path / "run").provenance

    assert found.environment_sha256 == hashlib.sha256(bill).hexdigest()
    assert json.loads(bill)["python"] == found.python
    assert found.clock_moved_ms is not None
    assert found.recorded_at is not None


@pytest.mark.parametrize(
    ("earlier", "last", "moved"),
    [
        (None, Clocks(3_000, 7_000), 0),
        (None, Clocks(3_600_000, 7_000), 3_597_000),
        (None, Clocks(2_000, 7_000), -1_000),
        (-5_000, Clocks(4_000, 7_000), -5_000),
    ],
)
def test_the_farthest_move_of_the_clock_is_kept(tmp_path, earlier, last, moved):
    found = with_move(provenance(tmp_path, clock_moved_ms=earlier), Clocks(1_000, 5_000), last)

    assert found.clock_moved_ms == moved


def test_a_clock_that_was_moved_is_a_note_of_the_report(harness, tmp_path):
    harness("run", write_project(tmp_path), "--dir", tmp_path / "run")
    path = tmp_path / "run" / "provenance.json"
    moved = re.sub(rb'"clock_moved_ms":-?\d+', b'"clock_moved_ms":360000', path.read_bytes())
    path.write_bytes(moved)
    notes = make_report(tmp_path / "run").notes

    assert [note for note in notes if note.startswith("The clock was moved by 360")]
