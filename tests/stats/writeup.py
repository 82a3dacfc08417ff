"""The fixture of a public write-up on paired evaluation, rebuilt from its printed code.

Items have an easiness, uniform on (0, 1); an arm passes an item when easiness plus noise
stays below its bar. Contested items are coin tosses on both arms.
"""

import random

import numpy as np

BASELINE_BAR = 0.60
CANDIDATE_BAR = 0.63
NOISE = 0.08
N_ITEMS = 2000
CONTESTED_SHARE = 0.10


def single_run(n_items, seed, *, candidate_bar=CANDIDATE_BAR):
    """Pass or fail of both arms, one run. Shape (n_items, 2)."""
    rng = random.Random(seed)
    verdicts = np.zeros((n_items, 2), dtype=np.int64)
    for item in range(n_items):
        easiness = rng.random()
        verdicts[item, 0] = easiness + rng.gauss(0, NOISE) < BASELINE_BAR
        verdicts[item, 1] = easiness + rng.gauss(0, NOISE) < candidate_bar
    return verdicts


def repeated_runs(items_seed, score_seed, *, candidate_bar):
    """Pass or fail of baseline and candidate, five runs each. Shape (2000, 5) each."""
    rng = random.Random(items_seed)
    items = []
    for _ in range(N_ITEMS):
        contested = rng.random() < CONTESTED_SHARE
        items.append((contested, rng.random()))
    rng = random.Random(score_seed)

    def runs(contested, easiness, bar):
        if contested:
            return [rng.random() < 0.5 for _ in range(5)]
        return [easiness + rng.gauss(0, NOISE) < bar for _ in range(5)]

    votes = np.array(
        [[runs(*item, BASELINE_BAR), runs(*item, candidate_bar)] for item in items], dtype=np.int64
    )
    return votes[:, 0], votes[:, 1]
