"""Chat completions as nearly every server sends them, read in one step.

Whatever has another form is left to the reader of all forms, which defines what
a completion says: this one is three times as fast, and says the same or nothing.
"""

from typing import Annotated

import msgspec

from harness.domain.completion_parts import Completion, identity_of, usage_of

_ENDS_WITHOUT_TEXT = ("length", "content_filter", "error")


class _Message(msgspec.Struct, gc=False):
    content: str
    refusal: str | None = None


class _Choice(msgspec.Struct, gc=False):
    message: _Message
    finish_reason: str | None = None
    error: None = None


class _Tokens(msgspec.Struct, gc=False):
    prompt_tokens: int
    completion_tokens: int


class _Usual(msgspec.Struct, gc=False):
    """A completion as nearly every server sends it; fields that are not read are passed over."""

    choices: Annotated[tuple[_Choice, ...], msgspec.Meta(min_length=1)]
    error: None = None
    type: str | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    service_tier: str | None = None
    provider: str | None = None
    usage: _Tokens | None = None


_decode = msgspec.json.Decoder(_Usual).decode


def read_usual_completion(body: str) -> Completion | None:
    """Return what a completion in its usual form says, where that is a text; null in every other case.

    It takes text, not bytes: of bytes, the decoder checks those alone that it keeps.
    """
    try:
        said = _decode(body)
    except (ValueError, RecursionError):
        return None
    choice = said.choices[0]
    message, finish = choice.message, choice.finish_reason
    if finish in _ENDS_WITHOUT_TEXT or message.refusal or said.type == "error":
        return None
    tokens = said.usage
    return Completion(
        text=message.content,
        no_text=None,
        detail="",
        finish_reason=finish,
        identity=identity_of(said.model, said.system_fingerprint, said.service_tier, said.provider),
        usage=None if tokens is None else usage_of(tokens.prompt_tokens, tokens.completion_tokens),
    )
