"""Pairwise verdicts, ties included: a win rate for two arms, abilities for more.

Both orders of one item are one cluster, so that an interval does not take a judge's
second look at an item for a second item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import paired_mean
from harness.stats.requires import require_inside, require_positive_count
from harness.stats.samples import FloatArray, IntArray, cluster_codes

_NEWTON_STEPS = 60
# Where no finite abilities exist, the information of Newton's steps falls towards 0.
_LEAST_INFORMATION = 1e-6


class WinRate(NamedTuple):
    """How often the candidate is preferred, ties counting half.

    Attributes:
        wins: Verdicts for the candidate.
        losses: Verdicts for the baseline.
        ties: Verdicts for neither.
        rate: (wins + ties / 2) / verdicts, in [0, 1].
        interval: Cluster-robust limits of the rate; not estimable when nothing varies.
    """

    wins: int
    losses: int
    ties: int
    rate: float
    interval: Interval | NotEstimable


class Ability(NamedTuple):
    """One arm's place on the scale of log abilities.

    Attributes:
        log_ability: Relative to the reference arm, whose own is 0.
        interval: Cluster-robust limits; both 0 for the reference arm.
    """

    log_ability: float
    interval: Interval


class PreferenceModel(NamedTuple):
    """Davidson's model, or Bradley and Terry's where no verdict is a tie.

    Attributes:
        abilities: One for each arm, in order.
        log_tie: Logarithm of the tie parameter; None when no verdict is a tie.
        n_clusters: Clusters behind the intervals.
    """

    abilities: tuple[Ability, ...]
    log_tie: float | None
    n_clusters: int


class _Design(NamedTuple):
    """What each comparison adds to the log odds of its three outcomes.

    Attributes:
        features: Of second wins, tie, first wins. Shape (n, 3, n_parameters).
        chosen: Index of the outcome seen. Shape (n,).
    """

    features: FloatArray
    chosen: IntArray


def win_rate(outcomes: ArrayLike, *, clusters: ArrayLike | None, confidence_level: float) -> WinRate:
    """Return the share of pairwise verdicts that the candidate wins, ties counting half.

    Args:
        outcomes: 1 the candidate wins, 0 a tie, -1 the baseline wins. Shape (n_verdicts,).
        clusters: The item of each verdict; both orders of an item share it. Shape
            (n_verdicts,). None: every verdict is another item.
        confidence_level: In (0, 1).

    Raises:
        ValueError: No verdict, other outcomes, shapes that differ, or the level out of
            range.
    """
    signs = _outcomes(outcomes)
    mean = paired_mean(
        differences=signs, clusters=clusters, confidence_level=confidence_level, support=(-1.0, 1.0)
    )
    interval = mean if isinstance(mean, NotEstimable) else _as_rates(mean.interval)
    wins, losses, ties = (int(np.sum(signs == sign)) for sign in (1, -1, 0))
    return WinRate(wins, losses, ties, (wins + ties / 2.0) / signs.size, interval)


def preference_model(
    *,
    first: ArrayLike,
    second: ArrayLike,
    outcomes: ArrayLike,
    clusters: ArrayLike | None,
    n_arms: int,
    reference: int,
    confidence_level: float,
) -> PreferenceModel | NotEstimable:
    """Fit log abilities to pairwise verdicts by maximum likelihood.

    P(i wins) is proportional to pi_i, P(tie) to nu sqrt(pi_i pi_j).

    Args:
        first: Number of one arm of each comparison. Shape (n_verdicts,).
        second: Number of the other. Shape (n_verdicts,).
        outcomes: 1 the first wins, 0 a tie, -1 the second wins. Shape (n_verdicts,).
        clusters: The item of each verdict. Shape (n_verdicts,). None: all another item.
        n_arms: Arms, numbered from 0; at least 2.
        reference: Number of the arm whose log ability is 0.
        confidence_level: In (0, 1), of t limits with one degree of freedom less than clusters.

    Returns:
        The model, or not estimable with one cluster, with arms that no comparison
        connects, or with arms that win or lose too consistently for a finite ability.

    Raises:
        ValueError: Shapes that differ, unknown arms, an arm against itself, other
            outcomes, or the level out of range.

    References:
        Davidson (1970), JASA 65(329), 317-328. Bradley and Terry (1952), Biometrika
        39(3/4), 324-345. Liang and Zeger (1986), Biometrika 73(1), 13-22 (intervals).
    """
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    if require_positive_count("n_arms", n_arms) < 2 or reference not in range(n_arms):
        raise ValueError(f"there must be 2 or more arms, {reference} among them, got {n_arms}")
    signs = _outcomes(outcomes)
    ends = _arms("first", first, signs.size, n_arms), _arms("second", second, signs.size, n_arms)
    if np.any(ends[0] == ends[1]):
        raise ValueError("an arm cannot be compared with itself")
    codes = cluster_codes(clusters, n_cases=signs.size)
    groups = np.arange(signs.size) if codes is None else codes
    if int(groups.max()) == 0:
        return NotEstimable("all verdicts are in one cluster: there is no second one")
    design = _design(*ends, signs, n_arms=n_arms, reference=reference)
    fit = _fit(design)
    if isinstance(fit, NotEstimable):
        return fit
    abilities = _abilities(fit[: n_arms - 1], _robust_errors(design, fit, groups), groups, level)
    abilities.insert(reference, Ability(0.0, Interval(0.0, 0.0, level, "reference")))
    log_tie = float(fit[-1]) if fit.size == n_arms else None
    return PreferenceModel(tuple(abilities), log_tie, int(groups.max()) + 1)


def _abilities(fit: FloatArray, errors: FloatArray, groups: IntArray, level: float) -> list[Ability]:
    quantile = float(stdtrit(int(groups.max()), (1.0 + level) / 2.0))
    return [
        Ability(value, Interval(value - quantile * error, value + quantile * error, level, "davidson_robust"))
        for value, error in zip(fit.tolist(), errors.tolist(), strict=False)
    ]


def _design(
    first: IntArray, second: IntArray, signs: NDArray[np.int64], *, n_arms: int, reference: int
) -> _Design:
    has_ties = bool(np.any(signs == 0))
    by_arm = np.eye(n_arms)[:, [arm for arm in range(n_arms) if arm != reference]]
    wins_first, wins_second = by_arm[first], by_arm[second]
    features = np.stack([wins_second, (wins_first + wins_second) / 2.0, wins_first], axis=1)
    if has_ties:
        tie = np.zeros((signs.size, 3, 1))
        tie[:, 1, 0] = 1.0
        return _Design(np.concatenate([features, tie], axis=2), signs + 1)
    return _Design(features[:, [0, 2], :], (signs + 1) // 2)


def _fit(design: _Design) -> FloatArray | NotEstimable:
    """Climb the concave likelihood by Newton's steps, none longer than 2 on the log scale."""
    parameters = np.zeros(design.features.shape[2])
    for _ in range(_NEWTON_STEPS):
        scores, information = _scores(design, parameters)
        if np.linalg.eigvalsh(information)[0] < _LEAST_INFORMATION:
            return NotEstimable(
                "no finite abilities: arms are not connected by comparisons, or one group of arms "
                "never loses to the rest"
            )
        step = np.linalg.solve(information, scores.sum(axis=0))
        parameters = parameters + step * min(1.0, 2.0 / max(2.0, float(np.max(np.abs(step)))))
        if float(np.max(np.abs(step))) < 1e-10:
            return parameters
    return NotEstimable(f"abilities did not settle within {_NEWTON_STEPS} steps")


