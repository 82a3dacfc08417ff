"""A plan that was signed when it was frozen is dated before the data."""

import json
from pathlib import Path

import pytest

from harness.domain.canonical import digest
from tests.cli.small_project import write_project
from tests.stamping import StampAuthority


@pytest.fixture
def keys(harness, tmp_path: Path) -> Path:
    """A folder with the keys of two people."""
    for name in ("planner.key", "signer.key"):
        harness("keygen", tmp_path / "keys" / name)
    return tmp_path / "keys"


def _signed(harness, root: Path, keys: Path) -> Path:
    experiment = write_project(root / "p")
    assert harness("freeze", experiment, "--key", keys / "planner.key").code == 0
    harness("run", experiment, "--dir", root / "run", "--locked")
    assert harness("sign", root / "run", "--key", keys / "signer.key").code == 0
    return root / "run"


def _verified(harness, run: Path, *keys: Path):
    called = harness("verify", run, "--json", *[word for key in keys for word in ("--key", key)])
    return called.code, json.loads(called.out)["claims"]


def test_the_signature_of_the_lock_travels_with_the_run_and_is_verified(harness, tmp_path, keys):
    run = _signed(harness, tmp_path, keys)
    code, claims = _verified(harness, run, keys / "planner.pub", keys / "signer.pub")

    assert code == 0
    assert any(claim["what"] == "lock" and claim["detail"].startswith("signed 20") for claim in claims)


def test_a_stamp_dates_the_plan_before_the_data(harness, tmp_path, keys):
    authority, experiment = StampAuthority(tmp_path / "tsa"), write_project(tmp_path / "p")
    harness("freeze", experiment, "--key", keys / "planner.key")
    bundle = experiment.with_suffix(".lock.sigstore.json")
    harness("timestamp", bundle, "--query", tmp_path / "q.tsq")
    assert harness("timestamp", bundle, "--token", authority.answer(tmp_path / "q.tsq")).code == 0
    harness("run", experiment, "--dir", tmp_path / "run", "--locked")
    harness("sign", tmp_path / "run", "--key", keys / "signer.key")
    words = [word for key in ("planner.pub", "signer.pub") for word in ("--key", keys / key)]
    called = harness("verify", tmp_path / "run", "--json", *words, "--tsa", authority.certificates)
    claims = [claim for claim in json.loads(called.out)["claims"] if claim["what"] == "lock time"]

    # The report itself has no stamp, which the verifier asked for.
    assert called.code == 3
    assert [claim["standing"] for claim in claims] == ["holds", "holds"]
    assert "stamped before the first call" in claims[1]["detail"]


def test_a_lock_signed_by_a_key_that_is_not_pinned_is_refused(harness, tmp_path, keys):
    code, claims = _verified(harness, _signed(harness, tmp_path, keys), keys / "signer.pub")

    assert code == 4
    assert any("its signature is by no pinned key" in claim["detail"] for claim in claims)


def test_a_lock_written_after_its_signature_is_named(harness, tmp_path, keys):
    experiment = write_project(tmp_path / "p")
    harness("freeze", experiment, "--key", keys / "planner.key")
    (tmp_path / "p" / "experiment.lock.json").unlink()
    experiment.write_text(experiment.read_text().replace("margin = 0.05", "margin = 0.01"))
    harness("freeze", experiment)
    harness("run", experiment, "--dir", tmp_path / "run", "--locked")
    harness("sign", tmp_path / "run", "--key", keys / "signer.key")
    code, claims = _verified(harness, tmp_path / "run", keys / "planner.pub", keys / "signer.pub")

    assert code == 4
    assert any("signed when it was frozen is" in claim["detail"] for claim in claims)


def test_a_plan_is_dated_once(harness, tmp_path, keys):
    experiment = write_project(tmp_path / "p")
    harness("freeze", experiment, "--key", keys / "planner.key")
    again = harness("freeze", experiment, "--key", keys / "planner.key")

    assert again.code == 2
    assert "a plan is dated once" in again.err


def test_a_plan_frozen_after_the_first_call_is_exploratory_whatever_it_says(harness, tmp_path, keys):
    experiment = write_project(tmp_path / "p")
    harness("freeze", experiment)
    harness("run", experiment, "--dir", tmp_path / "run", "--locked")
    path = tmp_path / "run" / "experiment.lock.json"
    lock = {**json.loads(path.read_text()), "frozen_at": "2999-01-01T00:00:00+00:00"}
    path.write_text(json.dumps({**lock, "seal": digest({k: v for k, v in lock.items() if k != "seal"})}))
    called = harness("sign", tmp_path / "run", "--key", keys / "signer.key")

    assert called.code == 3
    assert "the plan is exploratory, whatever it says" in called.err
