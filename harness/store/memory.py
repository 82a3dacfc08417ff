"""A store that forgets: for tests and dry runs."""

from collections.abc import Iterator, Sequence

from harness.domain.calls import Stored
from harness.store.envelope import check_name


class MemoryStore:
    """Responses in a dict, with the rules of a real store."""

    commit_gap_s = 0.0

    def __init__(self) -> None:
        self._held: dict[str, Stored] = {}

    def get(self, name: str) -> Stored | None:
        """Return what is held under the name, if anything is."""
        return self._held.get(name)

    def add_all(self, batch: Sequence[tuple[str, Stored]]) -> tuple[bool, ...]:
        """Hold the batch; false for a name that was held already."""
        for name, _ in batch:
            check_name(name)
        return tuple(self._held.setdefault(name, stored) is stored for name, stored in batch)

    def names(self) -> Iterator[str]:
        """Yield the name of every response held, oldest first."""
        yield from tuple(self._held)

    def __len__(self) -> int:
        """Return how many responses are held."""
        return len(self._held)

    def close(self) -> None:
        """Do nothing: there are no files."""
