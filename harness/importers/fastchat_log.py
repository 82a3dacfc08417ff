"""Single-answer judgments of FastChat's llm_judge (MT-bench): ``JUDGE_single.jsonl``.

Source: https://github.com/lm-sys/FastChat, ``fastchat/llm_judge``.
"""

from collections.abc import Sequence
from pathlib import Path

from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import Json, Part, ToolLog, chosen, read_part

# The tool writes -1 where it found no rating in the judge's reply.
_UNREADABLE = -1


class _Judgment(Part):
    question_id: int | str
    model: str
    judge: str | tuple[str, ...]
    turn: int
    score: float | None


def is_fastchat_single(row: Json) -> bool:
    """Return whether a row is a single-answer judgment."""
    return {"question_id", "model", "judge", "turn", "score"} <= row.keys()


def read_fastchat_single(path: Path, rows: Sequence[TableRow], *, column: str | None) -> ToolLog:
    """Turn the judgments of one model into rows of a results file.

    A turn is a case, and the turns of a question are one cluster: the second
    goes on from the first.

    Args:
        path: The file, for messages.
        rows: Its rows.
        column: The model; null where there is one only.

    Raises:
        InputError: Several models and none is named, or several judges.
    """
    found = [(row.line, read_part(_Judgment, row.fields, where=f"{path}:{row.line}")) for row in rows]
    models = list(dict.fromkeys(judgment.model for _, judgment in found))
    model = chosen(models, column, path=path, what="models", option="FILE@MODEL")
    kept = [(line, judgment) for line, judgment in found if judgment.model == model]
    judges = list(dict.fromkeys(_judge(judgment) for _, judgment in kept))
    judge = chosen(judges, None, path=path, what="judges", option="keeping one of them in the file")
    notes = [f"FastChat judgments of {model} by {judge}; a turn is a case, a question a cluster"]
    n_unreadable = sum(judgment.score == _UNREADABLE for _, judgment in kept)
    if n_unreadable:
        notes.append(f"{n_unreadable} judgments have the score -1 (no rating found): no verdict")
    graded = tuple(TableRow(line, _fields(judgment)) for line, judgment in kept)
    return ToolLog("FastChat", graded, judge, tuple(notes))


def _judge(judgment: _Judgment) -> str:
    # Its second part is the prompt, which differs with the turn and the kind of question.
    return judgment.judge if isinstance(judgment.judge, str) else judgment.judge[0]


def _fields(judgment: _Judgment) -> Fields:
    return {
        "id": f"{judgment.question_id}/{judgment.turn}",
        "cluster": str(judgment.question_id),
        "score": None if judgment.score == _UNREADABLE else judgment.score,
    }
