"""A project whose endpoints are a loopback server in a process of its own."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

LOOPBACK = Path(__file__).parent.parent / "loopback.py"
PROMPT = "Grade the answer.\nQuestion: $prompt\nAnswer: $answer\nEnd with VERDICT."
# What a body holds decides what is answered: first the planted answer, then any judge, then the arms.
HONEST = [
    {"contains": "planted wrong", "texts": ["VERDICT: fail"]},
    {"contains": "planted right", "texts": ["VERDICT: pass"]},
    {"contains": "Grade the answer", "texts": ["VERDICT: pass", "VERDICT: fail"]},
]
LENIENT = [{"contains": "Grade the answer", "texts": ["VERDICT: pass"]}]

EXPERIMENT = """\
name = "live"
gold = "gold/live"

[arm.baseline]
backend = "chat"
model = "m-old"
base_url = "{base_url}"
{key}limits = {{ attempts = 1, in_flight = 4 }}

[arm.candidate]
backend = "chat"
model = "m-new"
base_url = "{base_url}"
limits = {{ attempts = 1, in_flight = 4 }}

[judge]
spec = "judges/strict"

[judge.endpoint]
backend = "chat"
model = "m-judge"
base_url = "{base_url}"
limits = {{ attempts = 1, in_flight = 4 }}

[repeats]
answers = 2
votes = 3

[analysis]
margin = 0.05
seed = 1
"""

SET = (
    'name = "live"\nlicense = "CC0-1.0"\nwhy = "tests"\nsplit = { salt = "s", held_out = 0.0, by = "case" }\n'
)
JUDGE = """\
name = "strict"
version = "1"
mode = "single"
labels = ["pass", "fail"]
passing = ["pass"]
reply = "last-line"
marker = "VERDICT:"
why = "tests"
prompt = "prompt.md"
"""


class Server(NamedTuple):
    """A loopback server."""

    base_url: str

    def stats(self) -> dict[str, Any]:
        with urlopen(self.base_url.removesuffix("/v1") + "/stats", timeout=30) as reply:
            found: dict[str, Any] = json.load(reply)
            return found


@contextmanager
def serving(
    rules: Sequence[object], *, faults: Sequence[object] = (), latency_ms: int = 0
) -> Iterator[Server]:
    """Serve while the context lasts."""
    command = [sys.executable, str(LOOPBACK), "--latency-ms", str(latency_ms)]
    command += ["--rules", json.dumps(rules), "--faults", json.dumps(faults)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield Server(json.loads(process.stdout.readline())["base_url"])
        finally:
            process.kill()


def write_live_project(root: Path, *, base_url: str, key_env: str | None = None, n_cases: int = 6) -> Path:
    """Write the project and return its experiment file."""
    key = f'api_key_env = "{key_env}"\n' if key_env else ""
    cases = [{"id": f"c{number}", "prompt": f"Question {number}?"} for number in range(n_cases)]
    canaries = [
        {
            "id": "wrong",
            "prompt": "Q?",
            "answer": "planted wrong",
            "expected": "fail",
            "grader": "judge",
            "why": "t",
        },
        {
            "id": "right",
            "prompt": "Q?",
            "answer": "planted right",
            "expected": "pass",
            "grader": "judge",
            "why": "t",
        },
    ]
    files = {
        "gold/live/set.toml": SET,
        "gold/live/cases.jsonl": "".join(json.dumps(case) + "\n" for case in cases),
        "gold/live/canaries.jsonl": "".join(json.dumps(canary) + "\n" for canary in canaries),
        "judges/strict/prompt.md": PROMPT,
        "judges/strict/judge.toml": JUDGE + f'prompt_sha256 = "{sha256(PROMPT.encode()).hexdigest()}"\n',
        "experiment.toml": EXPERIMENT.format(base_url=base_url, key=key),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "experiment.toml"


def wait_for(server: Server, n_requests: int) -> None:
    """Wait until so many requests have come."""
    for _ in range(3000):
        if server.stats()["n_requests"] >= n_requests:
            return
        time.sleep(0.01)
    raise AssertionError("the run never came so far")
