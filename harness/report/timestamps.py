"""RFC 3161 time stamps: that a signature was there at a time, by the word of an authority.

References:
    RFC 3161, Time-Stamp Protocol; Sigstore bundle v0.3, `rfc3161Timestamps`,
    whose tokens are over the bytes of the signature.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from harness.domain.errors import InputError, Tampered

_DIGESTS = {
    "2.16.840.1.101.3.4.2.1": hashlib.sha256,
    "2.16.840.1.101.3.4.2.2": hashlib.sha384,
    "2.16.840.1.101.3.4.2.3": hashlib.sha512,
}


class Authority(NamedTuple):
    """Who may stamp: certificates from the verifier's own hands, those that trust starts from first.

    ``stamping`` is the certificate that stamps, where it was given; a token
    that carries none needs it.
    """

    roots: tuple[x509.Certificate, ...]
    between: tuple[x509.Certificate, ...]
    stamping: x509.Certificate | None


class Token(NamedTuple):
    """A time stamp, read. Nothing in it is trusted yet."""

    content: bytes
    time: datetime
    digest_oid: str
    imprint: bytes


def read_authority(path: Path) -> Authority:
    """Read the certificates of an authority: PEM, its root among them.

    Raises:
        InputError: The file cannot be read, or holds no root.
    """
    try:
        found = x509.load_pem_x509_certificates(path.read_bytes())
    except OSError as cause:
        raise InputError(f"{path}: cannot be read: {cause.strerror}") from cause
    except ValueError as cause:
        raise InputError(f"{path}: wanted the certificates of a time stamp authority, in PEM") from cause
    roots = tuple(each for each in found if each.issuer == each.subject)
    if not roots:
        raise InputError(f"{path}: found no certificate that is its own issuer; wanted the authority's root")
    stamping = [each for each in found if each not in roots and _stamps(each)]
    if len(stamping) > 1:
        raise InputError(f"{path}: found {len(stamping)} certificates that stamp, wanted one at most")
    between = tuple(each for each in found if each not in roots and each not in stamping)
    return Authority(roots, between, stamping[0] if stamping else None)


def read_token(content: bytes, *, place: str) -> Token:
    """Read a time stamp response.

    Raises:
        Tampered: It is none, or not one that was granted.
    """
    # Imported here: most reports carry no time stamp, and need no reader of them.
    from rfc3161_client import PKIStatus, decode_timestamp_response

    try:
        response = decode_timestamp_response(content)
        granted = PKIStatus(response.status) == PKIStatus.GRANTED
        info = response.tst_info
        imprint = info.message_imprint
        token = Token(
            content=content,
            time=info.gen_time.astimezone(UTC),
            digest_oid=imprint.hash_algorithm.dotted_string,
            imprint=imprint.message,
        )
        spelled = response.as_bytes()
    except ValueError as cause:
        raise Tampered(f"{place}: not an RFC 3161 time stamp response") from cause
    if not granted:
        raise Tampered(f"{place}: the authority did not grant it")
    if spelled != content:
        raise Tampered(f"{place}: not in the bytes that an authority writes (DER)")
    return token


def is_over(token: Token, signature: bytes) -> bool:
    """Return whether a time stamp is over the bytes of this signature, by SHA-256, SHA-384 or SHA-512."""
    digest = _DIGESTS.get(token.digest_oid)
    return digest is not None and digest(signature).digest() == token.imprint


def authority_of(token: Token, signature: bytes, authorities: Sequence[Authority]) -> str | None:
    """Return the name of the authority whose time stamp it is; null where it is none of these.

    The authority's certificates need to have been valid at the time that it
    states, and its own to be for stamping (extended key usage, critical).
    """
    return next((name for each in authorities if (name := _verified(token, signature, each))), None)


def request_for(signature: bytes) -> bytes:
    """Return the request for a time stamp over a signature: SHA-256, with a nonce and the certificates."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    builder = TimestampRequestBuilder().data(signature).hash_algorithm(HashAlgorithm.SHA256)
    return bytes(builder.cert_request(cert_request=True).build().as_bytes())


def _verified(token: Token, signature: bytes, authority: Authority) -> str | None:
    from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

    verifier = VerifierBuilder(
        roots=list(authority.roots), intermediates=list(authority.between), tsa_certificate=authority.stamping
    ).build()
    try:
        verifier.verify_message(decode_timestamp_response(token.content), signature)
    except (VerificationError, ValueError):
        return None
    named = authority.stamping or authority.roots[0]
    names = named.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else named.subject.rfc4514_string()


def _stamps(certificate: x509.Certificate) -> bool:
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except (x509.ExtensionNotFound, ValueError):
        return False
    return ExtendedKeyUsageOID.TIME_STAMPING in usage
