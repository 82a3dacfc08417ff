"""What a sealed run says of itself, and what its evidence says when read."""

from collections.abc import Set
from typing import Literal, NamedTuple

from harness.domain.record import Count, Record, Sha256, Text
from harness.domain.verdicts import AnswerNote, CallIdentity, CaseResult, Graded, Vote

Models = tuple[tuple[str, tuple[str, ...]], ...]
"""The model ids that every endpoint came back with, both sorted."""


class Manifest(Record):
    """``manifest.json``.

    Times are UTC, ISO 8601, null where no call was made. ``merkle_root`` is over
    the evidence lines (RFC 6962).
    """

    version: Literal["1"] = "1"
    plan_sha256: Sha256
    evidence_sha256: Sha256
    timings_sha256: Sha256
    merkle_root: Sha256
    n_records: Count
    n_failed: Count
    n_attempts: Count
    n_calls: Count
    n_reused: Count = 0
    complete: bool
    stopped: Text | None = None
    locked: bool = False
    started_at: Text | None
    finished_at: Text | None
    harness_version: Text
    returned_models: Models = ()


class CheckedCanary(NamedTuple):
    """A canary of the checks, graded."""

    id: str
    graded: Graded


class EndpointUsage(NamedTuple):
    """Tokens of one endpoint's responses; ``n_unknown`` of them came without a count."""

    endpoint: str
    n_responses: int
    prompt_tokens: int
    completion_tokens: int
    n_unknown: int


class Reading(NamedTuple):
    """A whole run, read: what audits and analysis start from. Everything is in plan order."""

    cases: tuple[CaseResult, ...]
    case_votes: tuple[Vote, ...]
    anchor_votes: tuple[Vote, ...]
    canary_votes: tuple[Vote, ...]
    checked_canaries: tuple[CheckedCanary, ...]
    identities: tuple[CallIdentity, ...]
    answers: tuple[AnswerNote, ...]
    usage: tuple[EndpointUsage, ...] = ()

    def only(self, cases: Set[str]) -> "Reading":
        """Return the reading without what it holds of other cases; who answered and the usage stay whole."""
        return self._replace(
            cases=tuple(result for result in self.cases if result.case in cases),
            case_votes=tuple(vote for vote in self.case_votes if vote.subject.id in cases),
            answers=tuple(note for note in self.answers if note.case in cases),
        )