def _scores(design: _Design, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each comparison's score, and the information of all."""
    log_odds = design.features @ parameters
    chances = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    means = np.einsum("no,nop->np", chances, design.features)
    seen = np.take_along_axis(design.features, design.chosen[:, None, None], axis=1)[:, 0, :]
    squares = np.einsum("no,nop,noq->pq", chances, design.features, design.features)
    return seen - means, squares - means.T @ means


def _robust_errors(design: _Design, parameters: FloatArray, groups: IntArray) -> FloatArray:
    n_clusters = int(groups.max()) + 1
    scores, information = _scores(design, parameters)
    by_cluster = np.zeros((n_clusters, parameters.size))
    np.add.at(by_cluster, groups, scores)
    spread = by_cluster.T @ by_cluster * n_clusters / (n_clusters - 1)
    inverse = np.linalg.inv(information)
    return np.asarray(np.sqrt(np.diag(inverse @ spread @ inverse)), dtype=np.float64)


def _as_rates(limits: Interval) -> Interval:
    low, high, level, method = limits
    return Interval((1.0 + low) / 2.0, (1.0 + high) / 2.0, level, method)


def _outcomes(outcomes: ArrayLike) -> IntArray:
    array = np.asarray(outcomes)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iuf":
        raise ValueError(f"outcomes must be one number a verdict, got shape {array.shape}, {array.dtype}")
    if not np.all((array == 1) | (array == 0) | (array == -1)):
        raise ValueError("outcomes must be 1, 0 or -1: first wins, tie, second wins")
    return array.astype(np.int64)


def _arms(name: str, arms: ArrayLike, n_verdicts: int, n_arms: int) -> IntArray:
    array = np.asarray(arms)
    if array.shape != (n_verdicts,) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must number one arm for each of {n_verdicts} verdicts, got {array.shape}")
    if array.min() < 0 or array.max() >= n_arms:
        raise ValueError(f"{name} must number arms from 0 to {n_arms - 1}")
    return array.astype(np.int64)
