"""One row of a results file, read: written rules, and nothing guessed."""

import hashlib
import json
import math
import re
import unicodedata
from difflib import get_close_matches
from typing import NamedTuple

from harness.domain.cases import Split
from harness.domain.verdicts import Graded, graded
from harness.importers.table import Fields

# Beyond these, sums and squares leave what a float can hold.
_LARGEST_WEIGHT, _LARGEST_SCORE = 1e9, 1e15
KNOWN_FIELDS = (
    "id",
    "passed",
    "score",
    "repeat",
    "cluster",
    "tags",
    "weight",
    "split",
    "content",
    "output",
    "error",
)

PASSED_WORDS = {
    **dict.fromkeys(("true", "pass", "passed", "yes", "1"), True),
    **dict.fromkeys(("false", "fail", "failed", "no", "0"), False),
}
"""What ``passed`` may say as text, in upper or lower case."""

ERROR_MARK = "[ERROR]"
"""How some tools write a failed call where an answer should be."""

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)


class FieldProblem(ValueError):
    """A field that cannot be read; whoever knows the file and the line adds them."""


class About(NamedTuple):
    """What a row says of its case. Null is not said; ``content`` is a digest."""

    cluster: str | None
    tags: tuple[str, ...] | None
    weight: float | None
    split: Split | None
    content: str | None


SKIPPED: Graded = graded(None, "not_applicable")
"""A row without ``passed`` and ``score``: skipped, which is neither a fail nor 0."""

FLAGGED: Graded = graded(None, "failed")
"""A row with an error in place of an answer."""


def read_id(fields: Fields) -> str:
    """Return the id as text, as it is written.

    Raises:
        FieldProblem: There is none, or it is neither text nor a whole number, or
            it holds a control character.
    """
    found = fields.get("id")
    name = _name(found)
    if name is None:
        raise FieldProblem(f"id: {_found(found)}, wanted text or a whole number")
    if not name.isprintable() and any(unicodedata.category(char) == "Cc" for char in name):
        raise FieldProblem(f"id: found a control character in {name!r}, wanted text without any")
    return name


def read_repeat(fields: Fields) -> int:
    """Return the index of the answer, 0 where the row says nothing.

    Raises:
        FieldProblem: It is no whole number from 0.
    """
    found = fields.get("repeat")
    if found is None:
        return 0
    if isinstance(found, str) and _WHOLE.fullmatch(found):
        return int(found)
    if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
        return found
    raise FieldProblem(f"repeat: {_found(found)}, wanted a whole number from 0")


def read_answer(fields: Fields, *, pass_at: float | None) -> Graded:
    """Return the outcome of a row.

    ``passed`` decides where it is there. Otherwise the score does: from
    ``pass_at`` on it passes; without ``pass_at`` only 0 and 1 are read. A null
    is skipped, which is neither a fail nor 0. A row with an error, or with an
    output that is one, has no verdict whatever else it says.

    Args:
        fields: The row.
        pass_at: The score from which an answer passes.

    Raises:
        FieldProblem: There is neither field, or what is there cannot be read.
    """
    if _is_error(fields):
        return FLAGGED
    passed, score = fields.get("passed"), fields.get("score")
    if passed is None and score is None:
        _refuse_neither(fields)
        return SKIPPED
    value = None if score is None else _number(score, "score")
    if value is not None and abs(value) > _LARGEST_SCORE:
        raise FieldProblem(f"score: found {value:g}, wanted a number up to 1e+15, or down to -1e+15")
    if passed is None and value is not None:
        return graded("pass" if _reaches(value, pass_at) else "fail", None, value)
    if value is not None and pass_at is not None:
        raise FieldProblem("found passed and score, so a pass mark has nothing to decide; leave one out")
    return graded("pass" if _passed(passed) else "fail", None, value)


def said_of_case(fields: Fields) -> tuple[object, ...]:
    """Return what the row says of its case, unread: most rows of a case say the same."""
    get = fields.get
    return get("cluster"), get("tags"), get("weight"), get("split"), get("content")


