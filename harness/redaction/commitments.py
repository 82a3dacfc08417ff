"""Salted commitments to texts: a secret of the run, the salt of every part, and what is signed.

A commitment is SHA-256 over 32 bytes of salt and the canonical bytes of what
it hides. Short texts can be guessed, so every part has a salt of its own that
nobody can guess, and that tells nothing of the others: HMAC-SHA256 of the
part's place under the run's secret.

References:
    RFC 2104 (HMAC); RFC 6962 for the tree over the committed lines.
"""

import hashlib
import hmac
import re
import secrets
from typing import Any

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError

_SECRET = re.compile(r"[0-9a-f]{64}\n?")


def new_secret() -> bytes:
    """Return a new secret, 32 bytes."""
    return secrets.token_bytes(32)


def secret_text(secret: bytes) -> str:
    """Return how a secret is written down: 64 hexadecimal digits and a line end."""
    return f"{secret.hex()}\n"


def read_secret(text: str, *, place: str) -> bytes:
    """Return a secret that was written down.

    Raises:
        InputError: It is none; the message does not repeat it.
    """
    if _SECRET.fullmatch(text) is None:
        raise InputError(f"{place}: wanted the secret of a run, 64 hexadecimal digits")
    return bytes.fromhex(text)


def salt_of(secret: bytes, *, index: int, part: str) -> bytes:
    """Return the salt of one part of the line with this index. 32 bytes."""
    return hmac.digest(secret, f"salt/{index}/{part}".encode(), hashlib.sha256)


def commitment(salt: bytes, content: Any) -> str:
    """Return the commitment to a JSON value, in hexadecimal digits.

    Args:
        salt: 32 bytes, always: no salt can take in a part of what it salts.
        content: What is hidden.
    """
    return hashlib.sha256(salt + canonical_bytes(content)).hexdigest()


def text_tag(secret: bytes, *, case: str, text_sha256: str) -> str:
    """Return a name for a text that equal answers to one case share, and no two cases."""
    return hmac.digest(secret, f"tag/{text_sha256}/{case}".encode(), hashlib.sha256).hex()
