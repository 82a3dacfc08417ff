"""Near-duplicates: prompts whose texts share so much that one tells about the other."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from math import ceil

from harness.domain.cases import Case, Split
from harness.inputs.rows import folded

# Thai, Lao, Burmese, Khmer, kana and Han: every character counts as a word.
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_N_SAMPLED = 2000
# How many first pieces a pair must share to be compared in full.
_N_SHARED = 4
# A product that comes out a rounding above a whole number must not ask for one piece more.
_A_HAIR_LESS = 1 - 1e-12
_OPPOSITE: dict[Split, Split] = {"held_out": "exploratory", "exploratory": "held_out"}

Piece = tuple[str, str]
Shingles = frozenset[Piece]


def shingles(text: str) -> Shingles:
    """Return every word of a text with the word after it, folded and in lower case.

    A word is a run of letters and digits, or one character of a script that
    is written without spaces. A text of one word, or of none, is one piece.
    """
    plain = folded(text).casefold()
    words = _WORD.findall(plain) or [plain]
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset([(words[0], "")])


def similarity(first: Shingles, second: Shingles) -> float:
    """Return the share of pieces that two texts have in common, from 0 to 1 (Jaccard's index)."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)


def near_duplicates(
    cases: Sequence[Case], sides: Sequence[Split], *, at_least: float
) -> Iterator[tuple[int, int]]:
    """Yield the positions of every two cases on different sides that are this similar, by the second of them.

    No pair is missed: in any common order, two sets of pieces that are similar
    enough share several of the few first pieces of each.

    Args:
        cases: The cases.
        sides: The side of each, in the same order.
        at_least: The similarity from which on two prompts are near-duplicates, above 0 to 1.

    References:
        Wang, Li and Feng (2012), Can we beat the prefix filtering?, SIGMOD, 85-96.
    """
    pieces = [shingles(_prompt(case)) for case in cases]
    order = _Rarity(pieces)
    indexes: dict[Split, dict[Piece, list[int]]] = {"held_out": {}, "exploratory": {}}
    wanted: list[int] = []
    for number, found in enumerate(pieces):
        least = ceil(at_least * len(found) * _A_HAIR_LESS)
        wanted.append(min(_N_SHARED, least))
        first = order.first(found, len(found) - least + wanted[number])
        shared = Counter(chain.from_iterable(map(indexes[_OPPOSITE[sides[number]]].get, first, repeat(()))))
        for other, n_shared in sorted(shared.items()):
            if (
                n_shared >= min(wanted[other], wanted[number])
                and similarity(pieces[other], found) >= at_least
            ):
                yield other, number
        for piece in first:
            indexes[sides[number]].setdefault(piece, []).append(number)


class _Rarity:
    """An order of pieces, the rare ones first, as a sample tells them: what many share leads to no pair."""

    def __init__(self, pieces: Sequence[Shingles]) -> None:
        self._counts: Counter[Piece] = Counter()
        for found in pieces[:: max(1, len(pieces) // _N_SAMPLED)]:
            self._counts.update(found)

    def first(self, found: Shingles, n: int) -> list[Piece]:
        """Return the first n pieces in this order."""
        counts = self._counts
        rare = sorted(piece for piece in found if piece not in counts)
        if len(rare) >= n:
            return rare[:n]
        rest = sorted((counts[piece], piece) for piece in found if piece in counts)
        return [*rare, *(piece for _, piece in rest[: n - len(rare)])]


def _prompt(case: Case) -> str:
    if case.prompt is not None:
        return case.prompt
    return "\n".join(message.content for message in case.messages)
