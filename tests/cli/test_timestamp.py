"""A time stamp dates a signature by the word of an authority that the verifier names."""

import base64
import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness.domain.canonical import canonical_bytes
from harness.report.bundle import open_bundle
from harness.report.keys import make_key, public_pem, write_key_pair
from tests.cli.marked_project import sign_marked_run
from tests.stamping import StampAuthority

_KEY = make_key("p256")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a signed run and its key."""
    root = tmp_path_factory.mktemp("signed")
    sign_marked_run(root, _KEY)
    write_key_pair(root / "signer.key", _KEY)
    return root


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> StampAuthority:
    return StampAuthority(tmp_path_factory.mktemp("tsa") / "one")


@pytest.fixture
def run(signed: Path, tmp_path: Path) -> Path:
    """A copy of the run that may be changed."""
    shutil.copytree(signed / "run", tmp_path / "run", ignore=shutil.ignore_patterns("store"))
    return tmp_path / "run"


def _signature(run: Path) -> bytes:
    return open_bundle((run / "report.sigstore.json").read_bytes(), name="b").signature


def _stamped(harness, run: Path, authority: StampAuthority, tmp_path: Path) -> Path:
    """Stamp the run as its owner would: a request, the answer, the answer into the bundle."""
    assert harness("timestamp", run, "--query", tmp_path / "q.tsq").code == 0
    assert harness("timestamp", run, "--token", authority.answer(tmp_path / "q.tsq")).code == 0
    return run


def _put(run: Path, token: bytes) -> None:
    """Put any bytes in the place of the time stamp."""
    path = run / "report.sigstore.json"
    bundle = json.loads(path.read_bytes())
    stamp = {"signedTimestamp": base64.b64encode(token).decode()}
    bundle["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"] = [stamp]
    path.write_bytes(canonical_bytes(bundle))


def _verify(harness, signed: Path, run: Path, *words: object):
    called = harness("verify", run, *(words or ("--key", signed / "signer.pub")), "--json")
    return called, json.loads(called.out)


def _said(found, what: str = "time") -> list[tuple[str, str]]:
    return [(each["standing"], each["detail"]) for each in found["claims"] if each["what"] == what]


def test_a_stamp_by_a_named_authority_holds(harness, signed, run, authority, tmp_path):
    _stamped(harness, run, authority, tmp_path)
    for certificates in (authority.certificates, authority.whole):
        words = ("--key", signed / "signer.pub", "--tsa", certificates)
        called, found = _verify(harness, signed, run, *words)

        assert (called.code, found["result"]) == (0, "PASS")
        assert [standing for standing, _ in _said(found)] == ["holds"]
        assert "stamped 20" in _said(found, "key")[0][1]


def test_openssl_takes_the_request_and_the_stamp(harness, signed, run, authority, tmp_path):
    token = authority.answer(_query(harness, run, tmp_path))
    (tmp_path / "s").write_bytes(_signature(run))
    words = ("-verify", "-data", tmp_path / "s", "-in", token, "-CAfile", authority.certificates)
    done = subprocess.run(["openssl", "ts", *map(str, words)], capture_output=True, text=True, check=False)

    assert "Verification: OK" in done.stdout + done.stderr


def _query(harness, run: Path, tmp_path: Path) -> Path:
    harness("timestamp", run, "--query", tmp_path / "q.tsq")
    return tmp_path / "q.tsq"


def test_a_request_says_how_it_is_sent_and_sends_nothing(harness, run, tmp_path):
    called = harness("timestamp", run, "--query", tmp_path / "q.tsq")

    assert "Nothing was sent" in called.out
    assert "curl -sS -H 'Content-Type: application/timestamp-query'" in called.out


def test_a_stamp_whose_authority_nobody_named_is_left_alone(harness, signed, run, authority, tmp_path):
    called, found = _verify(harness, signed, _stamped(harness, run, authority, tmp_path))

    assert called.code == 0
    assert _said(found)[0][0] == "not_checked"
    assert "--tsa names" in _said(found)[0][1]


def test_a_stamp_that_is_wanted_and_missing_proves_no_time(harness, signed, run, authority):
    words = ("--key", signed / "signer.pub", "--tsa", authority.certificates)
    called, found = _verify(harness, signed, run, *words)

    assert (called.code, found["result"]) == (3, "CANNOT TELL")
    assert _said(found) == [("unproven", "there is no time stamp, and --tsa names an authority")]


def test_a_stamp_by_another_authority_is_refused(harness, signed, run, authority, tmp_path):
    _stamped(harness, run, StampAuthority(tmp_path / "another"), tmp_path)
    words = ("--key", signed / "signer.pub", "--tsa", authority.certificates)
    called, found = _verify(harness, signed, run, *words)

    assert called.code == 4
    assert "by no authority that --tsa names" in _said(found)[0][1]


def test_a_stamp_over_another_signature_is_named(harness, signed, run, authority, tmp_path):
    token = authority.stamp(b"another signature")
    refused = harness("timestamp", run, "--token", token)
    _put(run, token.read_bytes())
    called, found = _verify(harness, signed, run)

    assert (refused.code, called.code) == (2, 4)
    assert "is over another signature" in refused.err
    assert "is over another signature" in _said(found)[0][1]


def test_a_stamp_by_a_digest_that_is_broken_counts_for_nothing(harness, run, authority):
    token = authority.stamp(_signature(run), "-sha1", "-cert")

    assert harness("timestamp", run, "--token", token).code == 2


def test_a_stamp_without_its_certificate_needs_it_from_the_verifier(harness, signed, run, authority):
    _put(run, authority.stamp(_signature(run), "-sha256").read_bytes())
    key = ("--key", signed / "signer.pub")

    assert _verify(harness, signed, run, *key, "--tsa", authority.whole)[0].code == 0
    assert _verify(harness, signed, run, *key, "--tsa", authority.certificates)[0].code == 4


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_stamp_that_is_cut_off_is_none(harness, signed, run, authority, tmp_path, cut):
    token = authority.stamp(_signature(run))
    (tmp_path / "cut.tsr").write_bytes(token.read_bytes()[:cut])
    refused = harness("timestamp", run, "--token", tmp_path / "cut.tsr")
    _put(run, token.read_bytes()[:cut] or b"\x00")
    called, found = _verify(harness, signed, run)

    assert (refused.code, called.code) == (2, 4)
    assert "not an RFC 3161 time stamp response" in _said(found)[0][1]


def test_no_changed_byte_of_a_stamp_still_counts(harness, signed, run, authority):
    token = bytearray(authority.stamp(_signature(run)).read_bytes())
    key = ("--key", signed / "signer.pub", "--tsa", authority.certificates)
    for place in range(9, len(token), 97):
        token[place] ^= 1
        _put(run, bytes(token))
        assert _verify(harness, signed, run, *key)[0].code == 4, place
        token[place] ^= 1


def test_two_stamps_are_one_too_many(harness, signed, run, authority):
    _put(run, authority.stamp(_signature(run)).read_bytes())
    path = run / "report.sigstore.json"
    bundle = json.loads(path.read_bytes())
    bundle["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"] *= 2
    path.write_bytes(canonical_bytes(bundle))
    called, found = _verify(harness, signed, run)

    assert called.code == 4
    assert "rfc3161Timestamps" in found["sentence"]


def _trust(tmp_path: Path, **times: datetime) -> Path:
    entry = {"owner": "Team", "pem": public_pem(_KEY.public_key()).decode()}
    path = tmp_path / "trust.json"
    path.write_text(json.dumps({"keys": [{**entry, **{k: v.isoformat() for k, v in times.items()}}]}))
    return path


def test_a_stamp_keeps_what_was_signed_before_a_key_was_revoked(harness, signed, run, authority, tmp_path):
    _stamped(harness, run, authority, tmp_path)
    trust = _trust(tmp_path, revoked_at=datetime.now(UTC) + timedelta(seconds=1))
    without = _verify(harness, signed, run, "--trust", trust)
    proven = _verify(harness, signed, run, "--trust", trust, "--tsa", authority.certificates)

    assert (without[0].code, _said(without[1], "key")[0][0]) == (3, "unproven")
    assert (proven[0].code, _said(proven[1], "key")[0][0]) == (0, "holds")


def test_a_stamp_travels_with_a_proof_and_a_copy(harness, signed, run, authority, tmp_path):
    _stamped(harness, run, authority, tmp_path)
    harness("redact", run, "--out", tmp_path / "copy")
    harness("prove", run, "--case", "c00", "--out", tmp_path / "proof.json")
    words = ("--key", signed / "signer.pub", "--tsa", authority.certificates)

    assert _verify(harness, signed, tmp_path / "copy", *words)[0].code == 0
    assert harness("verify-proof", tmp_path / "proof.json", *words).code == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"none", "wanted the certificates of a time stamp authority"), (None, "cannot be read")],
)
def test_an_authority_that_is_none_is_wrong_input(harness, signed, run, tmp_path, content, told):
    if content is not None:
        (tmp_path / "tsa.pem").write_bytes(content)
    called = harness("verify", run, "--tsa", tmp_path / "tsa.pem")

    assert (called.code, called.out) == (2, "")
    assert told in called.err


def test_trust_from_the_run_directory_is_no_trust(harness, signed, run, authority, tmp_path):
    _stamped(harness, run, authority, tmp_path)
    shutil.copy(authority.certificates, run / "authority.pem")
    shutil.copy(_trust(tmp_path), run / "trust.json")
    key = ("--key", signed / "signer.pub")
    for words in ((*key, "--tsa", run / "authority.pem"), ("--trust", run / "trust.json")):
        called, found = _verify(harness, signed, run, *words)

        assert called.code == 3
        assert "lies in the run directory" in found["sentence"]


def test_an_authority_without_its_root_is_wrong_input(harness, run, authority, tmp_path):
    called = harness("verify", run, "--tsa", authority.whole.with_name("tsa.pem"))

    assert called.code == 2
    assert "wanted the authority's root" in called.err


@pytest.mark.parametrize("words", [(), ("--query", "q", "--token", "t")])
def test_a_request_or_a_stamp_and_not_both(harness, run, words):
    assert harness("timestamp", run, *words).code == 2
