"""The outgoing body of a call, and the address it goes to."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from harness.domain.canonical import canonical_bytes
from harness.domain.cases import Message
from harness.domain.record import thaw


def chat_body(*, model: str, messages: Sequence[Message], sampling: Mapping[str, Any]) -> str:
    """Return the JSON text of a chat completion request.

    It is canonical, so that the same settings in another order are the same
    request; what is absent stays absent.
    """
    body = {
        **thaw(sampling),
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
    }
    return canonical_bytes(body).decode("utf-8")


def public_address(base_url: str | None) -> str:
    """Return where an endpoint is, without user, password, query and fragment."""
    if not base_url:
        return ""
    parts = urlsplit(base_url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
