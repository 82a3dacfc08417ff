"""One case of a signed run is shown without the others, and cannot be another case."""

import json
from pathlib import Path

import pytest

from harness.domain.canonical import canonical_bytes
from harness.graders.carried import Carrying
from harness.store.merkle import leaf_hash
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


def _line(kind: str, change):
    """Change the first line of a kind."""
    return lambda it: change(next(each for each in it["lines"] if each["line"]["committed"]["kind"] == kind))


def _shown(part: str, change):
    """Change a part that the first record shows."""
    return _line("record", lambda it: change(next(s for s in it["line"]["shown"] if s["part"] == part)))


def _commitments(it):
    it.update(commitments=it["commitments"].replace('"n_lines":', '"n_lines":1'))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_shown("response", lambda it: it["content"].update(failure={"kind": "x"})), "does not open its"),
        (_shown("response", lambda it: it.update(salt="0" * 64)), "or the salt is the wrong one"),
        (_shown("verdict", lambda it: it["content"].update(outcome="pass")), "does not open its commitment"),
        (_line("record", lambda it: it["line"]["committed"]["clear"].update(repeat=7)), "does not stand"),
        (_line("record", lambda it: it.update(index=it["index"] + 1)), "does not stand"),
        (_line("record", lambda it: it["path"].reverse()), "does not stand"),
        (_line("case", lambda it: it["path"].pop()), "does not stand"),
        (lambda it: it.update(lines=it["lines"][:2]), "there are none"),
        (lambda it: it.update(lines=it["lines"][1:]), "start with its plan"),
        (lambda it: it.update(case="c99"), "not about c99"),
        (lambda it: it["lines"].append(it["lines"][-1]), "stand out of order, or twice"),
        (_commitments, "is not the one in the signed statement"),
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


def test_a_proof_tells_of_no_other_case_by_a_digest(harness, signed):
    run = signed / "run"
    proof = _proof(harness, signed, _sides(run)[0]).read_text()
    lines = (run / "evidence.jsonl").read_bytes().splitlines()

    assert not [line for line in lines if leaf_hash(line).hex() in proof]
    assert not [line for line in lines if json.loads(line)["request"] in proof]


def test_only_what_is_asked_for_is_disclosed(harness, signed):
    shown = _sides(signed / "run")[0]
    words = ("--withhold", "prompts", "--withhold", "references", "--out", signed / "proof.json")
    harness("prove", signed / "run", "--case", shown, *words)

    assert _verify(harness, signed).code == 0
    assert f"Do {shown}?" not in (signed / "proof.json").read_text()
    assert f"({shown})" in (signed / "proof.json").read_text()


def test_a_copy_proves_a_case_and_the_run_discloses_it_later(harness, signed):
    shown = _sides(signed / "run")[0]
    harness("redact", signed / "run", "--out", signed / "copy")
    harness("prove", signed / "copy", "--case", shown, "--out", signed / "proof.json")
    withheld = _verify(harness, signed)
    of_copy = json.loads((signed / "proof.json").read_bytes())
    disclosed = json.loads(_proof(harness, signed, shown).read_bytes())

    assert withheld.code == 0
    assert "0 of 2 were read again" in withheld.out
    assert "2 of 2 were read again" in _verify(harness, signed).out
    assert of_copy["commitments"] == disclosed["commitments"]
    leaves = [[each["line"]["committed"] for each in it["lines"]] for it in (of_copy, disclosed)]
    assert leaves[0] == leaves[1]


def test_a_verdict_that_its_text_does_not_say_is_caught_once_it_is_disclosed(harness, signed, monkeypatch):
    shown = _sides(signed / "run")[0]
    honest = Carrying.reading

    def turned(self, record):
        found = honest(self, record)
        return found._replace(verdict=found.verdict.model_copy(update={"outcome": "pass"}))

    for name in ("report.sigstore.json", "commitments.json", "redaction.key"):
        (signed / "run" / name).unlink()
    monkeypatch.setattr(Carrying, "reading", turned)
    harness("sign", signed / "run", "--key", signed / "keys" / "signer.key")
    _proof(harness, signed, shown)
    monkeypatch.undo()
    called = _verify(harness, signed)

    assert called.code == 4
    assert "outcome: carried is pass, its text reads fail" in called.out


def test_a_proof_in_other_bytes_is_refused(harness, signed):
    path = _proof(harness, signed, _sides(signed / "run")[0])
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1))

    assert _verify(harness, signed).code == 4
