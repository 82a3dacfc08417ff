"""Chat completions that we make ourselves, for recorded and scripted replies."""

from harness.domain.calls import Response, Usage
from harness.domain.canonical import canonical_bytes


def completion_response(
    text: str | None,
    *,
    model: str | None,
    fingerprint: str | None = None,
    finish_reason: str = "stop",
    usage: Usage | None = None,
) -> Response:
    """Return a response in the form that a server would send it.

    The same arguments give the same bytes. ``model`` and ``usage`` null leave
    it out: unknown, not empty and not 0.
    """
    document: dict[str, object] = {
        "object": "chat.completion",
        "system_fingerprint": fingerprint,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": text},
            }
        ],
    }
    if model is not None:
        document["model"] = model
    if usage is not None:
        document["usage"] = {
            **usage.plain(),
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        }
    return Response(status=200, body=canonical_bytes(document).decode("utf-8"))
