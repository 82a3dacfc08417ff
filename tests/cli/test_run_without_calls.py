"""A run that stopped before its first call is signed and verified like any other."""

from pathlib import Path

from tests.cli.conftest import Call
from tests.cli.small_project import write_project, write_rows

SURVIVES = {
    "id": "k1",
    "prompt": "Do it?",
    "answer": "I do it.",
    "expected": "fail",
    "grader": "checks",
    "checks": [{"kind": "contains", "texts": ["I do it"], "need": "all"}],
    "why": "no check here can catch it",
}


def test_a_canary_that_survives_before_any_call_leaves_a_run_that_can_be_signed(
    harness: Call, tmp_path: Path
) -> None:
    experiment, run, keys = write_project(tmp_path / "p"), tmp_path / "run", tmp_path / "keys"
    write_rows(tmp_path / "p/gold/small/canaries.jsonl", [SURVIVES])
    assert harness("run", experiment, "--dir", run).code == 1
    assert (run / "evidence.jsonl").read_bytes() == b""
    harness("keygen", keys)

    signed = harness("sign", run, "--key", keys / "signer.key")
    assert (signed.code, signed.err) == (0, "")
    verified = harness("verify", run, "--key", keys / "signer.pub", "--recompute")
    assert verified.code == 1
    assert "BROKEN" not in verified.out
