"""Judges' votes in the logs of other tools, as rows of a file of recorded votes.

Sources: https://github.com/lm-sys/FastChat (``JUDGE_pair.jsonl``: two games, the
answers swapped) and https://docs.ragas.io (annotated metrics: people accept or
reject what the judge said).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import (
    Json,
    Part,
    content_digest,
    first_line,
    log_rows,
    read_document,
    read_part,
)

Winner = Literal["model_1", "model_2", "tie", "error"]


class _Pair(Part):
    question_id: int | str
    turn: int
    model_1: str
    model_2: str
    judge: str | tuple[str, ...]
    g1_winner: Winner
    g2_winner: Winner | None = None
    g1_user_prompt: str | None = None


class _Annotated(Part):
    metric_input: object
    metric_output: Literal[0, 1]
    is_accepted: bool | None = None


def read_vote_log(path: Path) -> tuple[TableRow, ...] | None:
    """Return the rows of a tool's log of votes; null where the file is a plain one.

    Raises:
        InputError: It is such a log, and not of its form.
    """
    if path.suffix.lower() == ".csv":
        return None
    first = first_line(path)
    if isinstance(first, Mapping) and {"question_id", "model_1", "model_2", "g1_winner"} <= first.keys():
        return tuple(_pair_rows(path))
    document = read_document(path) if first is None and path.suffix.lower() == ".json" else first
    if isinstance(document, Mapping) and _is_annotated(document):
        return tuple(_annotated_rows(path, document))
    return None


def _pair_rows(path: Path) -> Iterator[TableRow]:
    """Yield a vote for each game; the tool has named the winner whichever place it stood in."""
    asked: Counter[str] = Counter()
    for row in log_rows(path):
        pair = read_part(_Pair, row.fields, where=f"{path}:{row.line}")
        # Answers are asked for anew under the same question and models: what was shown tells them apart.
        shown = content_digest(pair.g1_user_prompt)[:8]
        name = f"{pair.question_id}/{pair.turn}/{pair.model_1}/{pair.model_2} #{shown}"
        for winner, first in ((pair.g1_winner, "model_1"), (pair.g2_winner, "model_2")):
            if winner is not None:
                yield TableRow(row.line, _vote(pair, name, winner, first, repeat=asked[name]))
        asked[name] += 1


def _vote(pair: _Pair, name: str, winner: Winner, first: str, *, repeat: int) -> Fields:
    judge = pair.judge if isinstance(pair.judge, str) else pair.judge[0]
    found: Fields = {"label": None, "reason": "unreadable"} if winner == "error" else {"label": winner}
    return {
        "item": name,
        "cluster": str(pair.question_id),
        "judge": judge,
        "first": first,
        "repeat": repeat,
        **found,
    }


def _is_annotated(document: Json) -> bool:
    return bool(document) and all(
        isinstance(found, list)
        and all(
            isinstance(item, Mapping) and {"metric_output", "is_accepted"} <= item.keys() for item in found
        )
        for found in document.values()
    )


def _annotated_rows(path: Path, document: Json) -> Iterator[TableRow]:
    """Yield a vote and, where a person looked at it, a rating: the vote's label or the other one."""
    number = 0
    for metric, found in document.items():
        for place, item in enumerate(found):
            number += 1
            judged = read_part(_Annotated, item, where=f"{path}: {metric}[{place}]")
            name = f"{metric}/{place}"
            yield TableRow(number, {"item": name, "judge": metric, "label": str(judged.metric_output)})
            if judged.is_accepted is not None:
                human = judged.metric_output if judged.is_accepted else 1 - judged.metric_output
                yield TableRow(number, {"item": name, "rater": "annotator", "label": str(human)})
