"""What a reply of a server amounts to: a response to keep, or the error to raise."""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.backends.protocol import Filtered
from harness.backends.retry_after import retry_after_s
from harness.domain.calls import Response
from harness.domain.completion import MalformedBody, is_content_filter, read_completion
from harness.domain.completion_parts import Completion
from harness.domain.errors import CallError, Permanent, Transient

_NAMES = {
    400: "bad_request",
    401: "wrong_key",
    402: "no_quota",
    403: "forbidden",
    404: "not_found",
    408: "timeout",
    409: "conflict",
    425: "too_early",
    429: "rate_limit",
    529: "overloaded",
}
_WORTH_ASKING_AGAIN = frozenset(
    {"timeout", "conflict", "too_early", "rate_limit", "overloaded", "server_error", "error_body"}
)
_HINTS = {
    "wrong_key": "is the key right?",
    "no_quota": "the account has no quota left",
    "forbidden": "may this key use this model?",
    "not_found": "are the model's name and base_url right?",
    "redirect": "base_url has moved; redirects are not followed",
}
_QUOTA_WORDS = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}


class Reply(NamedTuple):
    """What came over the wire, masked. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Place(NamedTuple):
    """Who was asked: the endpoint's name, its model, its address without credentials."""

    endpoint: str
    model: str
    address: str

    def __str__(self) -> str:
        return f"{self.endpoint} (model {self.model} at {self.address})"


class ServerError(NamedTuple):
    """The fields of a server's error object, as far as it has them."""

    words: frozenset[str]
    code: int | None
    message: str
    filtered: bool


# Those that tell who answered. Dates and cookies tell nothing and differ every time.
_KEPT_HEADERS = frozenset(
    {
        "apim-request-id",
        "cf-ray",
        "content-type",
        "openai-processing-ms",
        "openai-version",
        "retry-after",
        "retry-after-ms",
        "server",
        "via",
        "x-request-id",
    }
)


def read_reply(reply: Reply, place: Place, *, retry_filtered: bool, now_s: float) -> Response:
    """Return the response that is kept, or raise why there is none.

    Args:
        reply: The reply as it came, masked.
        place: Who was asked, for the messages.
        retry_filtered: Whether the plan asks again for what a filter blocked.
        now_s: Unix time in seconds, for a Retry-After that is a date.

    Raises:
        Transient: Asking again may succeed; `Filtered` where it was blocked.
        Permanent: A wrong key, a wrong model, no quota, a request refused.
    """
    if reply.status == 400 and (error := _server_error(reply.body)) and error.filtered:
        return _keep(reply, place, filtered=True, retry_filtered=retry_filtered)
    if not 200 <= reply.status < 300:
        raise _status_error(reply, place, now_s=now_s)
    completion = _completion(reply, place, now_s=now_s)
    filtered = completion.no_text == "filtered"
    return _keep(reply, place, filtered=filtered, retry_filtered=retry_filtered)


def _keep(reply: Reply, place: Place, *, filtered: bool, retry_filtered: bool) -> Response:
    response = to_response(reply)
    if filtered and retry_filtered:
        raise Filtered(f"a content filter blocked the call to {place}", response=response)
    return response


def to_response(reply: Reply) -> Response:
    """Return the record of a reply: its bytes, and the headers that tell who answered."""
    kept = {
        name: value
        for name, value in reply.headers.items()
        if name in _KEPT_HEADERS or name.startswith("x-ratelimit-")
    }
    headers = tuple(sorted(kept.items()))
    try:
        return Response(status=reply.status, headers=headers, body=reply.body.decode("utf-8"))
    except UnicodeDecodeError:
        body = b64encode(reply.body).decode("ascii")
        return Response(status=reply.status, headers=headers, body=body, encoding="base64")


def _completion(reply: Reply, place: Place, *, now_s: float) -> Completion:
    try:
        return read_completion(reply.body)
    except MalformedBody as cause:
        if cause.error is not None:
            raise _body_error(cause.error, reply, place, now_s=now_s) from cause
        detail = f"{reply.status} from {place} is no chat completion: {_line(str(cause))}"
        raise Transient("malformed_body", detail, status=reply.status) from cause


def _status_error(reply: Reply, place: Place, *, now_s: float) -> CallError:
    error = _server_error(reply.body)
    message = error.message if error else reply.body[:200].decode("utf-8", "replace")
    kind = _kind(reply.status, error)
    return _call_error(kind, message, reply, place, now_s=now_s)


def _body_error(fields: Mapping[str, Any], reply: Reply, place: Place, *, now_s: float) -> CallError:
    """Return what an error under a success status stands for."""
    error = _fields(fields)
    kind = _kind(error.code or 200, error)
    return _call_error(kind, error.message, reply, place, now_s=now_s)


def _kind(status: int, error: ServerError | None) -> str:
    words = error.words if error else frozenset()
    if words & _QUOTA_WORDS:
        return "no_quota"
    if _overloaded(status, error):
        return "overloaded"
    if status == 200:
        return "rate_limit" if any("rate_limit" in word for word in words) else "error_body"
    if 300 <= status < 400:
        return "redirect"
    return _NAMES.get(status, "server_error" if status >= 500 else "bad_request")


def _overloaded(status: int, error: ServerError | None) -> bool:
    # One trouble, one name: servers say it as 529, in a 500 or 503, or in a 200.
    if error is None:
        return status == 529
    said = any("overloaded" in word for word in error.words)
    return said or (status >= 500 and "overloaded" in error.message.lower())


def _call_error(kind: str, message: str, reply: Reply, place: Place, *, now_s: float) -> CallError:
    said = f": {_line(message)}" if message.strip() else ""
    hint = f" ({_HINTS[kind]})" if kind in _HINTS else ""
    detail = f"{reply.status} from {place}{said}{hint}"
    if kind not in _WORTH_ASKING_AGAIN:
        return Permanent(kind, detail, status=reply.status)
    wait_s = retry_after_s(reply.headers, now_s=now_s)
    return Transient(kind, detail, status=reply.status, retry_after_s=wait_s)


def _server_error(body: bytes) -> ServerError | None:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        return None
    error = document.get("error", document)
    return _fields(error if isinstance(error, dict) else {"message": str(error)})


def _fields(error: Mapping[str, Any]) -> ServerError:
    code = error.get("code")
    named = (error.get("type"), code, error.get("status"))
    number = code if type(code) is int and 400 <= code < 600 else None
    return ServerError(
        words=frozenset(word for word in named if isinstance(word, str)),
        code=number,
        message=str(error.get("message") or error.get("detail") or ""),
        filtered=is_content_filter(dict(error)),
    )


def _line(text: str) -> str:
    """Return the text as one line of at most 200 characters, without control characters."""
    words = " ".join(text.split())
    return "".join(char if char.isprintable() else "?" for char in words)[:200]
