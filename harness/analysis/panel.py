"""The judges of a panel side by side: how they agree, and what the headline owes to each."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from harness.analysis.anytime import Anytime
from harness.analysis.blocks import generator, interval_block
from harness.analysis.reading import OVERTURNED
from harness.analysis.section import deciding
from harness.domain.blocks import IntervalBlock
from harness.domain.cases import ARMS, Arm
from harness.domain.estimate_blocks import DecisionVerdict
from harness.domain.panel_blocks import JudgedArm, PanelEstimate
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult, Graded
from harness.stats.alpha_bootstrap import alpha_interval
from harness.stats.estimability import NotEstimable
from harness.stats.multirater import krippendorff_alpha

_N_RESAMPLES = 1000
_CONFIDENCE_LEVEL = 0.95


class Agreement(NamedTuple):
    """How far the judges agree on the answers that were shown to them."""

    n_answers: int
    n_unanimous: int
    alpha: float | None
    alpha_interval: IntervalBlock | None
    alpha_reason: str | None


def answers_of(results: Sequence[CaseResult], cases: Collection[str], arm: Arm) -> list[Graded]:
    """Return every answer of an arm to these cases, in plan order."""
    return [
        answer
        for result in results
        if result.case in cases
        for answer in (result.baseline if arm == "baseline" else result.candidate)
    ]


def judged_arms(results: Sequence[CaseResult], cases: Collection[str]) -> tuple[JudgedArm, ...]:
    """Return how many answers of each arm one judge passed and failed, and why it said nothing of others.

    Args:
        results: The cases as this judge alone grades them.
        cases: The ids of those that are judged.
    """
    found = {arm: answers_of(results, cases, arm) for arm in ARMS}
    return tuple(
        JudgedArm(
            arm=arm,
            n_answers=len(answers),
            n_pass=sum(answer.outcome == "pass" for answer in answers),
            n_fail=sum(answer.outcome == "fail" for answer in answers),
            no_verdict=tuple(sorted(Counter(each.reason for each in answers if each.reason).items())),
        )
        for arm, answers in found.items()
    )


def panel_estimate(
    results: Sequence[CaseResult],
    spec: AnalysisSpec,
    *,
    headline: float | None,
    anytime: Anytime | None = None,
) -> PanelEstimate:
    """Return the declared primary estimate of these cases, graded by some of the judges.

    Args:
        results: The cases of one side of the split, as those judges grade them.
        spec: The analysis, decided before the data.
        headline: The difference as the whole panel has it.
        anytime: The design, where the run may have ended after any batch.
    """
    found, _ = deciding(results, spec, anytime=anytime)
    known = found.difference is not None and headline is not None
    return PanelEstimate(
        n_cases=found.n_cases,
        difference=found.difference,
        interval=found.interval,
        pvalue=found.pvalue,
        verdict=found.verdict,
        reasons=found.reasons,
        change=(found.difference or 0.0) - (headline or 0.0) if known else None,
        reason=found.reason,
    )


def verdict_on_what_is_there(verdict: DecisionVerdict, reasons: Sequence[str]) -> str:
    """Return the verdict before missing verdicts were set against it.

    Two judges who are left of three are often split: that alone is no reason to
    say that the headline hangs on the third.
    """
    overturned = (reason for reason in reasons if reason.startswith(OVERTURNED))
    return next((reason.removeprefix(OVERTURNED) for reason in overturned), verdict)


def judges_agreement(
    judges: Sequence[Sequence[CaseResult]], cases: Collection[str], *, seed: int
) -> Agreement:
    """Return how far the judges agree on the arms' answers: whole clusters of cases are resampled.

    Args:
        judges: The cases of one side of the split as each judge alone grades them.
        cases: The ids of those that are judged.
        seed: Of the plan.
    """
    ratings = np.array([[_rating(answer) for answer in _both_arms(each, cases)] for each in judges]).T
    present = ratings >= 0
    # An answer without text was shown to nobody.
    shown = present.any(axis=1)
    if not shown.any():
        return Agreement(0, 0, None, None, "no judge has a verdict on any answer")
    n_unanimous = int(np.sum(present.all(axis=1) & (ratings == ratings[:, :1]).all(axis=1)))
    value = krippendorff_alpha(ratings=ratings, present=present, level="nominal")
    interval = alpha_interval(
        ratings=ratings,
        present=present,
        level="nominal",
        clusters=_clusters(judges[0], cases),
        confidence_level=_CONFIDENCE_LEVEL,
        n_resamples=_N_RESAMPLES,
        rng=generator(seed, "judges agreement"),
    )
    reasons = [found.reason for found in (value, interval) if isinstance(found, NotEstimable)]
    return Agreement(
        n_answers=int(shown.sum()),
        n_unanimous=n_unanimous,
        alpha=None if isinstance(value, NotEstimable) else value,
        alpha_interval=interval_block(interval),
        alpha_reason=reasons[0] if reasons else None,
    )


def _both_arms(results: Sequence[CaseResult], cases: Collection[str]) -> list[Graded]:
    return [answer for arm in ARMS for answer in answers_of(results, cases, arm)]


def _clusters(results: Sequence[CaseResult], cases: Collection[str]) -> list[str]:
    one_arm = [
        result.cluster for result in results if result.case in cases for _ in range(len(result.baseline))
    ]
    return [*one_arm, *one_arm]


def _rating(answer: Graded) -> int:
    return -1 if answer.outcome is None else int(answer.outcome == "pass")
