"""The order calls are made in: seeded, interleaved, spread."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from harness.domain.canonical import text_digest
from harness.domain.cases import ARMS, Arm, Case

Item = TypeVar("Item")


def seeded_order(ids: Sequence[str], *, seed: int, purpose: str) -> list[int]:
    """Return the positions of the ids in a random order that the seed and the purpose decide.

    Each id is placed by a digest of its own, so that the order is the same on
    every machine, and an id that is added does not move the others.
    """
    keys = [text_digest(f"{seed}\n{purpose}\n{item}") for item in ids]
    return sorted(range(len(ids)), key=keys.__getitem__)


def interleaved(cases: Sequence[Case], *, repeats: int, seed: int) -> Iterator[tuple[Case, Arm, int]]:
    """Yield every answer to be asked: case, arm, repeat.

    Repeats outermost, arms side by side: what drifts in time reaches both
    alike. Each round has its own order of cases, and which arm goes first
    changes from case to case.
    """
    ids = [case.id for case in cases]
    for repeat in range(repeats):
        for place, index in enumerate(seeded_order(ids, seed=seed, purpose=f"answers {repeat}")):
            first, second = ARMS if place % 2 == 0 else ARMS[::-1]
            yield cases[index], first, repeat
            yield cases[index], second, repeat


def rounds(ids: Sequence[str], *, repeats: int, seed: int, purpose: str) -> Iterator[tuple[int, int]]:
    """Yield position and repeat of every vote on the ids, repeats outermost, each round in its own order."""
    for repeat in range(repeats):
        for index in seeded_order(ids, seed=seed, purpose=f"{purpose} {repeat}"):
            yield index, repeat
