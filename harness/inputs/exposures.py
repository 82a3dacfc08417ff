"""The record of exposures: which held-out cases were shown one by one, in order, none taken back.

Every look whose numbers were released has an exposure after it, be it of no
case, so a record that is gone or was cut short shows beside the ledger of looks.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.domain.canonical import canonical_bytes, digest
from harness.domain.cases import Case
from harness.domain.errors import Tampered
from harness.domain.exposure import ExposedCase, Exposure, ShownBy
from harness.domain.plan import Look
from harness.inputs.chain import ChainWords, append_to_chain, read_chain
from harness.inputs.content import prompt_digest

_WORDS = ChainWords(line="exposure", lines="exposures", file="record")


class Showing(NamedTuple):
    """What is known of an exposure before it is written. ``exposed_at`` is UTC, ISO 8601."""

    exposed_at: str
    gold: str
    run: str
    plan_sha256: str
    shown_by: ShownBy
    cases: tuple[ExposedCase, ...]


def exposed_cases(cases: Iterable[Case]) -> tuple[ExposedCase, ...]:
    """Return the cases as the record names them."""
    return tuple(ExposedCase(id=case.id, prompt=prompt_digest(case)) for case in cases)


def read_exposures(path: Path, *, known_entries: Sequence[str] = ()) -> tuple[Exposure, ...]:
    """Read a record of exposures and check its chain.

    Args:
        path: The file; where there is none, nothing was shown yet.
        known_entries: Entries that other documents say were there.

    Raises:
        Tampered: A line was edited, added, moved or taken out, or an entry that
            is known is missing.
        InputError: The file cannot be read.
    """
    return read_chain(path, Exposure, _WORDS, known_entries=known_entries)


def append_exposure(path: Path, showing: Showing) -> tuple[Exposure, ...]:
    """Write what was shown of a run, where it is new, on disk before all exposures are returned.

    A report leaves a line even where it shows no case: it stands for the look.

    Raises:
        Tampered: The chain is broken.
        InputError: The file cannot be written.
    """

    def make(exposures: tuple[Exposure, ...]) -> Exposure | None:
        of_run = [exposure for exposure in exposures if exposure.run == showing.run]
        known = {case for exposure in of_run for case in exposure.cases}
        fresh = tuple(case for case in showing.cases if case not in known)
        reported = any(exposure.shown_by == "report" for exposure in of_run)
        if not fresh and (reported or showing.shown_by != "report"):
            return None
        previous = exposures[-1].entry if exposures else None
        return make_exposure(showing._replace(cases=fresh), number=len(exposures) + 1, previous=previous)

    return append_to_chain(path, Exposure, _WORDS, make)


def make_exposure(showing: Showing, *, number: int, previous: str | None) -> Exposure:
    """Return the exposure with its place in the chain. ``previous`` is null for the first."""
    cases = [case.model_dump(mode="json") for case in showing.cases]
    fields = {**showing._asdict(), "cases": cases, "number": number, "previous": previous}
    return Exposure.from_json(canonical_bytes({**fields, "entry": digest(fields)}))


def known_until(exposures: Sequence[Exposure], entry: str | None, path: Path) -> tuple[Exposure, ...]:
    """Return the exposures up to an entry, that one included; none for null.

    Raises:
        Tampered: The entry is not there.
    """
    if entry is None:
        return ()
    for number, exposure in enumerate(exposures, 1):
        if exposure.entry == entry:
            return tuple(exposures[:number])
    raise Tampered(
        f"{path}: the exposure {entry} is known and not in it; {len(exposures)} exposures are left"
    )


def refuse_unrecorded(looks: Sequence[Look], exposures: Sequence[Exposure], path: Path) -> None:
    """Refuse a record that lacks what a look has shown.

    Raises:
        Tampered: A look is without its exposure.
    """
    recorded = {exposure.run for exposure in exposures if exposure.shown_by == "report"}
    for look in looks:
        if look.released == "numbers" and look.run not in recorded:
            raise Tampered(
                f"{path}: does not tell what look {look.number} (run {look.run[:12]}) has shown: it was cut "
                "short or taken away, or the look broke off (then `harness open-held-out RUN` writes it)"
            )
