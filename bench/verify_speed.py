"""How long `harness verify --recompute` takes on a large run, made up on the spot.

    python bench/verify_speed.py --cases 20000 --answers 5

Prints cases, records, and CPU seconds of verify without and with --recompute.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from harness.backends.bodies import completion_response
from harness.cli.project import load
from harness.cli.provenance import provenance
from harness.cli.run import make_report
from harness.cli.run_files import write_origin, write_provenance, write_reports
from harness.domain.calls import Attempt, Evidence, Timing
from harness.domain.cases import ARMS
from harness.domain.plan import Plan, plan_digest
from harness.runner.requests import answer_request
from harness.store.run_dir import write_plan
from harness.store.seal import Sealing, seal_run

EXPERIMENT = """\
name = "large"
gold = "gold"
{arms}
[repeats]
answers = {answers}
[analysis]
margin = 0.05
seed = 1
"""
ARM = '[arm.{arm}]\nbackend = "recorded"\nmodel = "m-{arm}"\nreplies = "replies.jsonl"\n'
SET = """\
name = "large"
license = "CC0-1.0"
why = "bench"
split = { salt = "s", held_out = 0.0, by = "case" }
"""
_MAIN = "import harness.cli; harness.cli.main()"


def project(root: Path, *, cases: int, answers: int) -> Path:
    """Write a project whose cases are checked for one word."""
    (root / "gold").mkdir()
    (root / "gold" / "set.toml").write_text(SET)
    check = {"kind": "contains", "texts": ["yes"], "need": "all"}
    with (root / "gold" / "cases.jsonl").open("w") as stream:
        for number in range(cases):
            stream.write(json.dumps({"id": f"c{number}", "prompt": f"Q{number}?", "checks": [check]}) + "\n")
    (root / "replies.jsonl").write_text('{"id": "c0", "content": "x"}\n')
    arms = "".join(ARM.format(arm=arm) for arm in ARMS)
    (root / "experiment.toml").write_text(EXPERIMENT.format(arms=arms, answers=answers))
    return root / "experiment.toml"


def records(plan: Plan) -> Iterator[tuple[Evidence, Timing]]:
    """Yield made-up answers in plan order; the candidate is a little better."""
    for case in plan.cases:
        for repeat in range(plan.experiment.repeats.answers):
            for arm in ARMS:
                request = answer_request(plan, case, arm, repeat=repeat)
                draw = sha256(request.name.encode()).digest()[0]
                text = "yes" if draw < (140 if arm == "candidate" else 128) else "no"
                response = completion_response(text, model=f"m-{arm}", fingerprint=None, finish_reason="stop")
                attempt = Attempt(started_ms=1_800_000_000_000 + draw, duration_ms=5, status=200)
                yield (
                    Evidence(
                        request=request.name,
                        role=request.role,
                        endpoint=request.endpoint,
                        subject=request.subject,
                        repeat=repeat,
                        response=response,
                    ),
                    Timing(request=request.name, attempts=(attempt,)),
                )


def cpu_seconds(*words: str | Path) -> float:
    """Return the CPU time of one verification."""
    before = os.times()
    command = [sys.executable, "-c", _MAIN, *map(str, words), "--json"]
    done = subprocess.run(command, capture_output=True, check=False)
    after = os.times()
    broken = [claim for claim in json.loads(done.stdout)["claims"] if claim["standing"] == "broken"]
    assert not broken, broken
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Make the run and time its verification."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=20_000)
    options.add_argument("--answers", type=int, default=5)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, run = Path(folder), Path(folder) / "run"
        run.mkdir()
        plan = load(project(root, cases=asked.cases, answers=asked.answers))
        write_plan(run, plan)
        write_origin(run, gold=root / "gold", kind="run")
        write_provenance(run, provenance(root))
        sealing = Sealing(
            plan_sha256=plan_digest(plan),
            harness_version=version("judge-harness"),
            stopped=None,
            locked=False,
        )
        manifest = seal_run(run, records(plan), sealing)
        write_reports(run, make_report(run))
        found = {
            "cases": asked.cases,
            "records": manifest.n_records,
            "verify_cpu_s": round(cpu_seconds("verify", run), 2),
            "recompute_cpu_s": round(cpu_seconds("verify", run, "--recompute"), 2),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
