"""A run that is killed pays for nothing twice that it had kept, and ends with the same evidence."""

import json
import random

from killing import kill_and_resume, server
from runs import ENDPOINTS, a_plan


def test_a_run_killed_at_random_moments_ends_as_if_it_had_been_left_alone(tmp_path):
    with server(latency_ms=5.0) as running:
        here = {"base_url": running.base_url, "limits": {"in_flight": 8}}
        plan = a_plan(
            cases=25, answers=2, votes=2, canaries=2, anchors=4, endpoints=dict.fromkeys(ENDPOINTS, here)
        )
        killed = kill_and_resume(plan, running, tmp_path, n_kills=3, rng=random.Random(1))

    assert killed.sent_again == ()
    assert killed.evidence_sha256 == killed.undisturbed_sha256
    assert max(killed.n_stored_at_kills) > 0
    # Only what was in flight when it was killed may have been answered for nothing.
    assert killed.n_answered_twice <= 3 * 3 * 8


# The candidate's template makes its answers good, and the judge tells.
BETTER = [
    {"contains": "a good answer", "texts": ["VERDICT: pass"]},
    {"contains": "VERDICT", "texts": ["VERDICT: fail"]},
    {"contains": "Be good.", "texts": ["a good answer"]},
]


def test_a_sequential_run_that_was_killed_stops_where_it_would_have_stopped(tmp_path):
    with server(latency_ms=2.0, rules=json.dumps(BETTER)) as running:
        here = {"base_url": running.base_url, "limits": {"in_flight": 8}}
        plan = a_plan(
            cases=40,
            answers=1,
            canaries=0,
            endpoints=dict.fromkeys(ENDPOINTS, here),
            templates={"baseline": {}, "candidate": {"prompt": "Be good. $prompt"}},
            sequential={"batch": 4},
        )
        killed = kill_and_resume(plan, running, tmp_path, n_kills=1, rng=random.Random(22))
        n_asked = len(running.stats()["received_keys"])

    assert killed.sent_again == ()
    assert killed.evidence_sha256 == killed.undisturbed_sha256
    assert 0 < killed.n_stored_at_kills[0] < n_asked
    # Twelve cases that all gain are enough: two answers and two votes each, and two anchors.
    assert n_asked == 12 * 4 + 2
