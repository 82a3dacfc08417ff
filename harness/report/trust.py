"""Whose keys a verifier trusts, and for which time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from harness.domain.canonical import strict_json
from harness.domain.errors import InputError
from harness.domain.files import read_text
from harness.domain.record import Record, Text
from harness.report.inert import inert
from harness.report.keys import PublicKey, key_id, public_key, read_public_key
from harness.report.verifying import Claim, broken, holds, unproven

_SKEW = timedelta(minutes=5)


class TrustedKey(Record):
    """One key of a trust list. Times are ISO 8601 with their offset; null is no limit.

    Both ends of the validity are inside it. ``revoked_at`` is from when on the
    key is no longer its owner's alone.
    """

    pem: Text
    owner: Text
    not_before: Text | None = None
    not_after: Text | None = None
    revoked_at: Text | None = None


class TrustList(Record):
    """``trust.json``: the keys whose signatures count, kept by whoever verifies."""

    keys: tuple[TrustedKey, ...]


class Pinned(NamedTuple):
    """A key that counts, read: whose it is and when it was."""

    key: PublicKey
    id: str
    owner: str
    not_before: datetime | None = None
    not_after: datetime | None = None
    revoked_at: datetime | None = None


def pin(path: Path) -> Pinned:
    """Return the key of a public key file, with no limit in time.

    Raises:
        InputError: The file is no public key of a type that counts.
    """
    key = read_public_key(path)
    return Pinned(key=key, id=key_id(key), owner=str(path))


def read_trust(path: Path) -> tuple[Pinned, ...]:
    """Read a trust list.

    Raises:
        InputError: The file is no trust list; the message names the key.
    """
    text = read_text(path)
    try:
        strict_json(text)
        listed = TrustList.from_json(text)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "top level"
        raise InputError(f"{path}: {inert(place)}: {inert(first['msg'])}") from cause
    except ValueError as cause:
        raise InputError(f"{path}: {inert(str(cause))}") from cause
    found = tuple(_pinned(entry, f"{path}: keys.{place}") for place, entry in enumerate(listed.keys))
    ids = [entry.id for entry in found]
    twice = [entry for entry in found if ids.count(entry.id) > 1]
    if twice:
        raise InputError(f"{path}: the key {twice[0].id[:16]} is listed twice")
    return found


def moment(text: str, *, place: str) -> datetime:
    """Return a time written as ISO 8601 with its offset.

    Raises:
        InputError: It is not such a time.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as cause:
        raise InputError(
            f"{place}: found {inert(text, limit=40)}, wanted a time such as 2026-01-31T12:00:00Z"
        ) from cause
    if found.tzinfo is None:
        raise InputError(f"{place}: found {text}, wanted a time with its offset, such as {text}Z")
    return found.astimezone(UTC)


def key_at(
    pinned: Pinned, *, signed_at: datetime, now: datetime, stamped_at: datetime | None = None
) -> Claim:
    """Return whether the key was its owner's when it signed, as far as anyone can tell.

    The time of signing is the signer's word: it counts against the signature,
    and for it only while the key is still good now. The time of a stamp is an
    authority's: the signature was there then, whatever became of the key.

    Args:
        pinned: The key.
        signed_at: When it signed, by its own clock.
        now: What this clock says.
        stamped_at: When an authority that counts has seen the signature; null
            where none did.
    """
    said = f"signed {shown_time(signed_at)} by its own clock"
    against = _against(pinned, at=signed_at, said=said)
    if against is not None:
        return against
    if stamped_at is not None:
        return _when_stamped(pinned, signed_at=signed_at, stamped_at=stamped_at, now=now)
    if signed_at > now + _SKEW:
        return unproven("key", f"{said}, and here it is {shown_time(now)}: one of the clocks is wrong")
    if pinned.not_after and now > pinned.not_after:
        return _time_not_proven(said, f"ended {shown_time(pinned.not_after)}")
    if pinned.revoked_at:
        return _time_not_proven(said, f"was revoked {shown_time(pinned.revoked_at)}")
    return holds("key", f"{pinned.id[:16]} of {inert(pinned.owner)}; {said}")


def _against(pinned: Pinned, *, at: datetime, said: str) -> Claim | None:
    """Return what a signer's own clock says against its signature, if anything."""
    if pinned.not_before and at < pinned.not_before:
        return broken("key", f"{said}; the key counts only from {shown_time(pinned.not_before)} on")
    if pinned.not_after and at > pinned.not_after:
        return broken("key", f"{said}; the key counted only until {shown_time(pinned.not_after)}")
    if pinned.revoked_at and at >= pinned.revoked_at:
        return broken("key", f"{said}; the key was revoked {shown_time(pinned.revoked_at)}")
    return None


def _when_stamped(pinned: Pinned, *, signed_at: datetime, stamped_at: datetime, now: datetime) -> Claim:
    said = f"signed {shown_time(signed_at)} by its own clock, stamped {shown_time(stamped_at)}"
    if pinned.not_before and stamped_at < pinned.not_before:
        return broken("key", f"{said}; the key counts only from {shown_time(pinned.not_before)} on")
    if signed_at > stamped_at + _SKEW or stamped_at > now + _SKEW:
        return unproven("key", f"{said}, and here it is {shown_time(now)}: one of the clocks is wrong")
    if pinned.not_after and stamped_at > pinned.not_after:
        return _time_not_proven(said, f"ended {shown_time(pinned.not_after)}")
    if pinned.revoked_at and stamped_at >= pinned.revoked_at:
        return _time_not_proven(said, f"was revoked {shown_time(pinned.revoked_at)}")
    return holds("key", f"{pinned.id[:16]} of {inert(pinned.owner)}; {said}")


def _time_not_proven(said: str, what: str) -> Claim:
    return unproven("key", f"signature valid, time not proven: {said}; the key {what}")


def pinned_keys(files: Sequence[Path], trust: Path | None) -> tuple[Pinned, ...]:
    """Return every key that counts; of one in both places, what the list says of it.

    Raises:
        InputError: A file cannot be read as what it should be.
    """
    listed = read_trust(trust) if trust is not None else ()
    known = {each.id for each in listed}
    # A list says when a key counted and that it was revoked; its bare file says nothing against that.
    return (*(each for each in map(pin, files) if each.id not in known), *listed)


def _pinned(entry: TrustedKey, place: str) -> Pinned:
    key = public_key(entry.pem.encode(), place=f"{place}.pem")
    times = {
        name: moment(text, place=f"{place}.{name}") if (text := getattr(entry, name)) else None
        for name in ("not_before", "not_after", "revoked_at")
    }
    return Pinned(key=key, id=key_id(key), owner=entry.owner, **times)


def shown_time(time: datetime) -> str:
    """Return a time as UTC, to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
