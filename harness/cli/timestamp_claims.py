"""Whether the time stamp of a signature is over it, and by an authority that counts."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from harness.domain.errors import Tampered
from harness.report.bundle import Signed
from harness.report.inert import inert
from harness.report.timestamps import Authority, authority_of, is_over, read_token
from harness.report.trust import shown_time
from harness.report.verifying import Claim, broken, holds, not_checked, unproven


class Stamped(NamedTuple):
    """What was found of a time stamp: claims, and the time where it is proven."""

    claims: tuple[Claim, ...]
    time: datetime | None = None


def stamped(signed: Signed, authorities: Sequence[Authority], *, what: str = "time") -> Stamped:
    """Return what the time stamp in a bundle shows.

    Args:
        signed: The bundle, opened.
        authorities: Those that count, from the verifier's own hands.
        what: What the claims are called.
    """
    if signed.timestamp is None:
        missing = unproven(what, "there is no time stamp, and --tsa names an authority")
        return Stamped((missing,) if authorities else ())
    try:
        token = read_token(signed.timestamp, place="time stamp")
    except Tampered as error:
        return Stamped((broken(what, str(error)),))
    said = f"time stamp of {shown_time(token.time)}"
    if not is_over(token, signed.signature):
        return Stamped((broken(what, f"{said}: is over another signature"),))
    if not authorities:
        return Stamped((not_checked(what, f"{said}: --tsa names the certificates of its authority"),))
    name = authority_of(token, signed.signature, authorities)
    if name is None:
        return Stamped((broken(what, f"{said}: by no authority that --tsa names"),))
    return Stamped((holds(what, f"{said} by {inert(name)}: the signature was there then"),), token.time)
