"""One sealed record, opened: its text, or the reason why there is none."""

from collections.abc import Callable
from typing import NamedTuple

from harness.domain.calls import Evidence, Identity, Usage
from harness.domain.completion import MalformedBody, read_response
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import NoVerdict, Verdict
from harness.graders.reply import reply_reader


class Opened(NamedTuple):
    """What came of one call.

    Exactly one of ``text`` and ``reason`` is set. ``identity`` is null where no
    response came, and empty where the response is no completion.
    ``usage`` is null where the server did not count.
    """

    text: str | None
    reason: NoVerdict | None
    detail: str = ""
    identity: Identity | None = None
    usage: Usage | None = None


NOT_RUN = Opened(text=None, reason="not_run", detail="never asked")
_NOBODY = Identity()


def opened(record: Evidence) -> Opened:
    """Return what the record holds. Only the message's content is text; a reasoning field never is."""
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
    return read(vote.text)