def read_about(said: tuple[object, ...]) -> About:
    """Return what a row says of its case.

    Args:
        said: Cluster, tags, weight, split and content as the row has them; null where it has none.

    Raises:
        FieldProblem: One of them cannot be read.
    """
    cluster, tags, weight, split, content = said
    return About(
        cluster=None if cluster is None else _cluster(cluster),
        tags=None if tags is None else _tags(tags),
        weight=None if weight is None else _weight(weight),
        split=None if split is None else _split(split),
        content=None if content is None else _content(content),
    )


def nearest_field(name: str) -> str | None:
    """Return the field that the name was probably meant to be, or null."""
    close = get_close_matches(name.strip().lower(), KNOWN_FIELDS, n=1, cutoff=0.75)
    return close[0] if close else None


def _is_error(fields: Fields) -> bool:
    if fields.get("error"):
        return True
    output = fields.get("output")
    return isinstance(output, str) and output.lstrip().startswith(ERROR_MARK)


def _refuse_neither(fields: Fields) -> None:
    if "passed" not in fields and "score" not in fields:
        raise FieldProblem(f"found {', '.join(map(repr, fields))}, wanted passed or score")


def _passed(found: object) -> bool:
    if found is True or found is False:
        return found
    word = found.lower() if isinstance(found, str) else found
    if isinstance(word, str) and word in PASSED_WORDS:
        return PASSED_WORDS[word]
    if isinstance(word, int | float) and word in (0, 1):
        return bool(word)
    raise FieldProblem(f"passed: {_found(found)}, wanted true or false, 1 or 0, pass or fail, yes or no")


def _reaches(score: float, pass_at: float | None) -> bool:
    if pass_at is not None:
        return score >= pass_at
    if score in (0.0, 1.0):
        return score == 1.0
    raise FieldProblem(
        f"score: found {score:g}, wanted 0 or 1, "
        "or a pass mark: the score from which an answer passes (--pass-at)"
    )


def _number(found: object, field: str) -> float:
    if isinstance(found, str) and _NUMBER.fullmatch(found) and math.isfinite(float(found)):
        return float(found)
    if isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 2**1023:
        return float(found)
    raise FieldProblem(f"{field}: {_found(found)}, wanted a finite number")


def _name(found: object) -> str | None:
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) and found else None


def _cluster(found: object) -> str:
    name = _name(found)
    if name is None:
        raise FieldProblem(f"cluster: {_found(found)}, wanted text or a whole number")
    return name


def _tags(found: object) -> tuple[str, ...]:
    tags = found
    if isinstance(found, str):
        tags = _listed(found)
    if not isinstance(tags, list) or not all(isinstance(tag, str) and tag for tag in tags):
        raise FieldProblem(f"tags: {_found(found)}, wanted a list of texts, or texts with ; between them")
    return tuple(dict.fromkeys(tags))


def _listed(text: str) -> object:
    if text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None
    return [tag for part in text.split(";") if (tag := part.strip())]


def _weight(found: object) -> float:
    weight = _number(found, "weight")
    if weight <= 0:
        raise FieldProblem(f"weight: found {weight:g}, wanted more than 0")
    if weight > _LARGEST_WEIGHT:
        raise FieldProblem(f"weight: found {weight:g}, wanted at most {_LARGEST_WEIGHT:g}")
    return weight


def _split(found: object) -> Split:
    if found == "exploratory":
        return "exploratory"
    if found == "held_out":
        return "held_out"
    raise FieldProblem(f"split: {_found(found)}, wanted exploratory or held_out")


def _content(found: object) -> str:
    # Long texts are held as digests: what matters is whether two files say the same.
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _found(value: object) -> str:
    if value is None:
        return "missing"
    text = json.dumps(value, default=str)
    return f"found {text if len(text) <= 60 else text[:60] + '...'}"
