"""A signed statement as a file: a DSSE envelope in a Sigstore bundle v0.3, one signature each.

References:
    DSSE v1, protocol (PAE); Sigstore bundle v0.3 with a public-key hint.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, ValidationError

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import Tampered
from harness.domain.record import Record, Text
from harness.report.inert import inert
from harness.report.keys import SigningKey, is_signed_by, key_id, signature_of
from harness.report.trust import Pinned

MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class _PublicKeyHint(Record):
    hint: Text


class _Timestamp(Record):
    signed_timestamp: Annotated[Text, Field(alias="signedTimestamp")]


class _TimestampData(Record):
    rfc3161_timestamps: Annotated[tuple[_Timestamp, ...], Field(alias="rfc3161Timestamps", max_length=1)]


class _Material(Record):
    public_key: Annotated[_PublicKeyHint, Field(alias="publicKey")]
    tlog_entries: Annotated[tuple[()], Field(alias="tlogEntries")]
    timestamps: Annotated[_TimestampData, Field(alias="timestampVerificationData")]


class _Signature(Record):
    sig: Text
    keyid: Text


class _Envelope(Record):
    payload: Text
    payload_type: Annotated[Literal["application/vnd.in-toto+json"], Field(alias="payloadType")]
    signatures: tuple[_Signature, ...]


class _Bundle(Record):
    media_type: Annotated[Literal["application/vnd.dev.sigstore.bundle.v0.3+json"], Field(alias="mediaType")]
    material: Annotated[_Material, Field(alias="verificationMaterial")]
    envelope: Annotated[_Envelope, Field(alias="dsseEnvelope")]


class Signed(NamedTuple):
    """A bundle, opened: the signed bytes, the signature, and the key that it says it is by.

    ``timestamp`` is an RFC 3161 response over the signature, where it carries one.
    """

    payload: bytes
    signature: bytes
    hint: str
    timestamp: bytes | None = None


def pre_authentication(payload: bytes) -> bytes:
    """Return the bytes that DSSE signs for this payload, its type included."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def bundle_bytes(payload: bytes, key: SigningKey) -> bytes:
    """Sign the payload and return the bundle's bytes."""
    name = key_id(key.public_key())
    signature = signature_of(pre_authentication(payload), key)
    return canonical_bytes(
        {
            "mediaType": MEDIA_TYPE,
            "verificationMaterial": {
                "publicKey": {"hint": name},
                "tlogEntries": [],
                "timestampVerificationData": {"rfc3161Timestamps": []},
            },
            "dsseEnvelope": {
                "payload": base64.b64encode(payload).decode(),
                "payloadType": PAYLOAD_TYPE,
                "signatures": [{"sig": base64.b64encode(signature).decode(), "keyid": name}],
            },
        }
    )


def open_bundle(content: bytes, *, name: str) -> Signed:
    """Read a bundle. Nothing in it is trusted yet, its key's name included.

    Raises:
        Tampered: It is not the bytes that `bundle_bytes` writes: a duplicate or
            unknown field, another payload type, no signature or more than one,
            loose base64, another spelling.
    """
    bundle = _read(content, name)
    signatures = bundle.envelope.signatures
    if len(signatures) != 1:
        raise Tampered(f"{name}: found {len(signatures)} signatures, wanted exactly one")
    if canonical_bytes(bundle.model_dump(mode="json", by_alias=True)) != content:
        raise Tampered(f"{name}: the same values, spelled otherwise than they were written (RFC 8785)")
    if signatures[0].keyid != bundle.material.public_key.hint:
        raise Tampered(f"{name}: keyid and hint name two keys")
    stamps = bundle.material.timestamps.rfc3161_timestamps
    return Signed(
        payload=_decoded(bundle.envelope.payload, f"{name}: payload"),
        signature=_decoded(signatures[0].sig, f"{name}: sig"),
        hint=signatures[0].keyid,
        timestamp=_decoded(stamps[0].signed_timestamp, f"{name}: time stamp") if stamps else None,
    )


def with_timestamp(content: bytes, token: bytes, *, name: str) -> bytes:
    """Return the bundle with a time stamp over its signature in it, in place of an older one.

    Raises:
        Tampered: It is not the bytes that `bundle_bytes` writes.
    """
    open_bundle(content, name=name)
    document = strict_json(content)
    stamp = {"signedTimestamp": base64.b64encode(token).decode()}
    document["verificationMaterial"]["timestampVerificationData"] = {"rfc3161Timestamps": [stamp]}
    return canonical_bytes(document)


def signer_of(signed: Signed, keys: Sequence[Pinned]) -> Pinned | None:
    """Return the pinned key that made the signature; null where none of them did.

    Every key is tried: the name in the bundle is a hint, not a fact.
    """
    content = pre_authentication(signed.payload)
    return next((each for each in keys if is_signed_by(content, signed.signature, each.key)), None)


def _read(content: bytes, name: str) -> _Bundle:
    try:
        strict_json(content)
        return _Bundle.from_json(content)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "top level"
        raise Tampered(f"{name}: {inert(place)}: {inert(first['msg'])}") from cause
    except ValueError as cause:
        raise Tampered(f"{name}: not strict JSON: {inert(str(cause))}") from cause


def _decoded(text: str, place: str) -> bytes:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as cause:
        raise Tampered(f"{place}: not strict base64") from cause
    if base64.b64encode(content).decode() != text:
        raise Tampered(f"{place}: not strict base64")
    return content
