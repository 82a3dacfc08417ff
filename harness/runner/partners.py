"""Answers that wait for the other arm's: a pair is asked about once both have come."""

from typing import NamedTuple

from harness.domain.calls import Request


class BothAnswers(NamedTuple):
    """The texts of both arms' answers of one repeat; null where an answer has none."""

    baseline: str | None
    candidate: str | None


class Partners:
    """The answers whose partner has not come yet.

    Shared by the workers of both arms; changed between awaits only. Arms are
    asked side by side, so few answers wait at a time.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], str | None] = {}

    def meet(self, request: Request, text: str | None) -> BothAnswers | None:
        """Return both answers, or null and keep this one where the other arm's is still to come."""
        key = (request.subject.id, request.repeat)
        if key not in self._waiting:
            self._waiting[key] = text
            return None
        other = self._waiting.pop(key)
        is_candidate = request.subject.arm == "candidate"
        return BothAnswers(other, text) if is_candidate else BothAnswers(text, other)
