"""The bytes a response is stored as: a version, a checksum, JSON."""

import hashlib
import re

from harness.domain.calls import Stored

VERSION = b"\x01"
_HEADER = len(VERSION) + hashlib.sha256().digest_size
_NAME = re.compile(r"[0-9a-f]{64}")


class Damaged(ValueError):
    """The bytes are not an envelope that was packed under this name."""


def check_name(name: str) -> None:
    """Refuse a key that is not the name of a request.

    Raises:
        ValueError: The name is not 64 lower-case hexadecimal digits.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} is not the name of a request: wanted 64 hexadecimal digits")


def pack(name: str, stored: Stored) -> bytes:
    """Return the envelope of a response.

    The checksum is over the name too: a row moved under another name is damaged.
    """
    payload = stored.to_json()
    return VERSION + _checksum(name, payload) + payload


def unpack(name: str, envelope: bytes) -> Stored:
    """Return the response in the envelope.

    Raises:
        Damaged: It is cut, changed, of another version, or another name's.
    """
    if envelope[: len(VERSION)] != VERSION:
        raise Damaged(f"version {envelope[: len(VERSION)]!r}, wanted {VERSION!r}")
    payload = envelope[_HEADER:]
    if envelope[len(VERSION) : _HEADER] != _checksum(name, payload):
        raise Damaged("checksum does not match")
    try:
        return Stored.from_json(payload)
    except ValueError as cause:
        raise Damaged("not a stored response") from cause


def _checksum(name: str, payload: bytes) -> bytes:
    return hashlib.sha256(name.encode("ascii") + payload).digest()
