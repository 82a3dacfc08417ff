"""A held-out case that was shown is on record, and exploratory in every later plan."""

import json
import shutil
from pathlib import Path

import pytest

from harness.inputs.exposures import read_exposures
from harness.store.run_dir import read_plan
from tests.cli.small_project import pass_every_other_case, write_project


class Project:
    """A project half of whose cases flip, and its first run, whose held-out split was opened."""

    def __init__(self, harness, root: Path) -> None:
        self.harness, self.root = harness, root
        self.experiment, self.run = write_project(root), root / "run"
        self.ledger = root / "gold" / "small" / "exposures.jsonl"
        pass_every_other_case(root)
        harness("run", self.experiment, "--dir", self.run)
        self.dealt = read_plan(self.run).held_out

    def look(self):
        return self.harness("open-held-out", self.run, "--yes", "--json")

    def next_plan(self, name: str = "next"):
        """Run another plan on the same cases and return it."""
        text = self.experiment.read_text()
        self.experiment.write_text(text.replace("seed = 1", "seed = 2"))
        called = self.harness("run", self.experiment, "--dir", self.root / name, "--json")
        self.experiment.write_text(text)
        assert called.code in (0, 3), called.err
        return read_plan(self.root / name)


@pytest.fixture
def project(harness, tmp_path) -> Project:
    return Project(harness, tmp_path / "p")


def test_a_look_exposes_the_cases_that_its_report_names_before_it_shows_them(project):
    called = project.look()
    report = json.loads(called.out)
    (exposure,) = read_exposures(project.ledger)

    flips = [flip["case"] for flip in report["held_out"]["flips"]["cases"]]
    assert flips == [name for name in project.dealt if int(name[1:]) % 2]
    assert [each.id for each in exposure.cases] == flips
    assert f"{len(flips)} held-out cases are shown one by one" in called.err


def test_in_a_later_plan_they_are_exploratory_and_the_report_says_so(project):
    shown = [flip["case"] for flip in json.loads(project.look().out)["held_out"]["flips"]["cases"]]
    plan = project.next_plan()
    report = json.loads((project.root / "next" / "report.json").read_bytes())

    assert set(plan.held_out) == set(project.dealt) - set(shown)
    assert (list(plan.moved.shown), list(plan.moved.cases)) == (shown, shown)
    exposure = report["plan"]["exposure"]
    assert (exposure["n_shown"], exposure["n_moved"], exposure["moved"]) == (len(shown), len(shown), shown)
    note = next(note for note in report["notes"] if "were shown before this plan was made" in note)
    assert all(name in note for name in shown)
    assert note.split(";")[0] in (project.root / "next" / "summary.md").read_text()
    assert report["exploratory"]["majority"]["n_cases"] == len(plan.cases) - len(plan.held_out)


def test_such_a_run_verifies_and_its_plan_is_made_again(project):
    project.look()
    project.next_plan()
    project.harness("keygen", project.root / "keys")
    project.experiment.write_text(project.experiment.read_text().replace("seed = 1", "seed = 2"))
    project.harness("sign", project.root / "next", "--key", project.root / "keys" / "signer.key")
    words = ("--key", project.root / "keys" / "signer.pub", "--recompute", "--inputs", project.root, "--json")
    found = json.loads(project.harness("verify", project.root / "next", *words).out)

    assert [claim["detail"] for claim in found["claims"] if claim["standing"] == "broken"] == []
    details = [
        claim["detail"] for claim in found["claims"] if claim["what"] in ("split", "plan", "exposures")
    ]
    assert any("held-out cases are exploratory" in detail for detail in details), details
    assert any("make it again" in detail for detail in details)


@pytest.mark.parametrize(
    ("edit", "caught"),
    [
        (lambda moved: moved["shown"].pop(), "differ on whether c"),
        (lambda moved: moved["cases"].pop(), "is not the one that its split deals"),
        (lambda moved: moved.update(ledger="0" * 64), "the exposure 000"),
    ],
)
def test_what_was_moved_follows_from_the_record(project, edit, caught):
    project.look()
    project.next_plan()
    path = project.root / "next" / "plan.json"
    document = json.loads(path.read_bytes())
    edit(document["moved"])
    path.write_bytes(json.dumps(document, separators=(",", ":"), sort_keys=True).encode())
    found = json.loads(project.harness("verify", project.root / "next", "--json").out)

    broken = [claim["detail"] for claim in found["claims"] if claim["standing"] == "broken"]
    assert any(caught in detail for detail in broken), broken


def test_the_plan_that_was_opened_stays_as_it_was_decided(project):
    project.look()
    again = project.harness("run", project.experiment, "--dir", project.run, "--json")

    assert again.code == 0
    assert json.loads(again.out)["held_out"] is not None
    assert read_plan(project.run).held_out == project.dealt


def test_a_default_run_directory_goes_on_after_a_look(project, monkeypatch):
    monkeypatch.chdir(project.root)
    project.harness("run", "experiment.toml")
    (run,) = (project.root / "runs").iterdir()
    project.harness("open-held-out", run, "--yes")
    project.harness("run", "experiment.toml")

    assert [run] == list((project.root / "runs").iterdir())


def test_a_plan_that_was_frozen_before_the_look_keeps_its_split(project):
    text = project.experiment.read_text()
    other = project.root / "other.toml"
    other.write_text(text.replace("seed = 1", "seed = 3"))
    project.harness("freeze", other)
    project.look()
    project.harness("run", other, "--dir", project.root / "other", "--locked")

    assert read_plan(project.root / "other").held_out == project.dealt


