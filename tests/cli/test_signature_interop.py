"""Implementations that are not ours verify the same bundle, and refuse a changed one."""

import base64
import json
import os
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from harness.report.bundle import bundle_bytes, open_bundle, with_timestamp
from harness.report.keys import make_key, public_pem
from harness.report.statement import PREDICATE_TYPE
from tests.stamping import StampAuthority

ROOT = Path(__file__).parents[2]
NODE = ROOT / "bench" / "sigstore"
ED25519 = "openssl pkeyutl -verify -pubin -inkey signer.pub -rawin -in pae -sigfile s"


@pytest.fixture(params=["p256", "ed25519"])
def signed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with a report, a bundle over it, and the public key."""
    key = make_key(request.param)
    (tmp_path / "report.json").write_bytes(b'{"a":1}')
    subject = {
        "name": "report.json",
        "digest": {"sha256": "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"},
    }
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [subject],
        "predicateType": PREDICATE_TYPE,
        "predicate": {},
    }
    (tmp_path / "report.sigstore.json").write_bytes(bundle_bytes(json.dumps(statement).encode(), key))
    (tmp_path / "signer.pub").write_bytes(public_pem(key.public_key()))
    (tmp_path / "kind").write_text(request.param)
    return tmp_path


def _spoil(folder: Path) -> None:
    path = folder / "report.sigstore.json"
    bundle = json.loads(path.read_bytes())
    payload = base64.b64decode(bundle["dsseEnvelope"]["payload"]).replace(b"report.json", b"report.jsom")
    bundle["dsseEnvelope"]["payload"] = base64.b64encode(payload).decode()
    path.write_text(json.dumps(bundle))


def _recipe(kind: str) -> str:
    page = (ROOT / "docs" / "verification.md").read_text("utf-8")
    found = re.search(r"<!-- openssl recipe -->\n```sh\n(.*?)```", page, re.DOTALL)
    assert found is not None
    lines = found[1].splitlines()
    return "\n".join(lines if kind == "p256" else [*lines[:2], ED25519, *lines[3:]])


def _openssl(folder: Path) -> tuple[int, str]:
    recipe = f"set -e\n{_recipe((folder / 'kind').read_text())}"
    done = subprocess.run(["bash", "-c", recipe], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.skipif(not (shutil.which("openssl") and shutil.which("jq")), reason="no openssl or jq here")
def test_openssl_verifies_by_the_printed_recipe(signed):
    code, out = _openssl(signed)

    assert (code, out.splitlines()[-1]) == (0, "subject ok")
    _spoil(signed)
    assert _openssl(signed)[0] != 0


def test_securesystemslib_verifies(signed):
    assert _securesystemslib(signed)
    _spoil(signed)
    assert not _securesystemslib(signed)


def _securesystemslib(folder: Path) -> bool:
    envelope = json.loads((folder / "report.sigstore.json").read_bytes())["dsseEnvelope"]
    name = envelope["signatures"][0]["keyid"]
    kind = (
        ("ecdsa", "ecdsa-sha2-nistp256")
        if (folder / "kind").read_text() == "p256"
        else ("ed25519", "ed25519")
    )
    pem = (folder / "signer.pub").read_text()
    public = pem if kind[0] == "ecdsa" else _raw_ed25519(pem)
    key = SSlibKey(name, *kind, {"public": public})
    try:
        return list(Envelope.from_dict(envelope).verify([key], 1)) == [name]
    except VerificationError:
        return False


def _raw_ed25519(pem: str) -> str:
    return base64.b64decode(pem.split("-----")[2])[-32:].hex()


@pytest.mark.skipif(not (NODE / "node_modules").is_dir(), reason="npm install was not run in bench/sigstore")
def test_sigstore_for_node_verifies(signed):
    assert _node(signed) == 0
    _spoil(signed)
    assert _node(signed) != 0


@pytest.mark.skipif(not (NODE / "node_modules").is_dir(), reason="npm install was not run in bench/sigstore")
def test_sigstore_for_node_verifies_a_time_stamp(signed, tmp_path):
    ours, theirs = (StampAuthority(tmp_path / name) for name in ("ours", "theirs"))
    path = signed / "report.sigstore.json"
    signature = open_bundle(path.read_bytes(), name="b").signature
    path.write_bytes(with_timestamp(path.read_bytes(), ours.stamp(signature).read_bytes(), name="b"))

    assert _node(signed, ours.chain) == 0
    assert _node(signed, theirs.chain) != 0


def _node(folder: Path, *authority: Path) -> int:
    words = [
        "node",
        str(NODE / "verify.mjs"),
        str(folder / "report.sigstore.json"),
        str(folder / "signer.pub"),
        *map(str, authority),
    ]
    return subprocess.run(words, capture_output=True, check=False, env=dict(os.environ)).returncode


def test_the_name_of_a_key_is_the_digest_of_its_der(signed):
    bundle = json.loads((signed / "report.sigstore.json").read_bytes())
    der = base64.b64decode("".join((signed / "signer.pub").read_text().splitlines()[1:-1]))
    assert bundle["verificationMaterial"]["publicKey"]["hint"] == sha256(der).hexdigest()
