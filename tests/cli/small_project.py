"""A project small enough to run in a test, whose candidate is better for certain."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

N_CASES = 24
PROMPT = "Question: $prompt\nAnswer: $answer\nVerdict last."

EXPERIMENT = """\
name = "small"
gold = "gold/small"
anchors = "anchors/small.jsonl"

[arm.baseline]
backend = "recorded"
model = "m-baseline"
replies = "replies.jsonl"

[arm.candidate]
backend = "recorded"
model = "m-candidate"
replies = "replies.jsonl"

[repeats]
answers = 1
votes = 1

[analysis]
margin = 0.05
seed = 1
"""

JUDGE_USE = """
[judge]
spec = "judges/strict"

[judge.endpoint]
backend = "recorded"
model = "m-judge"
replies = "votes.jsonl"
"""

SET = """\
name = "small"
license = "CC0-1.0"
why = "tests"
split = { salt = "s", held_out = 0.4, by = "case" }
"""

JUDGE = """\
name = "strict"
version = "1"
mode = "single"
labels = ["good", "bad"]
passing = ["good"]
reply = "last-line"
marker = ""
why = "tests"
prompt = "prompt.md"
"""


def write_project(root: Path, *, answer: str = "I {verb} it ({id}).", judged: bool = False) -> Path:
    """Write the project and return its experiment file.

    ``answer`` is the text of every answer. Without a judge a check reads the
    verb out of it.
    """
    ids = [f"c{number:02}" for number in range(N_CASES)]
    checks = [] if judged else [{"kind": "contains", "texts": ["I do it"], "need": "all"}]
    _write(root / "gold/small/set.toml", SET)
    write_rows(
        root / "gold/small/cases.jsonl",
        ({"id": each, "prompt": f"Do {each}?", **({"checks": checks} if checks else {})} for each in ids),
    )
    write_rows(root / "replies.jsonl", _answers(ids, answer))
    _write(root / "experiment.toml", EXPERIMENT + (JUDGE_USE if judged else ""))
    if judged:
        _write_judge(root, ids)
    else:
        _write(root / "experiment.toml", EXPERIMENT.replace('anchors = "anchors/small.jsonl"\n', ""))
    return root / "experiment.toml"


def pass_every_other_case(root: Path) -> None:
    """Let both arms pass the cases of even number, so that only the odd ones flip."""
    path = root / "replies.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    write_rows(path, [{**row, "content": "I do it."} if int(row["id"][1:]) % 2 == 0 else row for row in rows])


def _write_judge(root: Path, ids: list[str]) -> None:
    write_rows(root / "gold/small/canaries.jsonl", _canaries())
    write_rows(root / "anchors/small.jsonl", [_anchor()])
    write_rows(root / "votes.jsonl", _votes(ids))
    _write(root / "judges/strict/prompt.md", PROMPT)
    digest = sha256(PROMPT.encode()).hexdigest()
    _write(root / "judges/strict/judge.toml", f'{JUDGE}prompt_sha256 = "{digest}"\n')


def _canaries() -> Iterator[Mapping[str, object]]:
    for name, expected in (("k1", "fail"), ("k2", "pass")):
        yield {
            "id": name,
            "prompt": "Capital of France?",
            "answer": "Rome" if expected == "fail" else "Paris",
            "expected": expected,
            "grader": "judge",
            "why": "planted",
        }


def _anchor() -> Mapping[str, object]:
    return {
        "id": "a1",
        "prompt": "Capital of Spain?",
        "answer": "Madrid",
        "reviews": [{"by": "r1", "label": "good"}, {"by": "r2", "label": "good"}],
        "selection": "random",
    }


def _answers(ids: list[str], answer: str) -> Iterator[Mapping[str, object]]:
    for each in ids:
        for arm, verb in (("baseline", "refuse"), ("candidate", "do")):
            yield {"id": each, "arm": arm, "content": answer.format(verb=verb, id=each), "model": f"m-{arm}"}


def _votes(ids: list[str]) -> Iterator[Mapping[str, object]]:
    planted = (("canary", "k1", "bad"), ("canary", "k2", "good"), ("anchor", "a1", "good"))
    for kind, each, label in planted:
        yield {"kind": kind, "id": each, "content": f"So.\n{label}", "model": "m-judge"}
    for each in ids:
        for arm, label in (("baseline", "bad"), ("candidate", "good")):
            yield {"id": each, "arm": arm, "answer": 0, "content": f"So.\n{label}", "model": "m-judge"}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_rows(path: Path, rows: object) -> None:
    """Write a file of JSON lines."""
    _write(path, "".join(f"{json.dumps(row)}\n" for row in rows))  # type: ignore[attr-defined]
