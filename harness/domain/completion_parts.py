"""What a completion says, part by part: its text, who answered, the tokens."""

import re
from functools import lru_cache
from typing import Literal

import msgspec

from harness.domain.calls import Identity, Usage

_HALF = re.compile("[\ud800-\udfff]")

NoText = Literal["unreadable", "refused", "truncated", "filtered"]


class Completion(msgspec.Struct, frozen=True, gc=False):
    """What a response says.

    Exactly one of ``text`` and ``no_text`` is set; ``detail`` explains the
    latter. ``usage`` is null where the server did not count.
    """

    text: str | None
    no_text: NoText | None
    detail: str
    finish_reason: str | None
    identity: Identity
    usage: Usage | None


def whole_characters(text: str) -> str:
    """Return the text with every half of a surrogate pair as U+FFFD.

    JSON can carry such a half, UTF-8 cannot: it could be neither sent, stored
    nor named by a digest.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _HALF.sub("\ufffd", text)
    return text


# A million responses have few distinct identities.
@lru_cache(maxsize=256)
def identity_of(
    model: str | None, fingerprint: str | None, service_tier: str | None, provider: str | None
) -> Identity:
    """Return who answered; an empty word is an unknown one."""
    return Identity(
        model=_word(model),
        fingerprint=_word(fingerprint),
        service_tier=_word(service_tier),
        provider=_word(provider),
    )


def _word(value: str | None) -> str | None:
    return whole_characters(value) if value else None


@lru_cache(maxsize=4096)
def usage_of(prompt_tokens: int, completion_tokens: int) -> Usage | None:
    """Return the tokens; null where a count is below 0, which is none."""
    if prompt_tokens < 0 or completion_tokens < 0:
        return None
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
