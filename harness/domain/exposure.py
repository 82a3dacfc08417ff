"""Exposure: which held-out cases were shown, one by one, and what that moved in a later plan."""

from typing import Literal

from harness.domain.record import Chained, Record, Sha256, Text

ShownBy = Literal["report", "compare", "prove", "redact"]
"""What showed the cases: the report after a look, a comparison, the proof of a case, a copy of a run."""


class ExposedCase(Record):
    """A held-out case that was shown: its id, and the digest of its prompt as prompts are compared."""

    id: Text
    prompt: Sha256


class Exposure(Chained):
    """One showing of held-out cases, a line of ``exposures.jsonl``.

    ``run`` is the digest of the manifest of the run they were shown of."""

    exposed_at: Text
    gold: Text
    run: Sha256
    plan_sha256: Sha256
    shown_by: ShownBy
    cases: tuple[ExposedCase, ...]


class Moved(Record):
    """What was known of exposures when a plan was made, and what they moved.

    ``ledger`` is the last entry that was known. ``shown`` are the cases that the
    split holds out and that were shown, ``cases`` all that are exploratory
    because of them: these, and what must stay on one side with them. Both in
    the order of the gold set.
    """

    ledger: Sha256
    shown: tuple[Text, ...]
    cases: tuple[Text, ...]


def nothing_known(moved: Moved | None) -> bool:
    """Return whether no exposure was known: such a plan says nothing of it."""
    return moved is None
