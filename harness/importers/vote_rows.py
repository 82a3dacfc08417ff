"""One row of a file of recorded votes: a vote, a rating, or what is known of an item."""

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from harness.domain.recorded_votes import INCONSISTENT, Rating, RecordedVote
from harness.domain.verdicts import NO_VERDICTS
from harness.importers.fields import FieldProblem, read_about
from harness.importers.table import Fields

NOT_STATED = "not_stated"
REASONS = (*NO_VERDICTS, INCONSISTENT)

_OF_VOTE = ("repeat", "reason", "score", "first", "both_orders")
_OF_ITEM = ("cluster", "tags", "arm", "final", "human")
KNOWN_KEYS = ("item", "judge", "rater", "label", *_OF_VOTE, *_OF_ITEM)
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_YES_NO = {True: True, False: False, "true": True, "false": False}


class VoteRow(NamedTuple):
    """What one row says. Null is not said."""

    item: str
    vote: RecordedVote | None
    ratings: tuple[Rating, ...]
    cluster: str | None
    tags: tuple[str, ...] | None
    arm: str | None
    final: str | None


def read_vote_row(fields: Fields, *, pass_at: float | None) -> VoteRow:
    """Read a row: with ``judge`` it is a vote, with ``rater`` a rating, else it describes an item.

    Args:
        fields: The row.
        pass_at: The score from which an answer passes; gives a vote with a
            score and no label the label ``pass`` or ``fail``.

    Raises:
        FieldProblem: A field is unknown, out of place, or cannot be read.
    """
    _refuse_unknown(fields)
    judge, rater = _text(fields, "judge"), _text(fields, "rater")
    if judge is not None and rater is not None:
        raise FieldProblem("found judge and rater, wanted one of them: a row is a vote or a rating")
    about = read_about((fields.get("cluster"), fields.get("tags"), None, None, None))
    return VoteRow(
        item=_wanted(fields, "item"),
        vote=None if judge is None else _vote(fields, judge, pass_at),
        ratings=_ratings(fields, judge=judge, rater=rater),
        cluster=about.cluster,
        tags=about.tags,
        arm=_text(fields, "arm"),
        final=_text(fields, "final"),
    )


def _refuse_unknown(fields: Fields) -> None:
    unknown = next((name for name in fields if name not in KNOWN_KEYS), None)
    if unknown is None:
        return
    close = get_close_matches(unknown.lower(), KNOWN_KEYS, n=1, cutoff=0.7)
    hint = f"did you mean {close[0]!r}?" if close else f"wanted one of {', '.join(KNOWN_KEYS)}"
    raise FieldProblem(f"found the key {unknown!r}; {hint}")


def _vote(fields: Fields, judge: str, pass_at: float | None) -> RecordedVote:
    if "label" not in fields and "score" not in fields:
        raise FieldProblem("a vote needs label or score; null says that there is no verdict")
    label, score = _text(fields, "label"), _score(fields)
    if label is None and score is not None and pass_at is not None:
        label = "pass" if score >= pass_at else "fail"
    reason, both_orders = _reason(fields, silent=label is None and score is None), _both_orders(fields)
    first = _text(fields, "first")
    if both_orders and first is not None:
        raise FieldProblem("found first and both_orders: a verdict from both orders has no first answer")
    if reason == INCONSISTENT and not both_orders:
        raise FieldProblem(f"reason: found {INCONSISTENT!r}, wanted both_orders with it")
    return RecordedVote(judge, _repeat(fields), label, reason, score, first, both_orders)


def _ratings(fields: Fields, *, judge: str | None, rater: str | None) -> tuple[Rating, ...]:
    human = fields.get("human")
    if human is not None and not isinstance(human, Mapping):
        raise FieldProblem(f'human: {_found(human)}, wanted an object such as {{"rater-1": "pass"}}')
    given = [Rating(str(name), label) for name in human or {} if (label := _text(human or {}, name))]
    if rater is not None:
        _refuse(fields, _OF_VOTE, "a rating")
        label = _text(fields, "label")
        given += [] if label is None else [Rating(rater, label)]
    elif judge is None:
        _refuse(fields, ("label", *_OF_VOTE), "a row without judge and rater")
    return tuple(given)


def _refuse(fields: Fields, names: tuple[str, ...], row: str) -> None:
    found = next((name for name in names if fields.get(name) is not None), None)
    if found is not None:
        raise FieldProblem(f"{row} has no {found}")


def _wanted(fields: Fields, name: str) -> str:
    found = _text(fields, name)
    if found is None:
        raise FieldProblem(f"{name}: missing, wanted text or a whole number")
    return found


def _text(fields: Mapping[str, object], name: str) -> str | None:
    found = fields.get(name)
    if found is None:
        return None
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str) or not found:
        raise FieldProblem(f"{name}: {_found(found)}, wanted text or a whole number")
    if any(unicodedata.category(char) == "Cc" for char in found):
        raise FieldProblem(f"{name}: found a control character in {found!r}, wanted text without any")
    return found


def _score(fields: Fields) -> float | None:
    found = fields.get("score")
    if found is None:
        return None
    if isinstance(found, str) and _NUMBER.fullmatch(found) and math.isfinite(float(found)):
        return float(found)
    if isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 2**1023:
        return float(found)
    raise FieldProblem(f"score: {_found(found)}, wanted a finite number, or null for no verdict")


def _reason(fields: Fields, *, silent: bool) -> str | None:
    found = _text(fields, "reason")
    if found is not None and not silent:
        raise FieldProblem(f"reason: found {found!r} beside a verdict, wanted it only where there is none")
    if found is not None and found not in REASONS:
        raise FieldProblem(f"reason: found {found!r}, wanted one of {', '.join(REASONS)}")
    return (found or NOT_STATED) if silent else None


def _repeat(fields: Fields) -> int:
    found = fields.get("repeat")
    if found is None:
        return 0
    if isinstance(found, str) and _WHOLE.fullmatch(found):
        return int(found)
    if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
        return found
    raise FieldProblem(f"repeat: {_found(found)}, wanted a whole number from 0")


def _both_orders(fields: Fields) -> bool:
    found = fields.get("both_orders")
    if found is None:
        return False
    if not isinstance(found, str | bool) or found not in _YES_NO:
        raise FieldProblem(f"both_orders: {_found(found)}, wanted true or false")
    return _YES_NO[found]


def _found(value: object) -> str:
    text = json.dumps(value, default=str)
    return f"found {text if len(text) <= 60 else text[:60] + '...'}"
