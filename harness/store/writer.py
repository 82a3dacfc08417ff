"""Putting responses on disk while the event loop goes on."""

import asyncio
import queue
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from harness.domain.calls import Stored
from harness.domain.errors import StoreError
from harness.store.protocol import ResponseStore

_LARGEST_BATCH = 256


class _Put(NamedTuple):
    name: str
    stored: Stored
    done: asyncio.Future[bool]


class BatchWriter:
    """One thread that commits what is waiting, in one transaction at a time.

    What comes while a batch is being committed, and for a moment after it,
    goes into the next one.
    """

    def __init__(self, store: ResponseStore) -> None:
        """Start the thread; to be made where an event loop runs."""
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[_Put | None] = queue.SimpleQueue()
        self._next_s = 0.0
        # Changed in the loop's thread alone.
        self._n_unsettled = 0
        self._thread = threading.Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    def put(self, name: str, stored: Stored) -> asyncio.Future[bool]:
        """Hand a response over, to be on disk when the future is done.

        It is false where the name was held already, and a `StoreError` where
        the response could not be written. What was handed over is committed
        even if nobody waits for it.
        """
        done: asyncio.Future[bool] = self._loop.create_future()
        self._n_unsettled += 1
        self._waiting.put(_Put(name, stored, done))
        return done

    @property
    def is_settled(self) -> bool:
        """Whether of everything that was put it is known if it came on disk."""
        return self._n_unsettled == 0

    def close(self) -> None:
        """Return once everything that was put is committed and the thread has ended."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        try:
            while batch := self._next_batch():
                self._commit(batch)
        finally:
            # A database connection belongs to the thread that made it.
            self._store.close()

    def _next_batch(self) -> list[_Put]:
        """Return what is to be committed next, once it is time; nothing at the end."""
        first = self._waiting.get()
        if first is None:
            return []
        # A commit costs about as much as five more responses in it, so they follow
        # each other at a distance; a response that comes alone does not wait.
        time.sleep(max(0.0, self._next_s - time.monotonic()))
        self._next_s = time.monotonic() + self._store.commit_gap_s
        batch = [first]
        while len(batch) < _LARGEST_BATCH and not self._waiting.empty():
            item = self._waiting.get()
            if item is None:
                # The end, met behind others: it is met again next.
                self._waiting.put(None)
                break
            batch.append(item)
        return batch

    def _commit(self, batch: Sequence[_Put]) -> None:
        try:
            added = self._store.add_all([(put.name, put.stored) for put in batch])
        except Exception as error:  # any error must reach the waiters, or they wait for ever
            self._tell(batch, error)
        else:
            self._tell(batch, added)

    def _tell(self, batch: Sequence[_Put], outcome: tuple[bool, ...] | Exception) -> None:
        try:
            self._loop.call_soon_threadsafe(self._settle, batch, outcome)
        except RuntimeError:
            # The loop is closed: nobody waits any more, and what was put is on disk.
            return

    def _settle(self, batch: Sequence[_Put], outcome: tuple[bool, ...] | Exception) -> None:
        self._n_unsettled -= len(batch)
        for index, put in enumerate(batch):
            if put.done.done():
                continue
            if isinstance(outcome, tuple):
                put.done.set_result(outcome[index])
            elif isinstance(outcome, StoreError):
                put.done.set_exception(outcome)
            else:
                put.done.set_exception(StoreError(f"a response could not be written: {outcome}"))
