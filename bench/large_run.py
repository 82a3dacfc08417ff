"""A large run, made up on the spot and sealed by the harness itself.

    python bench/large_run.py FOLDER --cases 100000 --answers 5
    python bench/large_run.py FOLDER --cases 10000 --answers 5 --votes 5

Every response is a chat completion as a hosted API sends it: an id of its own,
usage, headers, some fifty words. Without votes a check grades the answers.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from random import Random

from harness.cli.project import load
from harness.cli.provenance import provenance
from harness.cli.run import make_report
from harness.cli.run_files import write_origin, write_provenance, write_reports
from harness.domain.calls import Attempt, Response, Stored, Timing
from harness.domain.plan import plan_digest
from harness.runner.collect import run_records
from harness.store.memory import MemoryStore
from harness.store.run_dir import write_plan
from harness.store.seal import Sealing, seal_run

_MODEL = "gpt-4o-mini-2024-07-18"
_ENDPOINT = f'backend = "recorded"\nmodel = "{_MODEL}"\nreplies = "replies.jsonl"\n'
_EXPERIMENT = f"""\
name = "large"
gold = "gold"
{{anchors}}[arm.baseline]
{_ENDPOINT}[arm.candidate]
{_ENDPOINT}[repeats]
answers = {{answers}}
{{votes}}[analysis]
margin = 0.05
seed = 1
"""
_JUDGE_USE = f'[judge]\nspec = "judge"\n[judge.endpoint]\n{_ENDPOINT}'
_SET = """\
name = "large"
license = "CC0-1.0"
why = "bench"
split = { salt = "s", held_out = 0.0, by = "case" }
"""
_PROMPT = "Question: $prompt\nAnswer: $answer\nThe verdict, good or bad, comes last."
_JUDGE = f"""\
name = "made-up"
version = "1"
mode = "single"
labels = ["good", "bad"]
passing = ["good"]
reply = "last-line"
marker = ""
why = "bench"
prompt = "prompt.md"
prompt_sha256 = "{sha256(_PROMPT.encode()).hexdigest()}"
"""
_TEXT = (
    "the a of in to and river city capital answer because since while model text question which lies "
    "on near under Seine Paris France 42 3.14 \u201cquoted\u201d caf\u00e9 na\u00efve step first second then "
    "therefore however note that is was are many few table list item\n"
)
_WORDS = _TEXT.split(" ")


class MadeUpStore(MemoryStore):
    """A store that holds a made-up response under every name."""

    def get(self, name: str) -> Stored:
        """Return the response of this name; the same each time."""
        rng = Random(name)
        passes = rng.random() < 0.6
        text = " ".join(rng.choices(_WORDS, k=rng.randrange(20, 80))) + ("\ngood" if passes else "\nbad")
        n_tokens = len(text) // 4
        document = {
            "id": f"chatcmpl-{name[:29]}",
            "object": "chat.completion",
            "created": 1_800_000_000,
            "model": _MODEL,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None, "annotations": []},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 60, "completion_tokens": n_tokens, "total_tokens": 60 + n_tokens},
            "service_tier": "default",
            "system_fingerprint": "fp_560af6e559",
        }
        headers = (
            ("content-type", "application/json"),
            ("openai-processing-ms", str(rng.randrange(300, 900))),
            ("x-request-id", f"req_{name[:32]}"),
        )
        attempt = Attempt(started_ms=1_800_000_000_000 + rng.randrange(10**7), duration_ms=700, status=200)
        return Stored(
            response=Response(status=200, headers=headers, body=json.dumps(document, ensure_ascii=False)),
            timing=Timing(request=name, attempts=(attempt,)),
        )


def make_run(root: Path, *, cases: int, answers: int, votes: int) -> Path:
    """Write a project and a sealed run of it with its report; return the run directory.

    Args:
        root: An empty folder.
        cases: How many.
        answers: Of each arm to each case.
        votes: On each answer; 0 for a check instead of a judge.
    """
    plan = load(_project(root, cases=cases, answers=answers, votes=votes))
    run = root / "run"
    run.mkdir()
    write_plan(run, plan)
    write_origin(run, gold=root / "gold", kind="run")
    write_provenance(run, provenance(root))
    sealing = Sealing(
        plan_sha256=plan_digest(plan), harness_version=version("judge-harness"), stopped=None, locked=False
    )
    seal_run(run, run_records(plan, MadeUpStore(), {}), sealing)
    write_reports(run, make_report(run))
    return run


def _project(root: Path, *, cases: int, answers: int, votes: int) -> Path:
    check = {"kind": "regex", "pattern": "\\bgood$", "where": "anywhere"}
    checks = {} if votes else {"checks": [check]}
    prompts = (f"Question {number}: which of these lies on the river, and why?" for number in range(cases))
    gold = ({"id": f"c{number}", "prompt": prompt, **checks} for number, prompt in enumerate(prompts))
    _write(root / "gold/set.toml", _SET)
    _write(root / "gold/cases.jsonl", _lines(gold))
    _write(root / "replies.jsonl", '{"id": "c0", "content": "x"}\n')
    if votes:
        _write(root / "gold/canaries.jsonl", _lines(_canaries()))
        _write(root / "anchors.jsonl", _lines([_ANCHOR]))
        _write(root / "judge/prompt.md", _PROMPT)
        _write(root / "judge/judge.toml", _JUDGE)
    experiment = _EXPERIMENT.format(
        anchors='anchors = "anchors.jsonl"\n' if votes else "",
        answers=answers,
        votes=f"votes = {votes}\n" if votes else "",
    )
    return _write(root / "experiment.toml", experiment + (_JUDGE_USE if votes else ""))


_ANCHOR = {
    "id": "a1",
    "prompt": "Capital of Spain?",
    "answer": "Madrid",
    "reviews": [{"by": "r1", "label": "good"}, {"by": "r2", "label": "good"}],
    "selection": "random",
}


def _canaries() -> Iterable[Mapping[str, object]]:
    for name, answer, expected in (("k1", "Rome", "fail"), ("k2", "Paris", "pass")):
        planted = {"id": name, "prompt": "Capital of France?", "answer": answer, "expected": expected}
        yield {**planted, "grader": "judge", "why": "planted"}


def _lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def main() -> None:
    """Make a run and keep it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--cases", type=int, default=20_000)
    options.add_argument("--answers", type=int, default=5)
    options.add_argument("--votes", type=int, default=0)
    asked = options.parse_args()
    print(make_run(asked.folder, cases=asked.cases, answers=asked.answers, votes=asked.votes))


if __name__ == "__main__":
    main()
