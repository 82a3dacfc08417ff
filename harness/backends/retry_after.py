"""How long a server asks to be left alone."""

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """Return the wait that the headers ask for, in seconds, or null.

    ``retry-after-ms`` comes first, then ``retry-after`` as seconds, then as an
    HTTP date relative to ``now_s``. A wait that lies in the past is 0; one
    that cannot be read is null.

    Args:
        headers: Names in lower case.
        now_s: Unix time in seconds.

    References:
        RFC 9110, section 10.2.3.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    return seconds if seconds is not None else _until(text, now_s)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _until(text: str | None, now_s: float) -> float | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    # RFC 9110 dates are in GMT, also where "-0000" leaves them without a zone.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now_s)
