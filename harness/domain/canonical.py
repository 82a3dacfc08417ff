"""Canonical bytes and digests: the same value always has the same name."""

import hashlib
import json
from types import MappingProxyType
from typing import Any, NoReturn

import rfc8785

from harness.domain.errors import InputError
from harness.domain.record import Record, thaw

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class _Apart(Exception):
    """The standard encoder would write the value otherwise than RFC 8785 has it."""


def _plain(value: Any) -> Any:
    """Return the value as the standard encoder, five times as fast, writes it as RFC 8785 has it.

    The two part over very small and very large numbers and the order of keys
    outside ASCII; a whole number with a point is written without it.

    Raises:
        _Apart: They part over this value.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        if -(2**53) < value < 2**53:
            return value
        raise _Apart
    if kind is float:
        return _number(value)
    if kind is dict or kind is MappingProxyType:
        if not all(map(_is_ascii, value)):
            raise _Apart
        return {key: _plain(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    raise _Apart


def _number(value: float) -> float | int:
    if -(2**53) < value < 2**53 and value.is_integer():
        return int(value)
    # Between these both write the shortest digits, without an exponent.
    if 1e-4 <= abs(value) < 1e15:
        return value
    raise _Apart


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
        return _canonical(plain)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise InputError(f"no canonical JSON form: {error}") from error


def _canonical(plain: Any) -> bytes:
    try:
        return _encode(_plain(plain)).encode("utf-8")
    except _Apart:
        return rfc8785.dumps(thaw(plain))


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
