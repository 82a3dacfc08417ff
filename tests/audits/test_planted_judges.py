"""Every planted defect is caught by the audit that is there for it, and a good judge is left alone."""

import numpy as np
import pytest

from bench import planted_pairs
from bench.planted_judges import JUDGES, WANTED, caught, reading, world

SEEDS = range(3)


def blamed(judge: str, seed: int) -> set[str]:
    found = world(np.random.default_rng(seed))
    return caught(found.plan, reading(found, JUDGES[judge], np.random.default_rng([seed, 1])))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("judge", "audit"), WANTED.items())
def test_a_planted_defect_is_caught_by_its_audit(judge, audit, seed):
    assert {audit, "UNFIT"} <= blamed(judge, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_perfect_judge_is_left_alone(seed):
    assert blamed("perfect", seed) == set()


def blamed_of_pairs(judge: str, seed: int) -> set[str]:
    found = planted_pairs.world(np.random.default_rng(seed))
    read = planted_pairs.reading(found, planted_pairs.JUDGES[judge], np.random.default_rng([seed, 1]))
    return planted_pairs.caught(found.plan, read)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("judge", "audit"), planted_pairs.WANTED.items())
def test_a_defect_of_a_pairwise_judge_is_caught_by_its_audit(judge, audit, seed):
    assert {audit, "UNFIT"} <= blamed_of_pairs(judge, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_perfect_pairwise_judge_is_left_alone(seed):
    assert blamed_of_pairs("perfect", seed) == set()
