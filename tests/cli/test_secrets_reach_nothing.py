"""A key that is used everywhere is found nowhere: in no file, no output, no error."""

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.live_project import HONEST, serving, write_live_project

KEY = "FAKE-KEY-123/abc+def=ghi"
HEADER = "FAKE-HEADER-456-xyz"
SPELLINGS = [
    spelled
    for secret in (KEY, HEADER)
    for spelled in (
        secret,
        quote(secret, safe=""),
        base64.b64encode(secret.encode()).decode().rstrip("="),
        secret[:12],
    )
]


def _found(root: Path, *texts: str) -> list[str]:
    """Name every file and text that holds a spelling of a planted secret."""
    contents = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    contents |= {f"output {number}": text.encode() for number, text in enumerate(texts)}
    assert len(contents) > len(texts)
    return [f"{name}: {s}" for name, content in contents.items() for s in SPELLINGS if s.encode() in content]


def _with_keys(experiment: Path) -> None:
    """Give every endpoint the key, and a header of its own that is secret too."""
    both = 'api_key_env = "PLANTED_KEY"\nheaders = { x-proxy-token = "env:PLANTED_HEADER" }\n'
    text = experiment.read_text()
    experiment.write_text(text.replace('base_url = "', f'{both}base_url = "'))


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_KEY", KEY)
    monkeypatch.setenv("PLANTED_HEADER", HEADER)


def test_a_run_whose_server_repeats_the_keys_keeps_none_of_them(harness, tmp_path):
    echo = f"you sent {KEY} and {HEADER}"
    rules = [*HONEST, {"contains": "Question", "texts": [f"The answer. {echo}"]}]
    faults = [
        {"fault": "500", "at": [12, 15], "body": json.dumps({"error": {"message": echo}})},
        {"fault": "400", "at": [20], "body": json.dumps({"error": {"message": f"wrong key {KEY}"}})},
    ]
    outputs = []
    with serving(rules, faults=faults) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        _with_keys(experiment)
        run = tmp_path / "run"
        for words in (
            ("check", experiment),
            ("freeze", experiment),
            ("run", experiment, "--dir", run),
            ("run", experiment, "--dir", run, "--json"),
            ("report", run, "--json"),
            ("verify", run, "--recompute", "--json"),
        ):
            called = harness(*words)
            outputs += [called.out, called.err]
        asked = server.stats()["n_requests"]

    assert asked > 20
    assert b"you sent " in (run / "evidence.jsonl").read_bytes(), (
        "the server's echo was kept, without the keys"
    )
    assert _found(tmp_path, *outputs) == []


@pytest.mark.parametrize("status", ["401", "403", "500"])
def test_a_server_that_refuses_and_repeats_the_key_is_told_without_it(harness, tmp_path, status):
    body = json.dumps({"error": {"message": f"wrong key {KEY}, header {HEADER}"}})
    with serving(HONEST, faults=[{"fault": status, "body": body}]) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        _with_keys(experiment)
        called = harness("run", experiment, "--dir", tmp_path / "run")

    assert called.code in (1, 2, 3)
    assert status in called.err
    assert _found(tmp_path, called.out, called.err) == []


@pytest.mark.parametrize("command", ["check", "freeze", "run"])
@pytest.mark.parametrize(
    "base_url", [f"http://user:{HEADER}@127.0.0.1:1/v1", f"http://127.0.0.1:1/v1?api_key={HEADER}"]
)
def test_an_address_that_holds_a_key_is_refused_without_repeating_it(harness, tmp_path, command, base_url):
    experiment = write_live_project(tmp_path / "p", base_url=base_url)
    called = harness(command, experiment)
    written = experiment.rename(tmp_path.parent / "experiment-with-a-key.toml")

    assert called.code == 2
    assert "base_url" in called.err
    assert HEADER in written.read_text()
    assert _found(tmp_path, called.out, called.err) == []


def test_a_signing_key_reaches_nothing_but_its_file(harness, tmp_path, monkeypatch):
    outputs = [harness("keygen", tmp_path / "keys").out]
    pem = (tmp_path / "keys" / "signer.key").read_text()
    secret = pem.splitlines()[1]
    (tmp_path / "keys" / "signer.key").unlink()
    harness("demo", "--dir", tmp_path / "demo")
    run = tmp_path / "demo" / "run-xstest"
    (run / "report.sigstore.json").unlink()
    monkeypatch.setenv("SIGNING_KEY", pem)
    signed = harness("sign", run, "--key-env", "SIGNING_KEY")
    monkeypatch.setenv("SIGNING_KEY", pem.replace("BEGIN", "BEGUN"))
    refused = harness("sign", run, "--key-env", "SIGNING_KEY", "--replace")
    texts = [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]

    assert (signed.code, refused.code) == (0, 2)
    outputs += [signed.out, signed.err, refused.out, refused.err]
    assert not [text for text in (*texts, *outputs) if secret in text]
