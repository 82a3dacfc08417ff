"""A run that is killed pays for nothing twice that it had kept, and ends with the same evidence."""

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
