"""One sealed record, opened: its text, or the reason why there is none."""

from collections.abc import Callable

import msgspec

from harness.domain.calls import Evidence, Identity, Usage
from harness.domain.canonical import text_digest
from harness.domain.carried import CarriedEvidence, CarriedReading, CarriedVerdict
from harness.domain.completion import MalformedBody, read_response
from harness.domain.formats import AnswerFormat, format_of
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import NoVerdict, Verdict
from harness.graders.reply import reply_reader


class Opened(msgspec.Struct, frozen=True, gc=False):
    """What came of one call.

    Exactly one of ``text`` and ``reason`` is set. ``identity`` is null where no
    response came, and empty where the response is no completion.
    ``usage`` is null where the server did not count. Where the text is withheld,
    ``text`` is empty and ``carried`` says what was read from it.
    """

    text: str | None
    reason: NoVerdict | None
    detail: str = ""
    identity: Identity | None = None
    usage: Usage | None = None
    carried: CarriedVerdict | None = None


NOT_RUN = Opened(text=None, reason="not_run", detail="never asked")
_NOBODY = Identity()


def opened(record: Evidence) -> Opened:
    """Return what the record holds. Only the message's content is text; a reasoning field never is."""
    if isinstance(record, CarriedEvidence):
        return _withheld(record.reading)
    if record.failure is not None:
        return Opened(text=None, reason="failed", detail=record.failure.kind)
    if record.response is None:
        return NOT_RUN
    try:
        completion = read_response(record.response)
    except MalformedBody as error:
        return Opened(text=None, reason="unreadable", detail=str(error)[:200], identity=_NOBODY)
    return Opened(
        text=completion.text,
        reason=completion.no_text,
        detail=completion.detail,
        identity=completion.identity,
        usage=completion.usage,
    )


def _withheld(reading: CarriedReading) -> Opened:
    verdict = reading.verdict
    return Opened(
        text=None if verdict.n_chars is None else "",
        reason=verdict.reason,
        identity=reading.identity,
        usage=reading.usage,
        carried=verdict,
    )


def text_name(call: Opened) -> str | None:
    """Return the digest of a call's text, or the tag that a withheld one goes by; null without a text."""
    if call.text is None:
        return None
    return text_digest(call.text) if call.carried is None else call.carried.text_tag


def text_length(call: Opened) -> int:
    """Return how long a call's text is, withheld or not."""
    if call.carried is not None:
        return call.carried.n_chars or 0
    return len(call.text or "")


def text_format(call: Opened) -> AnswerFormat:
    """Return how a call's text is written, withheld or not."""
    if call.carried is not None:
        return AnswerFormat(markdown=call.carried.markdown, lists=call.carried.lists)
    return format_of(call.text or "")


def answer_text(record: Evidence) -> tuple[str | None, NoVerdict | None]:
    """Return the answer's text, or the reason why there is none, such as ``failed`` or ``truncated``."""
    found = opened(record)
    return found.text, found.reason


def read_vote(spec: JudgeSpec, record: Evidence) -> Verdict:
    """Return the verdict of one vote. A call without text is no verdict, for the reason it has no text."""
    return verdict_of(opened(record), reply_reader(spec))


def verdict_of(vote: Opened, read: Callable[[str], Verdict]) -> Verdict:
    """Return the verdict of an opened vote; ``read`` is the judge's `reply_reader`."""
    if vote.text is None:
        return Verdict(label=None, no_verdict=vote.reason, detail=vote.detail)
    if vote.carried is not None:
        return Verdict(label=vote.carried.label, no_verdict=vote.carried.no_verdict)
    return read(vote.text)
