"""What a run's records gave so far, while it is read."""

from collections import Counter
from typing import Literal

from harness.domain.calls import Subject
from harness.domain.cases import ARMS
from harness.domain.manifest import EndpointUsage
from harness.domain.verdicts import AnswerNote, CallIdentity, Vote
from harness.graders.opened import Opened
from harness.graders.sealed import Line

SubjectKind = Literal["canary", "anchor", "case"]
_Counted = Literal["responses", "prompt", "completion", "unknown"]


class Found:
    """Votes, identities and notes in plan order, and the tokens by endpoint. Grows while a run is read."""

    def __init__(self) -> None:
        self.votes: dict[SubjectKind, list[Vote]] = {"canary": [], "anchor": [], "case": []}
        self.identities: list[CallIdentity] = []
        self.notes: list[AnswerNote] = []
        self._tokens: Counter[tuple[str, _Counted]] = Counter()

    def add_response(self, line: Line, subject: Subject, call: Opened) -> None:
        """Add who answered the call and what it used, where a response came."""
        if call.identity is None:
            return
        endpoint = line.record.endpoint
        self.identities.append(
            CallIdentity(
                endpoint=endpoint,
                subject=subject,
                repeat=line.record.repeat,
                model=call.identity.model,
                fingerprint=call.identity.fingerprint,
                started_ms=line.started_ms,
                provider=call.identity.provider,
            )
        )
        self._tokens[endpoint, "responses"] += 1
        if call.usage is None:
            self._tokens[endpoint, "unknown"] += 1
        else:
            self._tokens[endpoint, "prompt"] += call.usage.prompt_tokens
            self._tokens[endpoint, "completion"] += call.usage.completion_tokens

    def usage(self) -> tuple[EndpointUsage, ...]:
        """Return the tokens of every endpoint that answered."""
        return tuple(
            EndpointUsage(
                endpoint=endpoint,
                n_responses=self._tokens[endpoint, "responses"],
                prompt_tokens=self._tokens[endpoint, "prompt"],
                completion_tokens=self._tokens[endpoint, "completion"],
                n_unknown=self._tokens[endpoint, "unknown"],
            )
            for endpoint in dict.fromkeys((*ARMS, *(endpoint for endpoint, _ in self._tokens)))
            if self._tokens[endpoint, "responses"]
        )
