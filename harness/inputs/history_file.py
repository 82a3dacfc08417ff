"""A judge's history file: one chained line an audit, and the head that remembers the last one."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, digest
from harness.domain.errors import InputError, Tampered
from harness.domain.history import AuditKept, HistoryEntry, HistoryHead
from harness.inputs.chain import ChainWords, append_to_chain, read_chain

HISTORY, HEAD = "history.jsonl", "history.head.json"

_WORDS = ChainWords(line="audit", lines="audits", file="history")


def read_history(path: Path, *, known_entries: Sequence[str] = ()) -> tuple[HistoryEntry, ...]:
    """Return the recorded audits, oldest first; none where there is no file.

    Args:
        path: The history; its head stands beside it.
        known_entries: Entries that runs say were there.

    Raises:
        Tampered: An audit was edited, moved or taken out, off the end too: the
            head, or a run, knows a later one.
        InputError: A file cannot be read.
    """
    head = _head(path)
    known = (*known_entries, *((head.entry,) if head else ()))
    return read_chain(path, HistoryEntry, _WORDS, known_entries=known)


def append_history(path: Path, kept: AuditKept) -> tuple[HistoryEntry, ...]:
    """Add an audit, unless it is there already: the same evidence is the same audit.

    The head is the caller's to write, from the last of what is returned.

    Raises:
        Tampered: The chain is broken.
        InputError: The file cannot be written.
    """

    def make(entries: tuple[HistoryEntry, ...]) -> HistoryEntry | None:
        if any(entry.evidence_sha256 == kept.evidence_sha256 for entry in entries):
            return None
        return history_line(kept, number=len(entries) + 1, previous=entries[-1].entry if entries else None)

    return append_to_chain(path, HistoryEntry, _WORDS, make)


def history_line(kept: AuditKept, *, number: int, previous: str | None) -> HistoryEntry:
    """Return the audit with its place in the chain. ``previous`` is null for the first."""
    fields = {**kept.model_dump(mode="json"), "number": number, "previous": previous}
    return HistoryEntry.from_json(canonical_bytes({**fields, "entry": digest(fields)}))


def head_bytes(entries: Sequence[HistoryEntry]) -> bytes:
    """Return what the head says after these audits, at least one."""
    return canonical_bytes(HistoryHead(number=entries[-1].number, entry=entries[-1].entry))


def _head(path: Path) -> HistoryHead | None:
    beside = path.with_name(HEAD)
    try:
        return HistoryHead.from_json(beside.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{beside}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise Tampered(f"{beside}: not as the harness writes it") from error
