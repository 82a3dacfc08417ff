"""What `harness verify` costs on a large run, without and with --recompute.

    python bench/verify_speed.py --cases 20000 --answers 5
    python bench/verify_speed.py --cases 2000 --answers 5 --votes 5
    python bench/verify_speed.py --run RUN

Prints CPU seconds (user and system) and the largest resident size of each as
JSON, and the CPU of reading the same lines as bare JSON beside them. The run
is made up on the spot (`large_run`), unless one is named.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from large_run import make_run

from harness.store.evidence import read_manifest

_MAIN = "import harness.cli; harness.cli.main()"
_BARE = """
import json, pathlib, sys
for name in ("evidence.jsonl", "timings.jsonl"):
    with (pathlib.Path(sys.argv[1]) / name).open("rb") as stream:
        for line in stream:
            json.loads(line)
"""


def cpu_and_mib(*words: str) -> tuple[float, float, bytes]:
    """Return CPU seconds and largest resident MiB of one Python process, and what it printed."""
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE) as process:
        printed = process.stdout.read() if process.stdout else b""
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return round(used.ru_utime + used.ru_stime, 2), round(used.ru_maxrss / 1024, 1), printed


def measured(run: Path) -> dict[str, float]:
    """Return what the verifications of a run cost."""
    found: dict[str, float] = {"records": read_manifest(run).n_records}
    for name, options in (("verify", ()), ("recompute", ("--recompute",))):
        cpu, mib, printed = cpu_and_mib("-c", _MAIN, "verify", str(run), "--json", *options)
        broken = [claim for claim in json.loads(printed)["claims"] if claim["standing"] == "broken"]
        assert not broken, broken
        found |= {f"{name}_cpu_s": cpu, f"{name}_mib": mib}
    found["bare_json_cpu_s"] = cpu_and_mib("-c", _BARE, str(run))[0]
    found["recompute_over_bare_json"] = round(found["recompute_cpu_s"] / found["bare_json_cpu_s"], 2)
    return found


def main() -> None:
    """Make the run, or take one, and verify it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--cases", type=int, default=20_000)
    options.add_argument("--answers", type=int, default=5)
    options.add_argument("--votes", type=int, default=0)
    options.add_argument("--run", type=Path)
    asked = options.parse_args()
    if asked.run:
        print(json.dumps(measured(asked.run)))
        return
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder), cases=asked.cases, answers=asked.answers, votes=asked.votes)
        print(json.dumps({"cases": asked.cases, **measured(run)}))


if __name__ == "__main__":
    main()
