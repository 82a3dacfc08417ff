"""A small project that tests spoil one thing of."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from harness.cli.rules import GRADER_RULES
from harness.domain.errors import HarnessError, InputError
from harness.domain.plan import Plan
from harness.inputs.experiment import load_plan

Fields = Mapping[str, object]

PROMPT = "Question: $prompt\nReference: $reference\nAnswer: $answer\nVerdict last."

EXPERIMENT = """\
name = "small"
gold = "gold/small"
anchors = "anchors/small.jsonl"

[arm.baseline]
backend = "recorded"
model = "m"
replies = "replies.jsonl"

[arm.candidate]
backend = "recorded"
model = "m"
replies = "replies.jsonl"
template = "candidate.md"

[judge]
spec = "judges/strict"

[judge.endpoint]
backend = "recorded"
model = "j"
replies = "replies.jsonl"

[repeats]
answers = 3
votes = 1

[analysis]
margin = 0.05
seed = 1
"""

SET = """\
name = "small"
license = "CC0-1.0"
why = "tests"
split = { salt = "s", held_out = 0.3, by = "cluster" }
"""

CASES: tuple[Fields, ...] = (
    {"id": "c1", "prompt": "Capital of Norway?", "reference": "Oslo", "tags": ["geo"], "cluster": "north"},
    {
        "id": "c2",
        "prompt": "Capital of Sweden?",
        "reference": "Stockholm",
        "tags": ["geo"],
        "cluster": "north",
    },
    {"id": "c3", "prompt": "2 + 2?", "tags": ["sum"], "checks": [{"kind": "exact", "expected": "4"}]},
)
CANARIES: tuple[Fields, ...] = (
    {
        "id": "k1",
        "prompt": "Capital of France?",
        "reference": "Paris",
        "answer": "Rome",
        "expected": "fail",
        "grader": "judge",
        "why": "another country",
    },
    {
        "id": "k2",
        "prompt": "1 + 1?",
        "answer": "2",
        "expected": "pass",
        "grader": "checks",
        "checks": [{"kind": "exact", "expected": "2"}],
        "why": "right",
    },
)
ANCHORS: tuple[Fields, ...] = (
    {
        "id": "a1",
        "prompt": "Capital of Spain?",
        "reference": "Madrid",
        "answer": "Madrid",
        "reviews": [{"by": "r1", "label": "good"}, {"by": "r2", "label": "good"}],
        "selection": "random",
    },
)


class Project:
    """The files of a project under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.experiment = root / "experiment.toml"
        self.write("experiment.toml", EXPERIMENT)
        self.write("gold/small/set.toml", SET)
        self.rows("gold/small/cases.jsonl", CASES)
        self.rows("gold/small/canaries.jsonl", CANARIES)
        self.rows("anchors/small.jsonl", ANCHORS)
        self.write("candidate.md", "Answer in one word.\n\n$prompt")
        self.rows("replies.jsonl", [{"id": "c1", "content": "Oslo"}])
        self.judge(PROMPT)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        return path

    def rows(self, name: str, rows: Sequence[Fields]) -> Path:
        return self.write(name, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))

    def cases(self, *rows: Fields) -> None:
        self.rows("gold/small/cases.jsonl", rows)

    def judge(self, prompt: str) -> None:
        self.write("judges/strict/prompt.md", prompt)
        digest = sha256(prompt.encode("utf-8")).hexdigest()
        self.write(
            "judges/strict/judge.toml",
            'name = "strict"\nversion = "1"\nmode = "single"\nlabels = ["good", "bad"]\npassing = ["good"]\n'
            'reply = "last-line"\nmarker = ""\nwhy = "tests"\n'
            f'prompt = "prompt.md"\nprompt_sha256 = "{digest}"\n',
        )

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text("utf-8")
        assert old in text, f"{old!r} is not in {name}"
        self.write(name, text.replace(old, new, 1))

    def load(self) -> Plan:
        return load_plan(self.experiment, rules=GRADER_RULES)

    def complaint(self, kind: type[HarnessError] = InputError) -> str:
        """Return what loading complains of, with paths from the project's folder."""
        with pytest.raises(kind) as caught:
            self.load()
        return said(caught.value, self.root)


def said(error: BaseException, root: Path) -> str:
    text = str(error)
    assert "\n" not in text, "a complaint is one line"
    return text.replace(f"{root}/", "")
