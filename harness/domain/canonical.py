"""Canonical bytes and digests: the same value always has the same name."""

import hashlib
import json
from collections.abc import Callable, Mapping
from math import isinf
from types import MappingProxyType
from typing import Any, NoReturn

import msgspec
import rfc8785
from pydantic_core import from_json

from harness.domain.errors import InputError
from harness.domain.record import Record, thaw
from harness.domain.sealed import Sealed

_quoted: Callable[[str], str] = json.encoder.encode_basestring
# Other numbers are as Python writes them, or are refused, by the reference's own rules.
_MOST_WHOLE = 2**53 - 1


def _text(value: Any) -> str:
    """Return the canonical text of a value, several times as fast as the library that writes the odd ones."""
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int and -_MOST_WHOLE <= value <= _MOST_WHOLE:
        return repr(value)
    if kind is dict or kind is MappingProxyType:
        return "{" + ",".join([f"{_quoted(key)}:{_text(value[key])}" for key in _in_order(value)]) + "}"
    if kind is list or kind is tuple:
        return "[" + ",".join(map(_text, value)) + "]"
    if kind is float and 1e-4 <= abs(value) < 1e15:
        # In this range both write the shortest digits, without an exponent.
        return repr(int(value)) if value.is_integer() else repr(value)
    return rfc8785.dumps(thaw(value)).decode("utf-8")


def _in_order(value: Mapping[str, Any]) -> list[str]:
    """Return the keys in the order of their UTF-16 code units; of ASCII it is that of the characters."""
    try:
        ascii_only = "".join(value).isascii()
    except TypeError as error:
        raise rfc8785.CanonicalizationError("object keys must be strings") from error
    return sorted(value) if ascii_only else sorted(value, key=_utf_16)


def _utf_16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode="json")
    return value.plain() if isinstance(value, Sealed) else value


def canonical_bytes(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a record or a JSON value.

    Raises:
        InputError: The value has no such form: NaN, an integer beyond 2**53,
            a lone surrogate, a key that is not text.

    References:
        RFC 8785, JSON Canonicalization Scheme.
    """
    try:
        return _text(_plain(value)).encode("utf-8")
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise InputError(f"no canonical JSON form: {error}") from error


def digest_of_plain(fields: Mapping[str, str | int | None]) -> str:
    """Return the `digest` of an object of texts, whole numbers and nulls whose keys are ASCII, twice as fast.

    Raises:
        InputError: A text holds half a surrogate pair.
    """
    try:
        return sha256_hex(msgspec.json.encode(fields, order="sorted"))
    except UnicodeEncodeError as error:
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


_OVERFLOWED = -(2**62)
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
        value = from_json(text, allow_inf_nan=False)
        # Every key has its colon: with as many colons as keys that are left, no key came twice.
        if _n_keys(value) == text.count(":"):
            return value
    except ValueError:
        pass  # the other reader tells why, or takes it: half a surrogate pair, deep nesting
    return _strictly_read(text)


def _n_keys(value: Any) -> int:
    """Count the keys of all objects in a value; below 0 where a number has overflowed."""
    kind = type(value)
    if kind is dict:
        n = len(value)
        for item in value.values():
            if type(item) is not str:
                n += _n_keys(item)
        return n
    if kind is list:
        return sum(map(_n_keys, value))
    return _OVERFLOWED if kind is float and isinf(value) else 0


def _strictly_read(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
