"""Looks at the held-out split: counted, budgeted, and never lost."""

import json

from tests.cli.small_project import pass_every_other_case, write_project


def opened(harness, tmp_path, *, looks: int):
    experiment = write_project(tmp_path / "p")
    pass_every_other_case(tmp_path / "p")
    settings = tmp_path / "p" / "gold" / "small" / "set.toml"
    settings.write_text(settings.read_text().replace("held_out = 0.4,", f"held_out = 0.4, looks = {looks},"))
    harness("run", experiment, "--dir", tmp_path / "run")
    return harness("open-held-out", tmp_path / "run", "--yes", "--json")


def test_a_look_spends_its_share_of_alpha(harness, tmp_path):
    report = json.loads(opened(harness, tmp_path, looks=5).out)

    assert report["held_out"]["majority"]["interval"]["confidence_level"] == 0.99
    assert report["exploratory"]["majority"]["interval"]["confidence_level"] == 0.95
    assert any("spends alpha 0.01" in note for note in report["notes"])


def test_looks_that_are_used_up_are_refused_and_show_nothing(harness, tmp_path):
    opened(harness, tmp_path, looks=1)
    harness("run", tmp_path / "p" / "experiment.toml", "--dir", tmp_path / "second")
    (tmp_path / "second" / "junit.xml").unlink()
    experiment = tmp_path / "p" / "experiment.toml"
    experiment.write_text(experiment.read_text().replace("seed = 1", "seed = 2"))
    harness("run", experiment, "--dir", tmp_path / "other")
    called = harness("open-held-out", tmp_path / "other", "--yes")

    assert (called.code, called.out) == (2, "")
    assert "1 of 1 looks are used up" in called.err


def test_a_look_that_the_run_did_not_keep_is_found_in_the_ledger(harness, tmp_path):
    opened(harness, tmp_path, looks=1)
    (tmp_path / "run" / "look.json").unlink()
    called = harness("open-held-out", tmp_path / "run", "--yes")

    assert "no new look" in called.err
    assert called.code == 0


def test_a_planted_look_opens_nothing(harness, tmp_path):
    opened(harness, tmp_path, looks=1)
    (tmp_path / "p" / "gold" / "small" / "looks.jsonl").unlink()
    called = harness("report", tmp_path / "run")

    assert (called.code, called.out) == (4, "")
    assert "is not in the ledger" in called.err
