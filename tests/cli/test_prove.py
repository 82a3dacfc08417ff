"""One case of a signed run is shown without the others, and cannot be another case."""

import json
from pathlib import Path

import pytest

from harness.domain.canonical import canonical_bytes
from harness.store.run_dir import read_plan
from tests.cli.small_project import write_project


@pytest.fixture
def signed(harness, tmp_path: Path) -> Path:
    """A folder with a signed run and its key."""
    experiment = write_project(tmp_path)
    harness("run", experiment, "--dir", tmp_path / "run")
    harness("keygen", tmp_path / "keys")
    harness("sign", tmp_path / "run", "--key", tmp_path / "keys" / "signer.key")
    return tmp_path


def _sides(run: Path) -> tuple[str, str]:
    plan = read_plan(run)
    return next(c.id for c in plan.cases if c.id not in plan.held_out), plan.held_out[0]


def _proof(harness, signed: Path, case: str) -> Path:
    assert harness("prove", signed / "run", "--case", case, "--out", signed / "proof.json").code == 0
    return signed / "proof.json"


def _verify(harness, signed: Path, *words: object):
    return harness("verify-proof", signed / "proof.json", "--key", signed / "keys" / "signer.pub", *words)


def test_a_proof_verifies_alone_and_holds_no_other_case(harness, signed):
    shown, _ = _sides(signed / "run")
    text = _proof(harness, signed, shown).read_text()
    others = [case.id for case in read_plan(signed / "run").cases if case.id != shown]

    assert _verify(harness, signed).code == 0
    assert f"({shown})" in text
    assert not [case for case in others if f"({case})" in text]


def test_a_held_out_case_is_shown_only_after_a_look(harness, signed):
    _, hidden = _sides(signed / "run")
    called = harness("prove", signed / "run", "--case", hidden)

    assert (called.code, called.out) == (2, "")
    assert "no look has opened it" in called.err
    harness("open-held-out", signed / "run", "--yes")
    assert hidden in harness("prove", signed / "run", "--case", hidden).out


def test_without_a_key_the_signer_is_unknown(harness, signed):
    _proof(harness, signed, _sides(signed / "run")[0])

    assert harness("verify-proof", signed / "proof.json").code == 3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda it: it["records"][0].update(line=it["records"][0]["line"].replace("it (", "IT (")),
            "does not stand",
        ),
        (lambda it: it["records"][0].update(index=it["records"][0]["index"] + 1), "does not stand"),
        (lambda it: it["records"][0]["path"].reverse(), "does not stand"),
        (lambda it: it["records"][0]["path"].pop(), "does not stand"),
        (lambda it: it.update(records=[]), "there are none"),
        (lambda it: it.update(case="c99"), "not about c99"),
        (lambda it: it.update(merkle_root="0" * 64), "is not the one in the signed statement"),
        (lambda it: it.update(bundle=None), "is missing, and a key is pinned"),
    ],
)
def test_a_changed_proof_is_refused(harness, signed, change, told):
    path = _proof(harness, signed, _sides(signed / "run")[0])
    document = json.loads(path.read_bytes())
    change(document)
    path.write_bytes(canonical_bytes(document))
    called = _verify(harness, signed)

    assert called.code == 4
    assert told in called.out


def test_a_proof_in_other_bytes_is_refused(harness, signed):
    path = _proof(harness, signed, _sides(signed / "run")[0])
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1))

    assert _verify(harness, signed).code == 4
