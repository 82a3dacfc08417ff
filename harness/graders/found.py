"""What a run's records gave so far, while it is read."""

from collections import defaultdict
from typing import Literal

from harness.domain.calls import Subject, Usage
from harness.domain.cases import ARMS
from harness.domain.manifest import EndpointUsage
from harness.domain.verdicts import AnswerNote, CallIdentity, Vote
from harness.graders.opened import Opened
from harness.graders.sealed import Line

SubjectKind = Literal["canary", "anchor", "case"]


class _Tokens:
    """Tokens of one endpoint, counted up."""

    __slots__ = ("n_completion", "n_prompt", "n_responses", "n_unknown")

    def __init__(self) -> None:
        self.n_responses = self.n_prompt = self.n_completion = self.n_unknown = 0

    def add(self, usage: Usage | None) -> None:
        self.n_responses += 1
        if usage is None:
            self.n_unknown += 1
        else:
            self.n_prompt += usage.prompt_tokens
            self.n_completion += usage.completion_tokens


class Found:
    """Votes, identities and notes in plan order, and the tokens by endpoint. Grows while a run is read."""

    def __init__(self) -> None:
        self.votes: dict[SubjectKind, list[Vote]] = {"canary": [], "anchor": [], "case": []}
        self.identities: list[CallIdentity] = []
        self.notes: list[AnswerNote] = []
        self._tokens: defaultdict[str, _Tokens] = defaultdict(_Tokens)

    def add_response(self, line: Line, subject: Subject, call: Opened) -> None:
        """Add who answered the call and what it used, where a response came."""
        said = call.identity
        if said is None:
            return
        record, started_ms = line.record, line.started_ms
        endpoint = record.endpoint
        self.identities.append(
            CallIdentity(
                endpoint, subject, record.repeat, said.model, said.fingerprint, started_ms, said.provider
            )
        )
        self._tokens[endpoint].add(call.usage)

    def usage(self) -> tuple[EndpointUsage, ...]:
        """Return the tokens of every endpoint that answered."""
        return tuple(
            EndpointUsage(
                endpoint=endpoint,
                n_responses=tokens.n_responses,
                prompt_tokens=tokens.n_prompt,
                completion_tokens=tokens.n_completion,
                n_unknown=tokens.n_unknown,
            )
            for endpoint in dict.fromkeys((*ARMS, *self._tokens))
            if (tokens := self._tokens[endpoint]).n_responses
        )
