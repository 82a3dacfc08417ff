"""A project small enough to run in a test, whose judge compares both arms' answers."""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from tests.cli.small_project import EXPERIMENT, JUDGE_USE, SET

N_CASES = 40
PROMPT = "Question: $prompt\nOne: $first\nTwo: $second\nWhich is better? Label last."
JUDGE = """\
name = "versus"
version = "1"
mode = "pairwise"
labels = ["A", "B", "C"]
first = ["A"]
second = ["B"]
tie = ["C"]
reply = "last-line"
marker = ""
why = "tests"
prompt = "prompt.md"
"""
GATES = "\n[gates]\nbias_band = 0.2\njudge_agreement = 0.5\njudge_flip_rate = 0.5\n"

Say = Callable[[int, str], str]
"""What the judge says of a case, by its number, and the arm shown first."""


def candidate_wins(number: int, first: str) -> str:
    """Two of three cases go to the candidate, the others are ties, whatever the order."""
    if number % 3 == 2:
        return "C"
    return "A" if first == "candidate" else "B"


def first_place_wins(number: int, first: str) -> str:
    """Whatever is shown first."""
    return "A"


def write_pair_project(root: Path, *, say: Say = candidate_wins, n_anchors: int = 12) -> Path:
    """Write the project and return its experiment file."""
    ids = [f"c{number:02}" for number in range(N_CASES)]
    _write(root / "gold/small/set.toml", SET)
    _rows(root / "gold/small/cases.jsonl", ({"id": each, "prompt": f"Do {each}?"} for each in ids))
    _rows(root / "gold/small/canaries.jsonl", [_canary()])
    _rows(root / "anchors/small.jsonl", map(_anchor, range(n_anchors)))
    _rows(root / "replies.jsonl", _answers(ids))
    _rows(root / "votes.jsonl", _votes(ids, say, n_anchors))
    _write(root / "judges/strict/prompt.md", PROMPT)
    digest = sha256(PROMPT.encode()).hexdigest()
    _write(root / "judges/strict/judge.toml", f'{JUDGE}prompt_sha256 = "{digest}"\n')
    text = (EXPERIMENT + JUDGE_USE + GATES).replace("votes = 1", "votes = 2")
    _write(root / "experiment.toml", text)
    return root / "experiment.toml"


def _canary() -> Mapping[str, object]:
    return {
        "id": "k1",
        "prompt": "Capital of France?",
        "answer": "Rome",
        "other": "Paris",
        "expected": "loss",
        "grader": "judge",
        "why": "planted",
    }


def _anchor(number: int) -> Mapping[str, object]:
    return {
        "id": f"a{number}",
        "prompt": f"Capital number {number}?",
        "answer": f"It is Madrid, {'as all know, ' * (number % 2)}of course.",
        "other": "It is Rome, of course.",
        "reviews": [{"by": "r1", "label": "win"}, {"by": "r2", "label": "win"}],
        "selection": "random",
    }


def _answers(ids: list[str]) -> Iterator[Mapping[str, object]]:
    for each in ids:
        for arm in ("baseline", "candidate"):
            yield {"id": each, "arm": arm, "content": f"{arm} does {each}.", "model": f"m-{arm}"}


def _votes(ids: list[str], say: Say, n_anchors: int) -> Iterator[Mapping[str, object]]:
    for repeat in range(2):
        for first, label in (("answer", "B"), ("other", "A")):
            yield _vote("canary", "k1", first, repeat, label)
        for number in range(n_anchors):
            for first, label in (("answer", "A"), ("other", "B")):
                yield _vote("anchor", f"a{number}", first, repeat, label)
        for number, each in enumerate(ids):
            for first in ("baseline", "candidate"):
                yield {**_vote("case", each, first, repeat, say(number, first)), "answer": 0}


def _vote(kind: str, each: str, first: str, repeat: int, label: str) -> dict[str, object]:
    return {
        "kind": kind,
        "id": each,
        "first": first,
        "repeat": repeat,
        "content": f"So.\n{label}",
        "model": "m-judge",
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _rows(path: Path, rows: object) -> None:
    _write(path, "".join(f"{json.dumps(row)}\n" for row in rows))  # type: ignore[attr-defined]
