"""Texts that are shown, read again: do they say what was carried of them?"""

from collections.abc import Iterable, Iterator

from harness.domain.calls import Evidence
from harness.domain.carried import CarriedEvidence, CarriedVerdict
from harness.domain.plan import Plan
from harness.domain.redacted import RedactedLine
from harness.graders.carried import Carrying
from harness.redaction.record_lines import carried_record, shown_record
from harness.report.inert import inert

_OF_CHECKS = {"outcome", "no_outcome", "score"}
# A tag needs the run's secret, and the length of a prompt the prompt.
_NOT_READ_AGAIN = {"text_tag", "n_prompt_chars"}


class ReadAgain:
    """Reads what lines show again while they pass, and holds it against the verdicts that they carry.

    ``problem`` says of the first line where the two part; null as long as none does.
    """

    def __init__(self, plan: Plan) -> None:
        self.problem: str | None = None
        self.n_read = 0
        self.n_carried = 0
        self._carrying = Carrying(plan, tag=lambda case, sha256: sha256)
        self._checked = {case.id for case in plan.cases if case.checks}
        self._hidden: set[str] = set()

    def records(self, lines: Iterable[RedactedLine]) -> Iterator[RedactedLine]:
        """Yield the lines of records."""
        for number, line in enumerate(lines, 1):
            if line.committed.kind == "record":
                self._read(line, number)
                yield line
            elif line.committed.kind == "case" and line.content("reference") is None:
                self._hidden.add(line.committed.clear["fields"]["id"])

    def _read(self, line: RedactedLine, number: int) -> None:
        if line.content("verdict") is None:
            return
        carried, _ = carried_record(line)
        shown, about = shown_record(line), carried.subject
        by_checks = carried.role == "answer" and about.id in self._checked
        unread = shown is None or (by_checks and about.id in self._hidden)
        if carried.role == "vote" or by_checks:
            self.n_read += not unread
            self.n_carried += unread
        if shown is not None and self.problem is None:
            self.problem = self._difference(shown, carried, number)

    def _difference(self, shown: Evidence, carried: CarriedEvidence, number: int) -> str | None:
        again, told = self._carrying.reading(shown), carried.reading
        left_out = _NOT_READ_AGAIN | (_OF_CHECKS if carried.subject.id in self._hidden else set())
        pairs = [("who answered", again.identity, told.identity), ("tokens", again.usage, told.usage)]
        pairs += [
            (name, getattr(again.verdict, name), getattr(told.verdict, name))
            for name in CarriedVerdict.model_fields
            if name not in left_out
        ]
        wrong = next((each for each in pairs if each[1] != each[2]), None)
        if wrong is None:
            return None
        name, found, said = wrong
        return f"line {number}: {name}: carried is {inert(str(said))}, its text reads {inert(str(found))}"
