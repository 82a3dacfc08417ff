"""Keys out of whatever is kept: response bodies, headers, error texts."""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from urllib.parse import quote

MASK = "[key]"

# A shorter value is a placeholder ("EMPTY", "none"); masking it would rewrite answers.
SHORTEST_SECRET = 8

Mask = Callable[[str], str]


def make_mask(secrets: Iterable[str]) -> Mask:
    """Return a function that replaces every secret in a text by ``[key]``.

    A secret is found as it stands, escaped for JSON or for a URL, in base64,
    and cut short by the server's own stars (``sk-ab****yz``).

    Args:
        secrets: ASCII texts; those under eight characters are left alone.
    """
    found = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
    # Longest first: one secret may be a part of another.
    forms = sorted({form for secret in found for form in _forms(secret)}, key=lambda form: (-len(form), form))
    starred = [re.compile(_starred(secret), re.ASCII) for secret in sorted(found)]

    def mask(text: str) -> str:
        for form in forms:
            if form in text:
                text = text.replace(form, MASK)
        if "**" not in text:
            return text
        for pattern in starred:
            text = pattern.sub(MASK, text)
        return text

    return mask


def _forms(secret: str) -> set[str]:
    raw = secret.encode("utf-8")
    encoded = {b64encode(raw).decode("ascii"), urlsafe_b64encode(raw).decode("ascii")}
    return {
        secret,
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        json.dumps(secret)[1:-1].replace("/", "\\/"),
        re.sub("[+<>&'\"`]", lambda char: f"\\u{ord(char[0]):04x}", secret),
        re.sub("[+<>&'\"`]", lambda char: f"\\u{ord(char[0]):04X}", secret),
        *encoded,
        *(form.rstrip("=") for form in encoded),
    }


def _starred(secret: str) -> str:
    return re.escape(secret[:3]) + r"[\w.-]*\*{2,}[\w.*-]*"


def mask_bytes(mask: Mask, content: bytes) -> bytes:
    """Return the bytes masked. Latin-1 maps every byte to itself, so nothing else changes."""
    return mask(content.decode("latin-1")).encode("latin-1")
