"""Reading a label from one field of the JSON object that a judge replied with."""

from typing import Any

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import InputError
from harness.domain.verdicts import Verdict
from harness.graders.fences import unfenced
from harness.graders.folding import shown
from harness.graders.reply_words import Words, label_of, why_not

UNWRAPPED = "read from inside one Markdown fence"


def read_json_reply(words: Words, field: str, text: str) -> Verdict:
    """Return the verdict that the field of the reply's object holds.

    The whole reply is tried first. Only where it is no JSON is a fence looked
    for, and only one that spans the whole reply; the verdict's detail then says
    so. JSON is read strictly: a key that occurs twice, NaN and numbers that
    overflow are refused.

    The field holds a text, or a number whose RFC 8785 form is a label (7, 7.0
    and 7e0 are the label ``7``). A boolean, null, a list or an object is no label.
    """
    bare = text.strip().strip("\ufeff")
    try:
        return _verdict(words, field, strict_json(bare))
    except ValueError as error:
        reason = str(error)
    inside = unfenced(bare)
    if inside is None:
        return _unreadable(f"not JSON: {reason}")
    try:
        verdict = _verdict(words, field, strict_json(inside))
    except ValueError as error:
        return _unreadable(f"not JSON inside the fence: {error}")
    return verdict._replace(detail=UNWRAPPED) if verdict.label is not None else verdict


def _verdict(words: Words, field: str, document: Any) -> Verdict:
    if not isinstance(document, dict):
        return _unreadable(f"a JSON {type(document).__name__}, wanted an object")
    if field not in document:
        return _unreadable(f"no field {field!r}")
    text = _text(document[field])
    if text is None:
        return _unreadable(f"field {field!r} holds {shown(repr(document[field]))}, wanted a text or a number")
    label = label_of(words, text)
    if label is None:
        return _unreadable(why_not(words, text))
    return Verdict(label=label, no_verdict=None)


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return canonical_bytes(value).decode("ascii")
    except InputError:
        # An integer beyond 2**53 has no RFC 8785 form, so it is no label.
        return str(value)


def _unreadable(detail: str) -> Verdict:
    return Verdict(label=None, no_verdict="unreadable", detail=detail[:160])
