"""Canonical bytes and digests: the same value always has the same name."""

import hashlib
import json
from typing import Any, NoReturn

import rfc8785

from harness.domain.errors import InputError
from harness.domain.record import Record, thaw

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def _alike(value: Any) -> bool:
    """Tell whether the standard encoder, five times as fast, writes the value as RFC 8785 has it.

    The two part over numbers with a fraction, integers beyond 2**53, and the
    order of keys outside ASCII.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return bool(-(2**53) < value < 2**53)
    if kind is dict:
        return all(map(_is_ascii, value)) and all(map(_alike, value.values()))
    if kind is list or kind is tuple:
        return all(map(_alike, value))
    return False


def _is_ascii(key: object) -> bool:
    return type(key) is str and key.isascii()


def canonical_bytes(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a record or a JSON value.

    Raises:
        InputError: The value has no such form: NaN, an integer beyond 2**53,
            a lone surrogate, a key that is not text.

    References:
        RFC 8785, JSON Canonicalization Scheme.
    """
    plain = value.model_dump(mode="json") if isinstance(value, Record) else value
    try:
        return _encode(plain).encode("utf-8") if _alike(plain) else rfc8785.dumps(thaw(plain))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise InputError(f"no canonical JSON form: {error}") from error


def sha256_hex(content: bytes) -> str:
    """Return the SHA-256 of the bytes, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical bytes of a record or a JSON value."""
    return sha256_hex(canonical_bytes(value))


def text_digest(text: str) -> str:
    """Return the SHA-256 of the UTF-8 bytes of a text."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is not a finite number")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} occurs twice in one object")
    return found


# One decoder for all: making one costs as much as reading a short line.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)


def strict_json(text: str | bytes) -> Any:
    """Read JSON as its standard has it.

    Duplicate keys, NaN, infinities, numbers that overflow and bytes that are
    not UTF-8 are refused, since two readers could take them for two values.

    Raises:
        ValueError: The text is not such JSON; the message says why.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
