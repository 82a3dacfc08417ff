"""How often an A/A run claims a difference: the same arm twice through the whole pipeline.

    python bench/same_arm.py [--runs 200] [--cases 60] [--seed 20261130]

Each run asks both arms and the judge through the run loop, seals the evidence in a run directory,
reads it back and reports. The arms answer by chance, each case with a chance of its own, and the
judge is wrong in one vote of ten. Exits with 1 if more runs end as improvement or regression than
alpha allows, by more than two standard errors.
"""

import argparse
import asyncio
import json
import math
import random
import sys
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

from harness.backends.scripted import Script, ScriptedBackend
from harness.cli.project import load, same_arm_plan
from harness.cli.provenance import provenance, software_bill
from harness.cli.run import make_report
from harness.cli.run_files import write_origin, write_provenance
from harness.domain.calls import Request
from harness.domain.plan import Plan, plan_digest
from harness.domain.report import Report
from harness.runner.asking import Asking
from harness.runner.collect import run_records
from harness.store.run_dir import open_run
from harness.store.seal import Sealing, seal_run

ALPHA = 0.05
PROMPT = "Question: $prompt\nAnswer: $answer\nEnd with VERDICT."
WRONG_VOTES = 0.1

_ENDPOINT = 'backend = "chat"\nmodel = "{model}"\nbase_url = "http://127.0.0.1/v1"\n'
_EXPERIMENT = f"""\
name = "aa"
gold = "gold/aa"
[arm.baseline]
{_ENDPOINT.format(model="m-one")}
[arm.candidate]
{_ENDPOINT.format(model="m-other")}
[judge]
spec = "judges/noisy"
[judge.endpoint]
{_ENDPOINT.format(model="m-judge")}
[repeats]
answers = 1
votes = 1
[analysis]
margin = 0.01
seed = 1
"""
_SET = """\
name = "aa"
license = "CC0-1.0"
why = "an A/A run"
split = { salt = "s", held_out = 0.0, by = "case" }
"""
_JUDGE = """\
name = "noisy"
version = "1"
mode = "single"
labels = ["pass", "fail"]
passing = ["pass"]
reply = "last-line"
marker = "VERDICT:"
why = "an A/A run"
prompt = "prompt.md"
"""


def write_project(root: Path, *, n_cases: int) -> Path:
    """Write the project and return its experiment file."""
    cases = "".join(json.dumps({"id": f"c{n}", "prompt": f"Question {n}?"}) + "\n" for n in range(n_cases))
    files = {
        "gold/aa/set.toml": _SET,
        "gold/aa/cases.jsonl": cases,
        "judges/noisy/prompt.md": PROMPT,
        "judges/noisy/judge.toml": f'{_JUDGE}prompt_sha256 = "{sha256(PROMPT.encode()).hexdigest()}"\n',
        "experiment.toml": _EXPERIMENT,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root / "experiment.toml"


def chance(seed: int) -> Script:
    """Return a script: right answers by chance, votes that are wrong now and then."""

    def says(request: Request) -> str:
        toss = random.Random(f"{seed} {request.name}").random()
        if request.role == "answer":
            # The prompt, which both arms are asked alike.
            easy = random.Random(f"{seed} {request.body}").random()
            return "right" if toss < easy else "wrong"
        passes = ("wrong" not in request.body) != (toss < WRONG_VOTES)
        return f"VERDICT: {'pass' if passes else 'fail'}"

    return says


def run_once(plan: Plan, path: Path, *, gold: Path, seed: int) -> Report:
    """Ask, seal and report one run."""
    with open_run(path, plan) as opened:
        write_origin(path, gold=gold, kind="aa")
        write_provenance(path, provenance(Path(), bill=software_bill(), clock_moved_ms=None))

        async def ask() -> None:
            backends = {name: ScriptedBackend(chance(seed)) for name in plan.endpoint_names}
            stop = asyncio.Event()
            async with Asking(
                plan, store=opened.store, backends=backends, stop=stop, on_progress=lambda _: None
            ) as asking:
                await asking.ask_canaries()
                await asking.ask_cases(lambda _: False)

        asyncio.run(ask())
        seal_run(
            path,
            run_records(plan, opened.store, {}),
            Sealing(plan_sha256=plan_digest(plan), harness_version="bench", stopped=None, locked=False),
        )
    return make_report(path)


def main() -> int:
    """Run them all and print the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20261130)
    arguments = parser.parse_args()
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plan = same_arm_plan(load(write_project(root, n_cases=arguments.cases)))
        for number in range(arguments.runs):
            report = run_once(
                plan, root / f"run-{number}", gold=root / "gold/aa", seed=arguments.seed + number
            )
            verdicts[report.exploratory.primary.verdict] += 1
    claimed = verdicts["improvement"] + verdicts["regression"]
    share, error = claimed / arguments.runs, math.sqrt(ALPHA * (1 - ALPHA) / arguments.runs)
    print(f"{arguments.runs} A/A runs of {arguments.cases} cases: {dict(verdicts)}")
    print(f"claimed a difference: {share:.3f}, allowed {ALPHA:g} (standard error {error:.3f})")
    return 1 if share > ALPHA + 2 * error else 0


if __name__ == "__main__":
    sys.exit(main())
