"""Which side of the split a case is on."""

import hmac
from collections.abc import Sequence

from harness.domain.cases import Case, Split
from harness.domain.errors import InputError
from harness.domain.specs import SplitSpec
from harness.inputs.rows import folded


def held_out_ids(cases: Sequence[Case], split: SplitSpec) -> frozenset[str]:
    """Return the ids of the cases on the held-out side.

    A case that names its side is there. Every other side is a keyed digest of
    the name of the cluster (or of the case), so it depends on no other case:
    adding cases, and their order, never move one.

    Raises:
        InputError: A cluster has cases on both sides.
    """
    sides = [side(case, split) for case in cases]
    straddling = straddling_pair(cases, sides)
    if straddling is not None:
        first, second = straddling
        raise InputError(
            f"cluster {cases[first].group!r} is on both sides of the split: "
            f"case {cases[first].id!r} is {sides[first]}, case {cases[second].id!r} is {sides[second]}"
        )
    return frozenset(case.id for case, where in zip(cases, sides, strict=True) if where == "held_out")


def side(case: Case, split: SplitSpec) -> Split:
    """Return the side of one case, from the case and the split's settings alone."""
    if case.split is not None:
        return case.split
    name = case.group if split.by == "cluster" else case.id
    return "held_out" if _is_below(name, split) else "exploratory"


def straddling_pair(cases: Sequence[Case], sides: Sequence[Split]) -> tuple[int, int] | None:
    """Return the positions of two cases of one cluster on different sides, or null.

    Args:
        cases: The cases.
        sides: The side of each, in the same order.
    """
    first: dict[str, int] = {}
    for index, case in enumerate(cases):
        earlier = first.setdefault(case.group, index)
        if sides[earlier] != sides[index]:
            return earlier, index
    return None


def _is_below(name: str, split: SplitSpec) -> bool:
    """Tell whether the first 8 bytes of the HMAC, as a share of 2**64, are below ``held_out``."""
    keyed = hmac.digest(split.salt.encode("utf-8"), folded(name).encode("utf-8"), "sha256")
    # Python compares a whole number and a float exactly, so 0 takes none and 1 takes all.
    return int.from_bytes(keyed[:8], "big") < split.held_out * 2**64
