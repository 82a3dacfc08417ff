"""The words a judge may answer with, and what each of them means."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from harness.domain.specs import JudgeSpec
from harness.graders.folding import folded, shown, trimmed

_WHOLE = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"(?<![0-9.])[0-9]+(?:\.[0-9]+)?")


class Words(NamedTuple):
    """Every accepted spelling, folded, and the label it stands for.

    ``highest`` is the top of the scale where all labels are whole numbers.
    ``letters`` are the letters that spellings are made of.
    """

    labels: dict[str, str]
    highest: int | None
    letters: frozenset[str]


def words_of(spec: JudgeSpec) -> Words:
    """Return the words of the judge: its labels and their aliases."""
    labels = {folded(word): label for word, label in _spellings(spec)}
    whole = all(_WHOLE.fullmatch(label) for label in spec.labels)
    return Words(
        labels=labels,
        highest=max(int(label) for label in spec.labels) if whole else None,
        letters=frozenset("".join(labels)),
    )


def label_of(words: Words, text: str) -> str | None:
    """Return the label that the text is, or null. The whole text must be the label.

    It is looked up as it stands, then without emphasis, quotes and full stop
    around it. Where all labels are whole numbers, ``7/10`` and ``7 out of 10``
    are 7, provided that 10 is the highest label.
    """
    for spelling in (text.strip(), trimmed(text)):
        word = folded(spelling)
        if word in words.labels:
            return words.labels[word]
    return words.labels.get(_numerator(words, folded(trimmed(text))))


def _numerator(words: Words, text: str) -> str:
    value, _, of = text.replace("out of", "/", 1).partition("/")
    return value.strip() if words.highest is not None and of.strip() == str(words.highest) else ""


def why_not(words: Words, text: str) -> str:
    """Return why the text is none of the words: unexpected letters, several numbers, or not in the set."""
    word = folded(trimmed(text))
    if not word:
        return "nothing where the label should stand"
    strange = {char for char in word if not char.isascii() and unicodedata.category(char).startswith("L")}
    if strange - words.letters:
        return f"unexpected letters: {shown(text.strip())}"
    if several_numbers(words, word):
        return f"several numbers: {shown(text.strip())}"
    return f"not in the set: {shown(text.strip())}"


def several_numbers(words: Words, text: str) -> bool:
    """Return whether the labels are numbers and the text holds more than one."""
    return words.highest is not None and len(set(_NUMBER.findall(text))) > 1


def words_problem(spec: JudgeSpec) -> str | None:
    """Return which two labels or aliases cannot be told apart, or null."""
    meaning: dict[str, str] = {}
    for word, label in _spellings(spec):
        key = folded(word).strip()
        if not key:
            return f"labels: {shown(word)} is empty once it is folded"
        if meaning.setdefault(key, label) != label:
            return f"labels: {shown(word)} stands for {meaning[key]!r} and for {label!r}"
    return None


def _spellings(spec: JudgeSpec) -> Iterator[tuple[str, str]]:
    for label in spec.labels:
        yield label, label
    for label, aliases in spec.aliases.items():
        for alias in aliases:
            yield alias, label
