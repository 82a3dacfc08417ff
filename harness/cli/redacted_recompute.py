"""Every number again from a copy that withholds texts, held against the report."""

from collections.abc import Iterator
from itertools import tee
from pathlib import Path

from harness.cli.committed_run import lines_of_copy
from harness.cli.read_again import ReadAgain
from harness.cli.recompute import report_claim, returned_models
from harness.cli.run import report_of
from harness.cli.signed_run import RunDocuments
from harness.domain.report import Report
from harness.graders.reading import read_run
from harness.redaction.record_lines import carried_record
from harness.report.document import report_bytes
from harness.report.verifying import Claim, broken, holds, not_checked
from harness.store.recount import Recount


def redacted_recompute_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    """Yield whether manifest and report follow from what a copy shows and carries.

    Raises:
        Tampered: A line is not what the harness wrote.
        StoreError: The lines contradict the plan or each other.
    """
    recount, again = Recount(), ReadAgain(documents.plan)
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
    yield from _report_claims(report_of(run, documents.plan, reading), documents)
    n_all, n_carried = again.n_read + again.n_carried, again.n_carried
    if n_carried:
        yield not_checked(
            "verdicts",
            f"{again.n_read} of {n_all} were read again from their texts; {n_carried} are carried as they "
            "were signed, since their texts are withheld",
        )
    elif n_all:
        yield holds("verdicts", f"all {n_all} were read again from their texts")


def _report_claims(made: Report, documents: RunDocuments) -> Iterator[Claim]:
    was, look = documents.report, documents.look
    if look is None or look.shows_numbers:
        yield report_claim(report_bytes(was), report_bytes(made), documents)
        return
    # The cases are closed, so that a copy does not hold what their decision rests on.
    carried = made.model_copy(update={"decision": was.decision})
    claim = report_claim(report_bytes(was), report_bytes(carried), documents)
    if claim.standing == "holds":
        claim = holds("recompute", "all but the decision follows from the lines")
    yield claim
    yield not_checked(
        "decision", "is carried as it was signed: it rests on held-out cases, whose verdicts are withheld"
    )
