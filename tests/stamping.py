"""A time stamp authority of one's own: certificates, and `openssl ts` for the stamps."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CONFIG = """\
[tsa]
default_tsa = tsa1
[tsa1]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha1, sha256, sha512
ess_cert_id_alg = sha256
"""


class StampAuthority:
    """An authority in a folder; ``certificates`` is what a verifier is given of it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        root_key, key = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
        root = _certificate("Test Root", root_key, "Test Root", root_key, stamps=False)
        own = _certificate("Test Stamps", key, "Test Root", root_key, stamps=True)
        self.certificates = folder / "authority.pem"
        self.certificates.write_bytes(root)
        (folder / "tsa.pem").write_bytes(own)
        self.chain = folder / "chain.pem"
        self.chain.write_bytes(own + root)
        self.whole = folder / "whole.pem"
        self.whole.write_bytes(root + own)
        (folder / "tsa.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        (folder / "serial").write_text("01\n")
        (folder / "ts.cnf").write_text(CONFIG.format(folder=folder))

    def answer(self, query: Path) -> Path:
        """Return where the answer to a request is."""
        out = query.with_suffix(".tsr")
        self._openssl(
            "-reply", "-config", self._folder / "ts.cnf", "-section", "tsa1", "-queryfile", query,
            "-signer", self._folder / "tsa.pem", "-inkey", self._folder / "tsa.key", "-out", out,
        )  # fmt: skip
        return out

    def stamp(self, content: bytes, *words: str) -> Path:
        """Return where a stamp over the content is, asked for with these words of `openssl ts -query`."""
        (self._folder / "content").write_bytes(content)
        query = self._folder / "content.tsq"
        self._openssl(
            "-query", "-data", self._folder / "content", "-out", query, *(words or ("-sha256", "-cert"))
        )
        return self.answer(query)

    def _openssl(self, *words: str | Path) -> None:
        subprocess.run(["openssl", "ts", *map(str, words)], check=True, capture_output=True)


def _certificate(
    name: str,
    key: EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: EllipticCurvePrivateKey,
    *,
    stamps: bool,
) -> bytes:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=not stamps, path_length=None), critical=True)
    )
    if stamps:
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        builder = builder.add_extension(usage, critical=True)
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(Encoding.PEM)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
