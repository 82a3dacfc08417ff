"""Keys are written once and never shown; a trust list says whose they are, and when."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as make_rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from harness.domain.errors import InputError
from harness.report.bundle import pre_authentication
from harness.report.keys import (
    is_signed_by,
    key_id,
    make_key,
    public_key,
    public_pem,
    read_public_key,
    read_signing_key,
    signature_of,
    write_key_pair,
)
from harness.report.trust import Pinned, key_at, moment, pinned_keys, read_trust

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def pinned(**times: datetime) -> Pinned:
    key = make_key("p256").public_key()
    return Pinned(key=key, id=key_id(key), owner="someone", **times)


def trust_file(path: Path, **fields: object) -> Path:
    entry = {"owner": "team", "pem": public_pem(make_key("p256").public_key()).decode(), **fields}
    path.write_text(json.dumps({"keys": [entry]}))
    return path


@pytest.mark.parametrize("kind", ["p256", "ed25519"])
def test_a_key_pair_signs_and_verifies_after_it_was_written(tmp_path, kind):
    public = write_key_pair(tmp_path / "new" / "a.key", make_key(kind))
    key = read_signing_key(tmp_path / "new" / "a.key", variable=None, environ={})
    signature = signature_of(b"text", key)

    assert stat.S_IMODE((tmp_path / "new" / "a.key").stat().st_mode) == 0o600
    assert is_signed_by(b"text", signature, read_public_key(public))
    assert not is_signed_by(b"Text", signature, read_public_key(public))
    assert not is_signed_by(b"text", signature, make_key(kind).public_key())
    assert not is_signed_by(b"text", b"no signature", read_public_key(public))


@pytest.mark.parametrize("taken", ["a.key", "a.pub"])
def test_a_key_is_never_overwritten(tmp_path, taken):
    (tmp_path / taken).write_text("mine")

    with pytest.raises(InputError, match="never overwritten"):
        write_key_pair(tmp_path / "a.key", make_key("p256"))
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert (tmp_path / taken).read_text() == "mine"


def test_a_key_in_the_environment_is_read_and_never_repeated(tmp_path):
    write_key_pair(tmp_path / "a.key", make_key("p256"))
    pem = (tmp_path / "a.key").read_text()
    read_signing_key(None, variable="SIGNER", environ={"SIGNER": pem})

    with pytest.raises(InputError) as caught:
        read_signing_key(None, variable="SIGNER", environ={"SIGNER": pem.replace("A", "!")})
    assert "SIGNER" in str(caught.value)
    assert not any(line in repr(caught.getrepr(style="long")) for line in pem.splitlines()[1:-1])
    with pytest.raises(InputError, match="SIGNER: not set"):
        read_signing_key(None, variable="SIGNER", environ={})


def test_exactly_one_place_holds_the_key():
    for path, variable in ((None, None), (Path("a"), "B")):
        with pytest.raises(InputError, match="from one place"):
            read_signing_key(path, variable=variable, environ={})


@pytest.mark.parametrize(
    "content",
    [
        generate_private_key(SECP384R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        make_rsa(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        make_key("p256").private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")),
        b"no key",
        b"",
    ],
)
def test_a_key_of_another_kind_does_not_sign(tmp_path, content):
    (tmp_path / "a.key").write_bytes(content)

    with pytest.raises(InputError, match="wanted one unencrypted P-256 or Ed25519"):
        read_signing_key(tmp_path / "a.key", variable=None, environ={})


def test_a_private_key_is_not_taken_for_a_pin(tmp_path):
    write_key_pair(tmp_path / "a.key", make_key("p256"))

    with pytest.raises(InputError, match="found a private key, wanted one public key"):
        read_public_key(tmp_path / "a.key")
    rsa = make_rsa(65537, 2048).public_key()
    with pytest.raises(InputError, match="another type"):
        public_key(public_pem(rsa), place="rsa.pub")  # type: ignore[arg-type]


def test_the_bytes_that_are_signed_are_those_of_the_dsse_specification():
    # protocol.md of DSSE v1: "DSSEv1 29 http://example.com/HelloWorld 11 hello world" in form.
    assert pre_authentication(b"hello world") == b"DSSEv1 28 application/vnd.in-toto+json 11 hello world"


@pytest.mark.parametrize("at", ["not_before", "not_after"])
def test_either_end_of_the_validity_is_inside_it(at):
    assert key_at(pinned(**{at: NOON}), signed_at=NOON, now=NOON).standing == "holds"


@pytest.mark.parametrize(
    ("times", "signed_at", "now", "standing", "told"),
    [
        ({}, NOON, NOON, "holds", "by its own clock"),
        ({"not_before": NOON + DAY}, NOON, NOON + 2 * DAY, "broken", "counts only from 2026-06-02T12:00:00Z"),
        ({"not_after": NOON - DAY}, NOON, NOON, "broken", "counted only until 2026-05-31T12:00:00Z"),
        ({"not_after": NOON + DAY}, NOON, NOON + 2 * DAY, "unproven", "signature valid, time not proven"),
        ({"revoked_at": NOON}, NOON, NOON, "broken", "was revoked"),
        ({"revoked_at": NOON + DAY}, NOON, NOON + 2 * DAY, "unproven", "signature valid, time not proven"),
        (
            {},
            NOON + DAY,
            NOON,
            "unproven",
            "2026-06-02T12:00:00Z by its own clock, and here it is 2026-06-01",
        ),
        ({}, NOON + timedelta(minutes=4), NOON, "holds", "by its own clock"),
    ],
)
def test_the_signers_clock_counts_against_a_signature_and_never_for_it(times, signed_at, now, standing, told):
    claim = key_at(pinned(**times), signed_at=signed_at, now=now)

    assert claim.standing == standing
    assert told in claim.detail


@pytest.mark.parametrize(
    ("times", "stamped_at", "standing", "told"),
    [
        ({}, NOON, "holds", "stamped 2026-06-01T12:00:00Z"),
        ({"not_after": NOON + DAY}, NOON + DAY, "holds", "stamped 2026-06-02T12:00:00Z"),
        ({"not_after": NOON + DAY}, NOON + 2 * DAY, "unproven", "time not proven"),
        ({"revoked_at": NOON + DAY}, NOON, "holds", "stamped 2026-06-01T12:00:00Z"),
        ({"revoked_at": NOON + DAY}, NOON + DAY, "unproven", "time not proven"),
        ({"revoked_at": NOON}, NOON, "broken", "was revoked"),
        ({"not_before": NOON}, NOON - timedelta(minutes=1), "broken", "counts only from"),
        ({}, NOON - timedelta(minutes=6), "unproven", "one of the clocks is wrong"),
        ({}, NOON + 30 * DAY, "unproven", "one of the clocks is wrong"),
    ],
)
def test_a_stamp_counts_for_a_signature_by_a_key_that_ended_since(times, stamped_at, standing, told):
    now = NOON + 20 * DAY
    claim = key_at(pinned(**times), signed_at=NOON, now=now, stamped_at=stamped_at)

    assert claim.standing == standing
    assert told in claim.detail


def test_a_trust_list_is_read_with_its_times(tmp_path):
    path = trust_file(tmp_path / "t.json", not_before="2026-01-01T01:00:00+01:00", not_after=None)
    found = read_trust(path)[0]

    assert (found.owner, found.not_before, found.not_after) == (
        "team",
        datetime(2026, 1, 1, tzinfo=UTC),
        None,
    )
    path.write_bytes(path.read_bytes().replace(b", ", b",\r\n"))
    assert read_trust(path)[0].id == found.id


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"not_before": "2026-01-01"}, "wanted a time with its offset"),
        ({"not_before": "soon"}, "found soon"),
        ({"until": "2026-01-01"}, "keys.0.until"),
        ({"pem": "no key"}, "keys.0.pem: found 0 PEM blocks"),
    ],
)
def test_a_trust_list_that_says_something_else_is_refused_with_the_place(tmp_path, fields, told):
    with pytest.raises(InputError) as caught:
        read_trust(trust_file(tmp_path / "t.json", **fields))
    assert told in str(caught.value)


def test_one_key_stands_once_in_a_trust_list(tmp_path):
    path = trust_file(tmp_path / "t.json")
    document = json.loads(path.read_text())
    path.write_text(json.dumps({"keys": document["keys"] * 2}))

    with pytest.raises(InputError, match="listed twice"):
        read_trust(path)


def test_what_a_list_says_of_a_key_counts_though_its_file_is_named_too(tmp_path):
    path = trust_file(tmp_path / "t.json", revoked_at="2026-01-01T00:00:00Z")
    (tmp_path / "a.pub").write_text(json.loads(path.read_text())["keys"][0]["pem"])
    found = pinned_keys((tmp_path / "a.pub",), path)

    assert [each.revoked_at is not None for each in found] == [True]


def test_a_time_is_read_in_utc():
    assert moment("2026-06-01T14:00:00+02:00", place="x") == NOON