def test_a_plan_that_is_frozen_after_the_look_has_what_was_shown_in_its_lock(project):
    project.look()
    other = project.root / "other.toml"
    other.write_text(project.experiment.read_text().replace("seed = 1", "seed = 3"))
    project.harness("freeze", other)
    lock = json.loads((project.root / "other.lock.json").read_bytes())

    assert lock["settings"]["moved.ledger"] == read_exposures(project.ledger)[-1].entry
    assert lock["settings"]["moved.cases"]
    project.ledger.unlink()
    called = project.harness("run", other, "--dir", project.root / "other", "--locked")
    assert called.code == 4
    assert "exposures.jsonl" in called.err


def _cut(path: Path) -> None:
    path.write_bytes(b"")


def _edit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"report"', b'"compare"'))


@pytest.mark.parametrize("spoil", [Path.unlink, _cut, _edit], ids=["missing", "shortened", "edited"])
@pytest.mark.parametrize("command", ["check", "freeze", "run", "report", "verify"])
def test_a_record_that_is_not_as_it_was_written_is_exit_code_4(project, spoil, command):
    project.look()
    spoil(project.ledger)
    on_run = command in ("report", "verify")
    called = project.harness(command, project.run if on_run else project.experiment)

    assert called.code == 4
    assert "exposures.jsonl" in called.out + called.err


def test_a_look_that_broke_off_before_it_was_shown_is_told_and_mended(project):
    project.look()
    for path in (project.ledger, project.run / "exposures.jsonl"):
        path.unlink()
    called = project.harness("check", project.experiment)
    assert (called.code, "`harness open-held-out RUN` writes it" in called.err) == (4, True)

    assert project.look().code == 0
    assert project.harness("check", project.experiment).code == 0


def test_a_proof_of_a_held_out_case_exposes_it(project):
    project.look()
    calm = next(name for name in project.dealt if int(name[1:]) % 2 == 0)
    project.harness("prove", project.run, "--case", calm, "--out", project.root / "proof.json")

    assert [each.id for each in read_exposures(project.ledger)[-1].cases] == [calm]
    assert calm not in project.next_plan().held_out


def test_a_proof_of_an_exploratory_case_exposes_nothing(project):
    project.look()
    before = project.ledger.read_bytes()
    open_ = next(case.id for case in read_plan(project.run).cases if case.id not in project.dealt)
    called = project.harness("prove", project.run, "--case", open_)

    assert (called.code, project.ledger.read_bytes()) == (0, before)


def test_a_copy_of_an_opened_run_exposes_every_held_out_case(project):
    project.harness("redact", project.run, "--out", project.root / "closed")
    assert not project.ledger.exists()
    project.look()
    project.harness("redact", project.run, "--out", project.root / "copy")

    shown = {case.id for exposure in read_exposures(project.ledger) for case in exposure.cases}
    assert shown == set(project.dealt)
    assert project.next_plan().held_out == ()
    called = project.harness("open-held-out", project.root / "next", "--yes")
    assert "all that the split holds out were shown before" in called.err


def test_a_comparison_across_opened_runs_exposes_the_cases_it_names(project):
    project.look()
    text = project.experiment.read_text()
    project.experiment.write_text(text.replace('replies = "replies.jsonl"', 'replies = "other.jsonl"'))
    calm = [name for name in project.dealt if int(name[1:]) % 2 == 0]
    replies = (project.root / "replies.jsonl").read_text()
    rows = [json.loads(line) for line in replies.splitlines()]
    turned = [{**row, "content": "I refuse."} if row["id"] == calm[0] else row for row in rows]
    (project.root / "other.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in turned))
    # Frozen before the look it would hold the same cases out; made after it, the calm ones alone.
    project.harness("run", project.experiment, "--dir", project.root / "second")
    project.harness("open-held-out", project.root / "second", "--yes")
    before = len(read_exposures(project.ledger))
    called = project.harness("compare", f"{project.run}@candidate", f"{project.root / 'second'}@candidate")

    assert called.code in (0, 1, 3)
    assert {exposure.shown_by for exposure in read_exposures(project.ledger)[before:]} == {"compare"}
    assert [each.id for each in read_exposures(project.ledger)[-1].cases] == [calm[0]]


def test_a_run_that_was_carried_elsewhere_shows_what_its_record_tells_and_no_more(project, tmp_path):
    project.look()
    project.harness("keygen", tmp_path / "keys")
    project.harness("sign", project.run, "--key", tmp_path / "keys" / "signer.key")
    away = tmp_path / "elsewhere" / "deep" / "run"
    shutil.copytree(project.run, away)

    assert project.harness("report", away).code == 0
    calm = next(name for name in project.dealt if int(name[1:]) % 2 == 0)
    called = project.harness("prove", away, "--case", calm)
    assert (called.code, called.out) == (2, "")
    assert "named by --gold" in called.err


def test_a_report_that_names_more_than_its_record_tells_is_broken(project):
    project.look()
    kept = project.run / "exposures.jsonl"
    kept.unlink()
    found = json.loads(project.harness("verify", project.run, "--json").out)

    broken = [claim["detail"] for claim in found["claims"] if claim["standing"] == "broken"]
    assert any("exposures.jsonl of the run does not tell" in detail for detail in broken)
