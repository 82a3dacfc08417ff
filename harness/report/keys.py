"""Keys that sign reports: made, written once, read, and named by a digest."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey as EcPrivate
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey as EcPublic
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as make_ec_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from harness.domain.canonical import sha256_hex
from harness.domain.errors import InputError

KeyKind = Literal["p256", "ed25519"]
SigningKey = EcPrivate | Ed25519PrivateKey
PublicKey = EcPublic | Ed25519PublicKey

_ECDSA = ECDSA(hashes.SHA256())
_PEM_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----")


def make_key(kind: KeyKind) -> SigningKey:
    """Return a new key. P-256 means the same to every tool that verifies; Ed25519 is accepted."""
    return make_ec_key(SECP256R1()) if kind == "p256" else Ed25519PrivateKey.generate()


def write_key_pair(path: Path, key: SigningKey) -> Path:
    """Write a new key (PKCS#8 PEM, for its owner's eyes only), and its public half beside it.

    Returns:
        Where the public half is: the same name, ending in ``.pub``.

    Raises:
        InputError: Either file is there already, or cannot be written.
    """
    public = path.with_suffix(".pub")
    if public == path:
        raise InputError(f"{path}: the name of a public half; give the key another ending, such as .key")
    for taken in (path, public):
        if taken.exists():
            raise InputError(f"{taken}: is there already; a key is never overwritten")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_new(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), mode=0o600)
        _write_new(public, public_pem(key.public_key()), mode=0o644)
    except OSError as cause:
        raise InputError(f"{path}: cannot be written: {cause.strerror}") from cause
    return public


def public_pem(key: PublicKey) -> bytes:
    """Return the SPKI PEM of a public key."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def key_id(key: PublicKey) -> str:
    """Return the key's name: the SHA-256 of its SPKI DER, in hexadecimal digits."""
    return sha256_hex(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def read_signing_key(path: Path | None, *, variable: str | None, environ: Mapping[str, str]) -> SigningKey:
    """Read a signing key from a file, or from the environment variable of this name.

    No message repeats any of it.

    Raises:
        InputError: There is none, or not exactly one of the two places is
            named, or it is no unencrypted P-256 or Ed25519 key in PEM.
    """
    if (path is None) == (variable is None):
        raise InputError("wanted a signing key from one place: a file or an environment variable")
    if path is not None:
        return _signing_key(_bytes_of(path), place=str(path))
    name = variable or ""
    if not environ.get(name):
        raise InputError(f"environment variable {name}: not set; wanted the PEM of a signing key")
    return _signing_key(
        environ[name].encode("utf-8", "surrogateescape"), place=f"environment variable {name}"
    )


def read_public_key(path: Path) -> PublicKey:
    """Read the public key that a verifier pins.

    Raises:
        InputError: The file cannot be read, or is no P-256 or Ed25519 public key.
    """
    return public_key(_bytes_of(path), place=str(path))


def public_key(pem: bytes, *, place: str) -> PublicKey:
    """Return the public key of a PEM text.

    Raises:
        InputError: It is not one P-256 or Ed25519 key in SPKI PEM.
    """
    blocks = _PEM_BLOCK.findall(pem)
    if blocks != [b"PUBLIC KEY"]:
        found = (
            "a private key" if any(b"PRIVATE" in block for block in blocks) else f"{len(blocks)} PEM blocks"
        )
        raise InputError(f"{place}: found {found}, wanted one public key (-----BEGIN PUBLIC KEY-----)")
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as cause:
        raise InputError(f"{place}: not a public key that can be read") from cause
    if isinstance(key, Ed25519PublicKey) or (isinstance(key, EcPublic) and isinstance(key.curve, SECP256R1)):
        return key
    raise InputError(f"{place}: found a key of another type, wanted ECDSA P-256 or Ed25519")


def signature_of(content: bytes, key: SigningKey) -> bytes:
    """Sign the bytes: ECDSA over SHA-256 in DER, or pure Ed25519."""
    return key.sign(content, _ECDSA) if isinstance(key, EcPrivate) else key.sign(content)


def is_signed_by(content: bytes, signature: bytes, key: PublicKey) -> bool:
    """Tell whether the key made this signature over the bytes."""
    try:
        if isinstance(key, EcPublic):
            key.verify(signature, content, _ECDSA)
        else:
            key.verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _signing_key(pem: bytes, *, place: str) -> SigningKey:
    wanted = f"{place}: wanted one unencrypted P-256 or Ed25519 private key in PKCS#8 PEM"
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The cause may quote what it could not read.
        raise InputError(wanted) from None
    if isinstance(key, Ed25519PrivateKey) or (
        isinstance(key, EcPrivate) and isinstance(key.curve, SECP256R1)
    ):
        return key
    raise InputError(f"{wanted}, found another type")


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise InputError(f"{path}: cannot be read: {cause.strerror}") from cause


def _write_new(path: Path, content: bytes, *, mode: int) -> None:
    # O_EXCL: whoever made the file in between keeps it.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(descriptor, "wb") as stream:
        stream.write(content)
