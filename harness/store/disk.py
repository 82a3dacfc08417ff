"""Responses on disk: diskcache, made strict."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import DBNAME, MODE_RAW, UNKNOWN

from harness.domain.calls import Stored
from harness.domain.errors import StoreError
from harness.store.envelope import Damaged, check_name, pack, unpack
from harness.store.inspect import check_database

_SETTINGS = {
    # Paid answers are never thrown out, by size or by age.
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": 2**62,
    # A commit that was acknowledged survives a power cut.
    "sqlite_synchronous": 2,
    # In pages, for each of two connections: the system caches the file anyway.
    "sqlite_cache_size": 2**11,
    # A damaged file read through a memory map is a signal, not an error.
    "sqlite_mmap_size": 0,
    "disk_min_file_size": 2**31 - 1,
}
_LOCK_TIMEOUT_S = 60
_ADVICE = (
    "Nothing was deleted and nothing was asked again. Put a copy of the folder back from a backup, "
    "or move it away to ask everything again; a run directory belongs on a local disk"
)


class StrictDisk(diskcache.Disk):  # type: ignore[misc]
    """Text keys, byte values, all in the database: nothing is pickled or unpickled."""

    def put(self, key: object) -> tuple[str, bool]:
        """Return the key as it stands in the database."""
        if type(key) is not str:
            raise TypeError(f"a key of type {type(key).__name__} is refused, wanted text")
        return key, True

    def get(self, key: object, raw: object) -> str:
        """Return the key that stands in the database."""
        if not raw or type(key) is not str:
            raise Damaged("a key that is not text")
        return key

    def store(self, value: object, read: bool, key: object = UNKNOWN) -> Any:
        """Return the columns of a value."""
        if read or type(value) is not bytes:
            raise TypeError(f"a value of type {type(value).__name__} is refused, wanted bytes")
        return super().store(value, False, key)

    def fetch(self, mode: object, filename: object, value: object, read: bool) -> bytes:
        """Return the value of a row."""
        if mode != MODE_RAW or filename is not None or type(value) is not bytes:
            raise Damaged("a value that is not plain bytes")
        return value


class DiskStore:
    """The responses of one run, in a folder of their own.

    The folder is checked when it is opened: what is damaged, or was made by
    something else, is refused as it is, before a call is paid for again. Reads
    and writes may come from different threads.
    """

    commit_gap_s = 0.02

    def __init__(self, folder: Path) -> None:
        """Open the folder, or make it.

        Raises:
            StoreError: The folder cannot be used; nothing in it was changed.
        """
        self._folder = folder
        with self._translated():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.chmod(folder, 0o700)
            check_database(folder / DBNAME)
            self._cache = diskcache.Cache(
                str(folder.absolute()), timeout=_LOCK_TIMEOUT_S, disk=StrictDisk, **_SETTINGS
            )

    def get(self, name: str) -> Stored | None:
        """Return what is held under the name, if anything is."""
        check_name(name)
        with self._translated(name):
            envelope = self._cache.get(name)
            return None if envelope is None else unpack(name, envelope)

    def add_all(self, batch: Sequence[tuple[str, Stored]]) -> tuple[bool, ...]:
        """Put the batch on disk in one transaction; false for a name that was held already."""
        for name, _ in batch:
            check_name(name)
        with self._translated(), self._cache.transact():
            return tuple([self._cache.add(name, pack(name, stored)) for name, stored in batch])

    def set_aside(self, name: str) -> bool:
        """Free a name, so that its request is asked again; what was held stays under another key.

        Returns:
            Whether anything was held under the name.
        """
        check_name(name)
        with self._translated(name), self._cache.transact():
            envelope = self._cache.get(name)
            if envelope is None:
                return False
            number = sum(key.startswith(f"{name}.") for key in self._cache)
            self._cache.add(f"{name}.{number}", envelope)
            self._cache.delete(name)
            return True

    def names(self) -> Iterator[str]:
        """Yield the name of every response held, oldest first."""
        with self._translated():
            yield from (key for key in self._cache if "." not in key)

    def __len__(self) -> int:
        """Return how many responses are held."""
        return sum(1 for _ in self.names())

    def close(self) -> None:
        """Let go of the files, as far as this thread holds them."""
        with self._translated():
            self._cache.close()

    @contextmanager
    def _translated(self, name: str | None = None) -> Iterator[None]:
        where = f"{self._folder}" if name is None else f"{self._folder}: response {name}"
        try:
            yield
        except (Damaged, sqlite3.DatabaseError, diskcache.Timeout, OSError) as cause:
            reason = str(cause) or type(cause).__name__
            raise StoreError(f"{where}: {reason}. {_ADVICE}") from cause
