"""Reading a chat completion: text and identity, or the reason why there is no text."""

import json
from base64 import b64decode
from typing import Any

from pydantic_core import from_json

from harness.domain.calls import Identity, Response, Usage
from harness.domain.completion_parts import Completion, NoText, identity_of, usage_of, whole_characters
from harness.domain.usual_completion import read_usual_completion


class MalformedBody(ValueError):
    """The body is no chat completion: an error, a page, half a document."""

    def __init__(self, detail: str, *, error: dict[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.error = error


def response_bytes(response: Response) -> bytes:
    """Return the body as the bytes that came."""
    if response.encoding == "base64":
        return b64decode(response.body)
    return _raw(response.body)


def read_response(response: Response) -> Completion:
    """Read a response that was stored, whatever its status.

    A server that blocks a prompt answers 400 with a content filter error: that
    is a result (``filtered``), with nobody known to have answered.

    Raises:
        MalformedBody: See `read_completion`.
    """
    # Text is read as it is stored: encoding it would only have it decoded again.
    body = response.body if response.encoding == "utf-8" else response_bytes(response)
    if response.status == 400:
        return _blocked(body)
    return read_completion(body)


def is_content_filter(error: dict[str, Any]) -> bool:
    """Return whether a server's error object says that a content filter blocked the call."""
    inner = error.get("innererror")
    codes = (error.get("code"), inner.get("code") if isinstance(inner, dict) else None)
    return "content_filter" in codes or "ResponsibleAIPolicyViolation" in codes


def _blocked(body: str | bytes) -> Completion:
    try:
        _document(body)
    except MalformedBody as cause:
        if cause.error is None or not is_content_filter(cause.error):
            raise
        message = str(cause.error.get("message", ""))[:200]
        return Completion(None, "filtered", message or "content filter", None, Identity(), None)
    raise MalformedBody("status 400 without an error")


def read_completion(body: str | bytes) -> Completion:
    """Read the body of a successful response.

    Args:
        body: The raw body.

    Returns:
        The text of the first choice, or why there is none. A length stop, a
        content filter and a refusal are never text, whatever they carry.

    Raises:
        MalformedBody: The body is no chat completion; ``error`` holds the
            server's error object where it sent one under a success status.
    """
    usual = read_usual_completion(body) if isinstance(body, str) else None
    return _read_any(body) if usual is None else usual


def _read_any(body: str | bytes) -> Completion:
    document = _document(body)
    choice = _first_choice(document)
    _refuse_failed(choice)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise MalformedBody("the first choice has no message")
    finish = choice.get("finish_reason")
    text, no_text, detail = _text(message, finish)
    return Completion(
        text=text,
        no_text=no_text,
        detail=detail,
        finish_reason=finish if isinstance(finish, str) else None,
        identity=_identity(document),
        usage=_usage(document.get("usage")),
    )


def _document(body: str | bytes) -> dict[str, Any]:
    try:
        document = _parsed(body)
    except (ValueError, RecursionError) as cause:
        raise MalformedBody(f"not JSON: {_raw(body)[:40].decode('utf-8', 'replace')!r}") from cause
    if not isinstance(document, dict):
        raise MalformedBody(f"a JSON {type(document).__name__} instead of an object")
    error = document.get("error")
    if error is None and document.get("type") == "error":
        error = document
    if error is not None:
        fields = error if isinstance(error, dict) else {"message": str(error)}
        raise MalformedBody(f"an error body: {fields.get('message', '')}"[:200], error=fields)
    return document


def _parsed(body: str | bytes) -> Any:
    try:
        return from_json(body)
    except ValueError:
        # Three times slower, and it takes what the other does not: a byte order
        # mark, half a surrogate pair, deep nesting, a number of any length.
        return json.loads(_raw(body), parse_int=_whole)


def _whole(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return float(digits)


def _raw(body: str | bytes) -> bytes:
    return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body


def _first_choice(document: dict[str, Any]) -> dict[str, Any]:
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise MalformedBody("no choices")
    return choices[0]


def _refuse_failed(choice: dict[str, Any]) -> None:
    # Routers report a host that broke off inside the choice, beside the text so far.
    error = choice.get("error")
    if error is None and choice.get("finish_reason") != "error":
        return
    fields = error if isinstance(error, dict) else {"message": str(error or "")}
    raise MalformedBody(f"a choice that ended in an error: {fields.get('message', '')}"[:200], error=fields)


def _text(message: dict[str, Any], finish: object) -> tuple[str | None, NoText | None, str]:
    if finish == "length":
        return None, "truncated", "finish reason length"
    if finish == "content_filter":
        return None, "filtered", "finish reason content_filter"
    if message.get("refusal"):
        return None, "refused", "the server marked a refusal"
    content = message.get("content")
    if isinstance(content, list):
        return _joined(content)
    if not isinstance(content, str):
        return None, "unreadable", "no content"
    return whole_characters(content), None, ""


def _joined(parts: list[Any]) -> tuple[str | None, NoText | None, str]:
    texts: list[str] = []
    for part in parts:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            kind = part.get("type") if isinstance(part, dict) else type(part).__name__
            return None, "unreadable", f"a content part of type {kind!r}"
        texts.append(part["text"])
    return whole_characters("".join(texts)), None, ""


def _identity(document: dict[str, Any]) -> Identity:
    said = [document.get(name) for name in ("model", "system_fingerprint", "service_tier", "provider")]
    return identity_of(*[value if isinstance(value, str) else None for value in said])


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return usage_of(prompt, completion) if type(prompt) is int and type(completion) is int else None
