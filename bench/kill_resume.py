"""Kill -9 at twenty random moments of a run against a loopback server, and resume.

    python bench/kill_resume.py [--kills 20] [--seed 1]

Prints what was kept and what was sent again, counted by the server. Exits with 1 if a request
whose response was on disk was sent again, or if the evidence differs from that of a run that
was left alone.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from killing import kill_and_resume, server
from runs import ENDPOINTS, a_plan


def main() -> int:
    """Do it and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, server(latency_ms=20.0) as running:
        here = {"base_url": running.base_url, "limits": {"in_flight": 16}}
        plan = a_plan(
            cases=100,
            answers=3,
            votes=2,
            canaries=3,
            anchors=10,
            endpoints=dict.fromkeys(ENDPOINTS, here),
        )
        killed = kill_and_resume(
            plan, running, Path(folder), n_kills=arguments.kills, rng=random.Random(arguments.seed)
        )
    print(f"calls planned           {killed.n_planned}")
    print(f"kills                   {killed.n_kills}")
    print(f"on disk at the kills    {', '.join(map(str, killed.n_stored_at_kills))}")
    print(f"sent again though kept  {len(killed.sent_again)}")
    print(f"answered, not yet kept  {killed.n_answered_twice} (in flight at a kill, asked again)")
    print(f"evidence, killed        {killed.evidence_sha256}")
    print(f"evidence, left alone    {killed.undisturbed_sha256}")
    fine = not killed.sent_again and killed.evidence_sha256 == killed.undisturbed_sha256
    print("the same evidence, nothing paid twice that was kept" if fine else "FAILED")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
