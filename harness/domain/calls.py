"""One call: what is asked, what came back, when it happened.

The fields of what is sealed (`Evidence`, `Timing`, and all they hold) stand in
the order of their names: written as they stand, they are canonical JSON.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.json import encode

from harness.domain.canonical import text_digest
from harness.domain.cases import Arm
from harness.domain.record import Count, Positive, Record, Text
from harness.domain.sealed import Sealed, SealedCount, SealedName, SealedText

if TYPE_CHECKING:
    from hashlib import _Hash

Role = Literal["answer", "vote"]
Side = Literal["baseline", "candidate", "answer", "other"]
"""One of two answers that are compared: an arm's, or one of a canary's or an anchor's two."""


class Subject(Sealed, frozen=True, kw_only=True):
    """What a call is about.

    An answer is about a case and an arm. A vote is about one answer of an arm
    on a case (``answer`` is its repeat), or about a canary, or an anchor. A vote
    that compares two answers names the one shown ``first``, and no arm.
    """

    answer: SealedCount | None = None
    arm: Arm | None = None
    first: Side | None = None
    id: SealedText
    kind: Literal["case", "canary", "anchor"]


class Request(msgspec.Struct, frozen=True, gc=False):
    """One call to be made, named by the digest of everything that decides it.

    ``body`` is the outgoing JSON text, sent byte for byte. ``address`` is the
    endpoint without credentials. ``repeat`` is in the name, never in the body.
    ``shown`` holds the digests of the answers that a vote shows, in order.
    """

    name: str
    role: Role
    endpoint: str
    address: str
    body: str
    subject: Subject
    repeat: int
    shown: tuple[str, ...] = ()


def make_request(
    *,
    role: Role,
    endpoint: str,
    address: str,
    body: str,
    subject: Subject,
    repeat: int,
    shown_answers: tuple[str, ...] = (),
) -> Request:
    """Return the request with its name."""
    return make_requests(
        role=role,
        endpoint=endpoint,
        address=address,
        body=body,
        subject=subject,
        repeats=(repeat,),
        shown_answers=shown_answers,
    )[0]


def make_requests(
    *,
    role: Role,
    endpoint: str,
    address: str,
    body: str,
    subject: Subject,
    repeats: Iterable[int],
    shown_answers: tuple[str, ...] = (),
) -> tuple[Request, ...]:
    """Return the requests that differ in nothing but their repeat, each with its name."""
    shown = tuple(text_digest(answer) for answer in shown_answers)
    # The canonical JSON of all that decides a request, cut where the repeat stands: what is before it is
    # hashed once. Canonical order of its keys: address, body, endpoint, repeat, role, shown, subject.
    before = encode({"address": address, "body": body, "endpoint": endpoint})[:-1]
    after = encode({"role": role, "shown": shown, "subject": subject})[1:]
    hashed = sha256(before)
    return tuple(
        [
            Request(_name(hashed, repeat, after), role, endpoint, address, body, subject, repeat, shown)
            for repeat in repeats
        ]
    )


def _name(before: "_Hash", repeat: int, after: bytes) -> str:
    hashed = before.copy()
    hashed.update(b',"repeat":%d,%b' % (repeat, after))
    return hashed.hexdigest()


class Response(Sealed, frozen=True, kw_only=True):
    """What a server said, as it said it.

    ``body`` is the raw body; ``encoding`` is ``base64`` where the bytes are
    not UTF-8. ``headers`` keeps those that tell who answered, in lower case.
    """

    body: str
    encoding: Literal["utf-8", "base64"] = "utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    status: int


class Failure(Sealed, frozen=True, kw_only=True):
    """Why a call has no response, after the last try."""

    detail: str = ""
    kind: SealedText
    status: int | None = None


class Attempt(Sealed, frozen=True, kw_only=True):
    """One try of a call. ``error`` is null for the one that succeeded.

    ``wait_ms`` is how long was waited before it, the slot's queue left out.
    """

    duration_ms: SealedCount
    error: str | None = None
    started_ms: SealedCount
    status: int | None = None
    wait_ms: SealedCount = 0


class Timing(Sealed, frozen=True, kw_only=True):
    """When a call happened, try by try. ``started_ms`` is Unix time in milliseconds."""

    attempts: tuple[Attempt, ...]
    request: SealedName

    @property
    def started_ms(self) -> int:
        """Start of the first try."""
        return self.attempts[0].started_ms if self.attempts else 0


class Stored(Sealed, frozen=True, kw_only=True):
    """What the store holds under a request's name while a run goes on."""

    response: Response
    timing: Timing


class Evidence(Sealed, frozen=True, kw_only=True):
    """One sealed line: which request, and what came of it.

    Times are kept apart (`Timing`), so that the same answers have the same
    evidence bytes at any concurrency and after any number of resumes.
    """

    endpoint: SealedText
    failure: Failure | None = None
    repeat: SealedCount
    request: SealedName
    response: Response | None = None
    role: Role
    shown: tuple[SealedName, ...] = ()
    subject: Subject


def sealed_bytes(record: Evidence | Timing) -> bytes:
    """Return the canonical bytes of a sealed record, ten times as fast as `canonical_bytes`.

    It has no fractions, no key outside ASCII, and its fields stand in their order.
    """
    return record.to_json()


class RecordedReply(Record):
    """One reply of a file of recorded replies.

    For an arm, ``id`` is the case. For a judge, ``kind``, ``id``, ``arm`` and
    ``answer`` say whose answer the vote is about; where it compares two,
    ``first`` says which was shown first. A ``failure`` stands for a call that
    brought nothing.
    """

    id: Text
    kind: Literal["case", "canary", "anchor"] = "case"
    arm: Arm | None = None
    answer: Count | None = None
    first: Side | None = None
    repeat: Count = 0
    content: str | None = None
    failure: Text | None = None
    finish_reason: Text = "stop"
    model: Text | None = None
    fingerprint: Text | None = None


class Usage(Sealed, frozen=True, kw_only=True):
    """Tokens as the server counted them."""

    prompt_tokens: SealedCount
    completion_tokens: SealedCount


class Identity(Sealed, frozen=True, kw_only=True):
    """Who answered, as far as the response says. Null is unknown, not equal."""

    model: str | None = None
    fingerprint: str | None = None
    service_tier: str | None = None
    provider: str | None = None


class Progress(Record):
    """How far a run has come. Durations in seconds; a cost is null where a price is unknown.

    Calls, tokens and ``cost`` are of this start of the run; ``reused_cost`` is
    what the responses found on disk had cost when they were asked for.
    """

    phase: str
    n_done: Count
    n_total: Positive
    n_cached: Count
    n_calls: Count
    errors: tuple[tuple[str, int], ...] = ()
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    n_usage_unknown: Count = 0
    cost: float | None = None
    reused_cost: float | None = None
    elapsed_s: float = 0.0
    eta_s: float | None = None
    waiting_for: str | None = None
