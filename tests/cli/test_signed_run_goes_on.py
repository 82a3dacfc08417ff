"""What later commands do to a run that is sealed and signed."""

from pathlib import Path

import pytest

from tests.cli.small_project import write_project


@pytest.fixture
def signed(harness, tmp_path) -> Path:
    """A complete run, signed by tmp_path/keys/signer.key."""
    write_project(tmp_path / "p")
    harness("run", tmp_path / "p" / "experiment.toml", "--dir", tmp_path / "run")
    (tmp_path / "keys").mkdir()
    harness("keygen", tmp_path / "keys")
    assert harness("sign", tmp_path / "run", "--key", tmp_path / "keys" / "signer.key").code == 0
    return tmp_path / "run"


def test_running_a_signed_run_again_leaves_its_signature_good(harness, signed, tmp_path):
    before = {path.name: path.read_bytes() for path in signed.glob("*.json*")}
    harness("run", tmp_path / "p" / "experiment.toml", "--dir", signed)
    verified = harness("verify", signed, "--key", tmp_path / "keys" / "signer.pub")

    assert {path.name: path.read_bytes() for path in signed.glob("*.json*")} == before
    assert "TAMPERED" not in verified.out


def test_a_lock_written_after_the_data_does_not_make_the_run_a_locked_one(harness, tmp_path):
    experiment = write_project(tmp_path / "p")
    harness("run", experiment, "--dir", tmp_path / "run")
    harness("freeze", experiment)
    called = harness("run", experiment, "--dir", tmp_path / "run", "--locked", "--json")

    assert '"locked":false' in called.out
    assert "The plan was not locked before the run" in called.out


def test_a_signed_report_is_not_written_over_by_another(harness, signed):
    report = signed / "report.json"
    other = report.read_bytes().replace(b'"n_attempts":', b'"n_attempts":1')
    report.write_bytes(other)
    called = harness("report", signed)

    assert (called.code, called.out) == (4, "")
    assert "is signed, and is not what this version makes" in called.err
    assert report.read_bytes() == other


def test_a_run_that_goes_on_sets_the_signature_over_its_first_part_aside(harness, signed, tmp_path):
    manifest = signed / "manifest.json"
    # As it would be where a call had failed; everything asked for is in the store.
    manifest.write_bytes(manifest.read_bytes().replace(b'"complete":true', b'"complete":false'))
    called = harness("run", tmp_path / "p" / "experiment.toml", "--dir", signed)

    assert "is of the report before this start" in called.err
    assert not (signed / "report.sigstore.json").exists()
    assert (signed / "superseded" / "before-start-1" / "report.sigstore.json").exists()
    assert harness("sign", signed, "--key", tmp_path / "keys" / "signer.key").code == 0


def test_a_lock_that_is_only_claimed_proves_nothing(harness, tmp_path):
    experiment = write_project(tmp_path / "p")
    harness("freeze", experiment)
    harness("run", experiment, "--dir", tmp_path / "run", "--locked")
    (tmp_path / "run" / "experiment.lock.json").unlink()
    called = harness("verify", tmp_path / "run")

    assert called.code == 3
    assert "the manifest says that the plan was locked, and the lock is not there" in called.out


def test_edited_evidence_is_never_replaced_in_silence(harness, signed, tmp_path):
    evidence = signed / "evidence.jsonl"
    edited = evidence.read_bytes().replace(b"I do it", b"I can't", 1)
    evidence.write_bytes(edited)
    called = harness("run", tmp_path / "p" / "experiment.toml", "--dir", signed)

    assert (called.code, called.out) == (4, "")
    assert "evidence.jsonl" in called.err
    assert evidence.read_bytes() == edited


def test_a_look_sets_the_signature_of_the_report_before_it_aside(harness, signed, tmp_path):
    key = tmp_path / "keys" / "signer"
    opened = harness("open-held-out", signed, "--yes")
    unsigned = harness("verify", signed, "--key", key.with_suffix(".pub"))
    again = harness("sign", signed, "--key", key.with_suffix(".key"))
    verified = harness("verify", signed, "--key", key.with_suffix(".pub"), "--recompute")

    assert "is of the report before the look" in opened.err
    assert (signed / "superseded" / "before-look-1" / "report.sigstore.json").exists()
    assert unsigned.code == 4
    assert again.code == 0
    assert "TAMPERED" not in verified.out
    assert verified.code == opened.code


def test_a_real_signature_takes_the_place_of_a_throw_away_one(harness, tmp_path):
    harness("demo", "--dir", tmp_path)
    run = tmp_path / "run-xstest"
    harness("open-held-out", run, "--yes")
    (tmp_path / "keys").mkdir()
    harness("keygen", tmp_path / "keys")
    harness("sign", run, "--key", tmp_path / "keys" / "signer.key")

    assert harness("verify", run, "--key", tmp_path / "keys" / "signer.pub").code == 0
