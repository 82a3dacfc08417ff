"""What a verifier finds: claims of a report, each with how it stands."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Standing = Literal["holds", "broken", "unproven", "not_checked"]
Verification = Literal["PASS", "FAIL", "CANNOT TELL", "TAMPERED"]


class Claim(NamedTuple):
    """One thing that was looked at: what, how it stands, and what was found."""

    what: str
    standing: Standing
    detail: str


def holds(what: str, detail: str) -> Claim:
    """Return a claim that holds."""
    return Claim(what, "holds", detail)


def broken(what: str, detail: str) -> Claim:
    """Return a claim that something was changed."""
    return Claim(what, "broken", detail)


def unproven(what: str, detail: str) -> Claim:
    """Return a claim that may hold and that a green result would need."""
    return Claim(what, "unproven", detail)


def not_checked(what: str, detail: str) -> Claim:
    """Return a claim that was left alone, which the result does not need."""
    return Claim(what, "not_checked", detail)


def verification(claims: Sequence[Claim], *, gates: int) -> Verification:
    """Return what the claims come to.

    Args:
        claims: Everything that was looked at.
        gates: The exit code of the report's own decision: 0, 1 or 3.
    """
    standings = {claim.standing for claim in claims}
    if "broken" in standings:
        return "TAMPERED"
    if "unproven" in standings:
        return "CANNOT TELL"
    return {0: "PASS", 1: "FAIL"}.get(gates, "CANNOT TELL")  # type: ignore[return-value]


EXIT_CODES: dict[Verification, int] = {"PASS": 0, "FAIL": 1, "CANNOT TELL": 3, "TAMPERED": 4}
