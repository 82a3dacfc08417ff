"""What a store of responses does."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from harness.domain.calls import Stored


class ResponseStore(Protocol):
    """Write-once responses under the names of their requests.

    Every method raises `StoreError` where the store cannot be read or written.
    """

    @property
    def commit_gap_s(self) -> float:
        """How far apart commits should be, in seconds, so that responses share them."""

    def get(self, name: str) -> Stored | None:
        """Return what is held under the name, if anything is."""

    def add_all(self, batch: Sequence[tuple[str, Stored]]) -> tuple[bool, ...]:
        """Put the batch on disk, all or nothing; false for a name that was held already.

        What was first stays.
        """

    def names(self) -> Iterator[str]:
        """Yield the name of every response held, oldest first."""

    def __len__(self) -> int:
        """Return how many responses are held."""

    def close(self) -> None:
        """Let go of what the calling thread holds open; another thread, or another call, opens it anew."""
