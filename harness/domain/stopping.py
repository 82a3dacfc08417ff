"""How a sequential run came to its end, as the report says it."""

import math
from typing import Literal, NamedTuple

from harness.domain.record import Count, Record

Ended = Literal["evidence", "n_max", "not_ended"]


class Asked(NamedTuple):
    """How far a sequential run came, in batches and in cases, out of those that the plan may ask.

    ``is_whole`` is false where a call of the last batch was not made.
    """

    n_batches: int
    n_batches_planned: int
    n_cases: int
    n_cases_planned: int
    is_whole: bool


class SequentialBlock(Record):
    """The stop of a sequential run, by the evidence after its last batch.

    ``ended``: by the ``evidence``, which reached ``threshold``; at ``n_max``, when
    every case that the plan may ask was asked; or ``not_ended``: something else broke
    the run off, and the cases left out are missing. ``evalue`` is null above 1e300;
    ``log_evalue`` is its natural logarithm.
    """

    ended: Ended
    n_batches: Count
    n_batches_planned: Count
    n_cases: Count
    n_cases_planned: Count
    n_cases_not_asked: Count
    threshold: float
    log_evalue: float | None
    evalue: float | None
    reason: str | None = None


def written_evalue(block: SequentialBlock) -> str:
    """Return the e-value in words: beyond a million its power of ten."""
    if block.log_evalue is None:
        return "no e-value"
    if block.evalue is None or block.evalue >= 1e6:
        return f"e-value 10^{math.floor(block.log_evalue / math.log(10.0))}"
    return f"e-value {block.evalue:.3g}"
