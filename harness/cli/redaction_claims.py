"""Whether the lines of a copy that withholds texts are those that were committed to."""

from collections.abc import Iterator
from pathlib import Path

from harness.cli.committed_run import COMMITMENTS, commitments_over, lines_of_copy, read_commitments
from harness.cli.signed_run import RunDocuments
from harness.domain.redacted import RedactedLine
from harness.redaction.lines import leaf, n_texts_of, problem
from harness.report.verifying import Claim, broken, holds, not_checked
from harness.store.run_dir import REDACTED


def redaction_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    """Yield whether the lines of a copy are those that were committed to, and what they show opens them.

    Raises:
        Tampered: A line, or the commitments, are not what the harness wrote.
        InputError: The commitments are missing.
    """
    opened = documents.look is not None and documents.look.shows_numbers
    closed = frozenset() if opened else frozenset(documents.plan.held_out)
    kept, counts = read_commitments(run), _Counts(closed)
    found = commitments_over(counts.leaves(lines_of_copy(run)), documents.manifest)
    if counts.problem is not None:
        yield broken(REDACTED, counts.problem)
    if found.n_lines != kept.n_lines:
        yield broken(REDACTED, f"found {found.n_lines} lines, the commitments count {kept.n_lines}")
    elif found.merkle_root != kept.merkle_root:
        yield broken(
            REDACTED,
            f"its lines have the root {found.merkle_root[:16]}, committed to was {kept.merkle_root[:16]}: "
            "a line was changed, or made with the wrong salts",
        )
    else:
        yield holds(REDACTED, f"{kept.n_lines} lines, as they were committed to")
    for name in ("plan_sha256", "evidence_sha256", "timings_sha256", "n_records"):
        if getattr(kept, name) != getattr(found, name):
            yield broken(
                COMMITMENTS, f"{name}: found {getattr(kept, name)}, the manifest has {getattr(found, name)}"
            )
    yield not_checked(
        "texts", f"{counts.n_withheld} of {counts.n_texts} are withheld; those shown open their commitments"
    )


class _Counts:
    """What passes while the tree is made: how many texts, and the first line with something wrong.

    ``closed`` are the cases whose verdicts may be withheld.
    """

    def __init__(self, closed: frozenset[str]) -> None:
        self._closed = closed
        self.problem: str | None = None
        self.n_texts = 0
        self.n_withheld = 0

    def leaves(self, lines: Iterator[RedactedLine]) -> Iterator[bytes]:
        for number, line in enumerate(lines, 1):
            wrong = problem(line) or self._withholds_too_much(line)
            if wrong is not None and self.problem is None:
                self.problem = f"line {number}: {wrong}"
            n_texts, n_shown = n_texts_of(line)
            self.n_texts += n_texts
            self.n_withheld += n_texts - n_shown
            yield leaf(line)

    def _withholds_too_much(self, line: RedactedLine) -> str | None:
        if line.committed.kind != "record" or line.content("verdict") is not None:
            return None
        about = line.committed.clear["subject"]
        if about["kind"] == "case" and about["id"] in self._closed:
            return None
        return "verdict: withheld, and numbers of the report rest on it"
