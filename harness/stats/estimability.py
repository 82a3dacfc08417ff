"""What stands in the place of an estimate that the data cannot support.

A function of this room returns its result or a `NotEstimable`: the union is its return
type, so that a caller cannot read a number without having asked whether there is one.
Input that is wrong in itself (NaN, unequal shapes, negative counts) raises `ValueError`
instead: it says something about the caller, not about the data.
"""

from typing import NamedTuple


class NotEstimable(NamedTuple):
    """No number, and why.

    Attributes:
        reason: One sentence without a full stop, made to be shown to the reader of a
            report: what is missing and what was found.
    """

    reason: str
