"""What a full report costs, from the verdicts of a large run to the bytes of every form.

    python bench/report_speed.py --cases 20000 --answers 5
    python bench/report_speed.py --run RUN

Prints CPU seconds (user and system) of audits, analysis and document, and of each form,
as JSON; and the largest resident size of the process, the verdicts of the run included,
beside what it was before the report. Reading the evidence is not in it (`verify_speed`).
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from large_run import make_run

from harness.cli.collector import collector_off
from harness.cli.run import report_of
from harness.domain.report import Report
from harness.graders.reading import read_run
from harness.report.document import report_bytes
from harness.report.junit import junit
from harness.report.markdown import summary_markdown
from harness.report.page import page
from harness.store.evidence import read_evidence, read_timings
from harness.store.run_dir import read_plan

_FORMS: dict[str, Callable[[Report], str | bytes]] = {
    "json": report_bytes,
    "html": page,
    "markdown": summary_markdown,
    "junit": junit,
}


def measured(run: Path) -> dict[str, float]:
    """Return what the report of a run costs."""
    with collector_off():
        plan = read_plan(run)
        reading = read_run(plan, read_evidence(run), read_timings(run))
    found: dict[str, float] = {"cases": len(reading.cases), "before_mib": _mib()}
    began_s = time.process_time()
    with collector_off():
        report = report_of(run, plan, reading)
    found["document_cpu_s"] = time.process_time() - began_s
    for name, form in _FORMS.items():
        form_began_s = time.process_time()
        form(report)
        found[f"{name}_cpu_s"] = time.process_time() - form_began_s
    return found | {"all_cpu_s": time.process_time() - began_s, "peak_mib": _mib()}


def _mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Make the run, or take one, and time its report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--cases", type=int, default=20_000)
    options.add_argument("--answers", type=int, default=5)
    options.add_argument("--votes", type=int, default=0)
    options.add_argument("--run", type=Path)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = asked.run or make_run(Path(folder), cases=asked.cases, answers=asked.answers, votes=asked.votes)
        print(json.dumps({name: round(value, 2) for name, value in measured(run).items()}))


if __name__ == "__main__":
    main()
