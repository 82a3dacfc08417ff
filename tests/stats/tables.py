"""Every outcome of a small paired experiment, with its probability."""

import numpy as np

from harness.stats.binomial import point_probability


def all_tables(n_cases):
    """Return every (gain, loss) with gain + loss <= n_cases."""
    return [(gain, loss) for gain in range(n_cases + 1) for loss in range(n_cases + 1 - gain)]


def probabilities(tables, n_cases, gain_rate, loss_rate):
    """Return the trinomial probability of each table. Shape (n_tables,)."""
    gain, loss = np.array(tables).T
    of_gain = point_probability(gain, n_cases, gain_rate)
    return of_gain * point_probability(loss, n_cases - gain, min(1.0, loss_rate / (1.0 - gain_rate)))
