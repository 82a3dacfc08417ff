"""What a run that does not move is waiting for."""

from collections.abc import Mapping

_QUIET_S = 10.0


def waiting_for(in_flight: Mapping[str, int], *, n_done: int, quiet_s: float) -> str | None:
    """Return what nothing has come from, or null while the run moves.

    Args:
        in_flight: Calls in flight, by endpoint.
        n_done: Calls that have ended.
        quiet_s: Seconds since the last of them.
    """
    if n_done and quiet_s < _QUIET_S:
        return None
    busy = [f"{name} ({n} in flight)" for name, n in in_flight.items() if n]
    ordinal = "another" if n_done else "the first"
    if not busy:
        return f"{ordinal} call to be made, for {quiet_s:.0f} s"
    return f"{ordinal} response of {', '.join(busy)}, for {quiet_s:.0f} s"
