"""Every number again from a copy that withholds texts, held against the report."""

from collections.abc import Iterator
from itertools import tee
from pathlib import Path

from harness.cli.committed_run import lines_of_copy
from harness.cli.recompute import report_claim, returned_models
from harness.cli.run import report_of
from harness.cli.signed_run import RunDocuments
from harness.domain.calls import Evidence
from harness.domain.carried import CarriedEvidence, CarriedVerdict
from harness.domain.plan import Plan
from harness.domain.redacted import RedactedLine
from harness.graders.carried import Carrying
from harness.graders.reading import read_run
from harness.redaction.record_lines import carried_record, shown_record
from harness.report.document import report_bytes
from harness.report.inert import inert
from harness.report.verifying import Claim, broken, holds, not_checked
from harness.store.recount import Recount

_OF_CHECKS = {"outcome", "no_outcome", "score"}
# A tag needs the run's secret, and the length of a prompt the prompt.
_NOT_READ_AGAIN = {"text_tag", "n_prompt_chars"}


def redacted_recompute_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    """Yield whether manifest and report follow from what a copy shows and carries.

    Raises:
        Tampered: A line is not what the harness wrote.
        StoreError: The lines contradict the plan or each other.
    """
    recount, again = Recount(), _ReadAgain(documents.plan)
    records, timings = tee(map(carried_record, again.records(lines_of_copy(run))))
    reading = read_run(
        documents.plan,
        recount.evidence(record for record, _ in records),
        recount.timings(timing for _, timing in timings),
    )
    if again.problem is not None:
        yield broken("verdicts", again.problem)
    wrong = recount.contradictions(documents.manifest, models=returned_models(reading.identities))
    if wrong:
        yield broken("manifest", f"does not follow from the lines: {wrong[0]}")
    else:
        yield holds("manifest", "its counts, times and models follow from the lines")
    made = report_bytes(report_of(run, documents.plan, reading))
    yield report_claim(report_bytes(documents.report), made, documents)
    n_all, n_carried = again.n_read + again.n_carried, again.n_carried
    if n_carried:
        yield not_checked(
            "verdicts",
            f"{again.n_read} of {n_all} were read again from their texts; {n_carried} are carried as they "
            "were signed, since their texts are withheld",
        )
    elif n_all:
        yield holds("verdicts", f"all {n_all} were read again from their texts")


class _ReadAgain:
    """Reads what a copy shows again while its records pass, and holds it against what they carry."""

    def __init__(self, plan: Plan) -> None:
        self.problem: str | None = None
        self.n_read = 0
        self.n_carried = 0
        self._carrying = Carrying(plan, tag=lambda case, sha256: sha256)
        self._checked = {case.id for case in plan.cases if case.checks}
        self._hidden: set[str] = set()

    def records(self, lines: Iterator[RedactedLine]) -> Iterator[RedactedLine]:
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
