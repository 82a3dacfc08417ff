"""What a judge's mistakes do to a pass rate, and to a difference of two arms.

One arm's rate can be corrected by sensitivity and specificity, when these were measured on
answers of that same arm. For a difference of arms look at the rectifier first: a judge who
is harsher on one arm makes a difference out of nothing, and rates pooled over the arms
make that worse.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import PairedMean, paired_mean, paired_mean_plus_two
from harness.stats.requires import require_count, require_inside, require_part, require_positive_count
from harness.stats.samples import same_length, scores

_DUST = 1e-9


class DesignEffects(NamedTuple):
    """How many times larger the variance of each share is than that of independent answers."""

    judged: float
    good: float
    bad: float


INDEPENDENT = DesignEffects(1.0, 1.0, 1.0)


class CorrectedRate(NamedTuple):
    """A pass rate as people would see it, from the judge's verdicts.

    Attributes:
        estimate: Rogan-Gladen, cut to [0, 1].
        was_cut: Whether the formula left [0, 1]: the judge's error rates and the observed
            rate do not fit together well.
        interval: Lang-Reiczigel.
    """

    estimate: float
    was_cut: bool
    interval: Interval


class Rectifier(NamedTuple):
    """How far the judge's difference is from people's, on the same cases.

    Attributes:
        judge_difference: Mean over anchors, candidate minus baseline, as the judge sees it.
        human_difference: The same as people see it.
        n_cases: Anchors labelled on both arms.
        rectifier: Judge minus human difference. Not estimable where they never vary.
        interval: Of the rectifier, with room for disagreements not seen; what a gate uses.
    """

    judge_difference: float
    human_difference: float
    n_cases: int
    rectifier: PairedMean | NotEstimable
    interval: Interval | NotEstimable


def rogan_gladen(*, apparent: float, sensitivity: float, specificity: float) -> float | NotEstimable:
    """Return the true rate that would show as `apparent` through such a judge, cut to [0, 1].

    Args:
        apparent: Share of answers that the judge passes, in [0, 1].
        sensitivity: Share of good answers that it passes, in [0, 1].
        specificity: Share of bad answers that it fails, in [0, 1].

    Returns:
        The rate; not estimable when the judge does no better than guessing.

    Raises:
        ValueError: A rate outside [0, 1].

    References:
        Rogan & Gladen (1978), American Journal of Epidemiology 107(1), 71-76.
    """
    rates = {"apparent": apparent, "sensitivity": sensitivity, "specificity": specificity}
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} must lie in [0, 1], found {rate}")
    raw = _uncut(apparent, sensitivity, specificity)
    return raw if isinstance(raw, NotEstimable) else min(max(raw, 0.0), 1.0)


def corrected_rate(
    *,
    n_passed: int,
    n_judged: int,
    true_pass: int,
    n_pass: int,
    true_fail: int,
    n_fail: int,
    design_effects: DesignEffects = INDEPENDENT,
    confidence_level: float,
) -> CorrectedRate | NotEstimable:
    """Correct one arm's pass rate for the judge's errors, with an interval that counts both.

    The anchors must be answers of the same arm, or of arms on which the judge errs alike.

    Args:
        n_passed: Answers the judge passed.
        n_judged: Answers judged, at least 1.
        true_pass: Good anchors that the judge passed.
        n_pass: Good anchors, at least 1.
        true_fail: Bad anchors that the judge failed.
        n_fail: Bad anchors, at least 1.
        design_effects: Of the answers and of both kinds of anchors, each at least 1: the
            interval takes as many as they are worth.
        confidence_level: In (0, 1).

    Returns:
        The rate; not estimable when sensitivity and specificity add up to 1 or less, with
        or without the imagined anchors, or when the interval lies outside [0, 1] altogether.

    Raises:
        ValueError: A count is fractional, negative or above its total.

    References:
        Lang & Reiczigel (2014), Preventive Veterinary Medicine 113(1), 13-22, with
        (1 - p)^2 in equation 4 as in the R package asht. The same interval is given for
        judges by Lee et al. (2025), arXiv 2511.21140.
    """
    level = require_inside("confidence_level", confidence_level, 0.0, 1.0)
    apparent = _share("n_passed", n_passed, "n_judged", n_judged)
    sensitivity = _share("true_pass", true_pass, "n_pass", n_pass)
    specificity = _share("true_fail", true_fail, "n_fail", n_fail)
    raw = _uncut(apparent, sensitivity, specificity)
    if isinstance(raw, NotEstimable):
        return raw
    z = float(special.ndtri((1 + level) / 2))
    if min(design_effects) < 1:
        raise ValueError(f"design_effects must be at least 1, found {tuple(design_effects)}")
    judged, good, bad = (
        n / effect for n, effect in zip((n_judged, n_pass, n_fail), design_effects, strict=True)
    )
    # One imagined hit and miss on each kind of anchor, z^2/2 of each on the answers.
    p = (judged * apparent + z**2 / 2) / (judged + z**2)
    sens = (good * sensitivity + 1) / (good + 2)
    spec = (bad * specificity + 1) / (bad + 2)
    gain = sens + spec - 1
    if gain <= _DUST:
        return NotEstimable(
            f"{n_pass} good and {n_fail} bad anchors are too few: with one imagined hit and miss on each, "
            "the judge does no better than guessing"
        )
    rate = (p + spec - 1) / gain
    shift = 2 * z**2 * (rate * sens * (1 - sens) / (good + 2) - (1 - rate) * spec * (1 - spec) / (bad + 2))
    variance = (
        p * (1 - p) / (judged + z**2)
        + rate**2 * sens * (1 - sens) / (good + 2)
        + (1 - rate) ** 2 * spec * (1 - spec) / (bad + 2)
    )
    centre, half_width = rate + shift, z * math.sqrt(variance) / gain
    if centre + half_width <= 0 or centre - half_width >= 1:
        return NotEstimable(
            f"a rate of {apparent:.3g} cannot come from a judge of sensitivity {sensitivity:.3g} and "
            f"specificity {specificity:.3g}: the anchors are not like the answers"
        )
    return CorrectedRate(
        estimate=min(max(raw, 0.0), 1.0),
        was_cut=not 0 <= raw <= 1,
        interval=Interval(
            low=min(max(centre - half_width, 0.0), 1.0),
            high=min(max(centre + half_width, 0.0), 1.0),
            confidence_level=level,
            method="lang_reiczigel",
        ),
    )


def rectifier(
    *,
    judge_differences: ArrayLike,
    human_differences: ArrayLike,
    clusters: Sequence[str] | ArrayLike | None = None,
    confidence_level: float,
) -> Rectifier:
    """Measure by how much the judge favours one arm, on anchors labelled on both arms.

    Args:
        judge_differences: Candidate minus baseline of each anchor as the judge sees it,
            in [-1, 1]. Shape (n_anchors,).
        human_differences: The same as people see it, in the same order.
        clusters: Name of each anchor's cluster. Shape (n_anchors,). None: all independent.
        confidence_level: In (0, 1).

    Raises:
        ValueError: Empty, NaN, infinite, unequal shapes, or a difference outside [-1, 1].
    """
    judge = scores(judge_differences, name="judge_differences")
    human = scores(human_differences, name="human_differences")
    same_length(judge_differences=judge, human_differences=human)
    for name, values in (("judge_differences", judge), ("human_differences", human)):
        if np.max(np.abs(values)) > 1:
            raise ValueError(f"{name} must lie in [-1, 1], found {values[np.argmax(np.abs(values))]}")
    return Rectifier(
        judge_difference=float(np.sort(judge).mean()),
        human_difference=float(np.sort(human).mean()),
        n_cases=judge.size,
        rectifier=paired_mean(
            differences=judge - human,
            clusters=clusters,
            confidence_level=confidence_level,
            support=(-2.0, 2.0),
        ),
        interval=paired_mean_plus_two(
            differences=judge - human,
            clusters=clusters,
            confidence_level=confidence_level,
            support=(-2.0, 2.0),
        ),
    )


def _share(name: str, count: int, total_name: str, total: int) -> float:
    part, whole = require_count(name, count), require_positive_count(total_name, total)
    require_part(name, part, total_name, whole)
    return part / whole


def _uncut(apparent: float, sensitivity: float, specificity: float) -> float | NotEstimable:
    if sensitivity + specificity <= 1:
        return NotEstimable(
            f"sensitivity {sensitivity:.3g} and specificity {specificity:.3g} add up to 1 or less: "
            "the judge does no better than guessing"
        )
    return (apparent + specificity - 1) / (sensitivity + specificity - 1)
