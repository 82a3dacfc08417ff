"""A record whose texts are withheld: what its numbers need of it, carried beside its commitments."""

from typing import NamedTuple

from harness.domain.calls import Evidence, Identity, Usage
from harness.domain.cases import Outcome
from harness.domain.record import Count, Record, Sha256
from harness.domain.verdicts import NoVerdict


class CarriedVerdict(Record):
    """What was read from one text when it was committed to. Never the text.

    ``n_chars`` is the length of its text and ``reason`` why there is none: one
    of the two is set. ``text_tag`` is the same for equal answers to one case,
    and says nothing else. Of a vote, ``label`` or ``no_verdict`` is set; of an
    answer that checks grade, ``outcome`` or ``no_outcome``. ``markdown`` and
    ``lists`` say how an answer is written that a judge was shown, and
    ``n_prompt_chars`` how long the prompt of an answer was.
    """

    n_chars: Count | None = None
    text_tag: Sha256 | None = None
    reason: NoVerdict | None = None
    label: str | None = None
    no_verdict: NoVerdict | None = None
    outcome: Outcome | None = None
    no_outcome: NoVerdict | None = None
    score: float | None = None
    markdown: bool = False
    lists: bool = False
    n_prompt_chars: Count | None = None


class CarriedReading(NamedTuple):
    """What was read from one record: its text, who answered, and the tokens."""

    verdict: CarriedVerdict
    identity: Identity | None
    usage: Usage | None


class CarriedEvidence(Evidence, frozen=True, kw_only=True):
    """A record in the place of one whose texts are withheld. ``request`` is a commitment to its name."""

    reading: CarriedReading
