"""What is carried of a record so that its texts can be withheld: read once, as the numbers read it."""

from collections.abc import Callable
from functools import lru_cache

from harness.domain.calls import Evidence
from harness.domain.canonical import text_digest
from harness.domain.carried import CarriedReading, CarriedVerdict
from harness.domain.cases import Arm, Case
from harness.domain.errors import StoreError
from harness.domain.plan import Plan
from harness.graders.opened import Opened, opened, text_format, verdict_of
from harness.graders.subject_reading import checked, prompt_length, rules_of

Tag = Callable[[str, str], str]
"""From a case's id and the digest of an answer to the name that equal answers to the case share."""


class Carrying:
    """Readings of the records of one plan, one by one; nothing of a record is kept."""

    def __init__(self, plan: Plan, *, tag: Tag) -> None:
        self._rules = rules_of(plan)
        self._tag = tag
        self._cases = {case.id: case for case in plan.cases}
        self._prompt_length = lru_cache(maxsize=2)(self._length)

    def reading(self, record: Evidence) -> CarriedReading:
        """Return what is read from a record.

        Raises:
            StoreError: It is about a case that the plan does not have, or a
                vote of a judge that the plan does not have.
        """
        call = opened(record)
        if record.role == "vote":
            return self._vote(record.endpoint, call)
        case, arm = self._cases.get(record.subject.id), record.subject.arm
        if case is None or arm is None:
            raise StoreError(f"the evidence holds {record.subject.id!r}, which is not planned")
        return self._answer(call, case, arm)

    def _vote(self, endpoint: str, call: Opened) -> CarriedReading:
        judge = next((judge for judge in self._rules.judges if judge.endpoint == endpoint), None)
        if judge is None:
            raise StoreError(f"the evidence holds a vote of {endpoint}, and the plan has no such judge")
        verdict = verdict_of(call, judge.read)
        return _measured(call, label=verdict.label, no_verdict=verdict.no_verdict)

    def _answer(self, call: Opened, case: Case, arm: Arm) -> CarriedReading:
        if call.text is None:
            return _measured(call)
        tag = self._tag(case.id, text_digest(call.text))
        length = self._prompt_length(case.id, arm)
        if not case.checks:
            written = text_format(call)._asdict()
            return _measured(call, text_tag=tag, n_prompt_chars=length, **written)
        grade = checked(case, call)
        return _measured(
            call,
            text_tag=tag,
            n_prompt_chars=length,
            outcome=grade.outcome,
            no_outcome=grade.reason,
            score=grade.score,
        )

    def _length(self, case: str, arm: Arm) -> int:
        return prompt_length(self._rules.plan, self._cases[case], arm)


def _measured(call: Opened, **read: object) -> CarriedReading:
    n_chars = None if call.text is None else len(call.text)
    verdict = CarriedVerdict.model_validate({"n_chars": n_chars, "reason": call.reason, **read})
    return CarriedReading(verdict, call.identity, call.usage)
