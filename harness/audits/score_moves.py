"""Did the scores of a run move since an earlier one? The same cases of each arm, then and now."""

from typing import NamedTuple, Protocol

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block_or_none
from harness.domain.cases import ARMS, Arm, Case
from harness.domain.fitness import ScoreMove
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Graded
from harness.stats.estimability import NotEstimable
from harness.stats.means import paired_mean_plus_two
from harness.stats.permutation import sign_flip

_N_RESAMPLES = 9_999


class _Run(Protocol):
    @property
    def plan(self) -> Plan: ...

    @property
    def reading(self) -> Reading: ...


class _SameText(NamedTuple):
    n: int
    n_other_outcome: int


def score_moves(then: _Run, now: _Run) -> tuple[ScoreMove, ...]:
    """Return how each arm's pass rate moved over the exploratory cases that both runs hold word for word.

    Held-out cases stay out, opened or not: of an arm alone their rate is no
    business of a comparison between runs. An answer whose text is the same in
    both runs and whose outcome is not was judged otherwise, by the judge or
    by its noise. Where answers are compared, an arm alone has no score that
    could have moved: there are none.
    """
    if then.plan.is_pairwise or now.plan.is_pairwise:
        return ()
    common = _common(then.plan, now.plan)
    return tuple(_move(arm, then, now, common) for arm in ARMS) if common else ()


def _common(then: Plan, now: Plan) -> dict[str, str]:
    """Return the cluster of every case that is exploratory in both and reads alike."""
    earlier = {case.id: _asked(case) for case in then.cases if case.id not in set(then.held_out)}
    closed = set(now.held_out)
    return {
        case.id: case.group
        for case in now.cases
        if case.id not in closed and earlier.get(case.id) == _asked(case)
    }


def _asked(case: Case) -> tuple[object, ...]:
    return case.prompt, case.messages, case.reference, case.checks


def _move(arm: Arm, then: _Run, now: _Run, common: dict[str, str]) -> ScoreMove:
    old, new = _shares(then.reading, arm), _shares(now.reading, arm)
    cases = [case for case in common if case in old and case in new]
    same = _same_text(then.reading, now.reading, arm, common)
    empty = ScoreMove(arm=arm, n_cases=len(cases), n_same_text=same.n, n_other_outcome=same.n_other_outcome)
    if not cases:
        return empty.model_copy(update={"reason": "no common case is graded in both runs"})
    differences = np.array([new[case] - old[case] for case in cases])
    clusters = [common[case] for case in cases]
    interval = paired_mean_plus_two(
        differences=differences, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=(-1.0, 1.0)
    )
    test = sign_flip(
        differences=differences,
        clusters=clusters,
        n_resamples=_N_RESAMPLES,
        rng=np.random.default_rng(now.plan.experiment.analysis.seed),
    )
    return empty.model_copy(
        update={
            "then": sum(old[case] for case in cases) / len(cases),
            "now": sum(new[case] for case in cases) / len(cases),
            "difference": float(np.sort(differences).mean()),
            "interval": block_or_none(interval),
            "pvalue": None if isinstance(test, NotEstimable) else test.pvalue,
            "reason": interval.reason if isinstance(interval, NotEstimable) else None,
        }
    )


def _answers(reading: Reading, arm: Arm) -> dict[str, tuple[Graded, ...]]:
    return {r.case: r.baseline if arm == "baseline" else r.candidate for r in reading.cases}


def _shares(reading: Reading, arm: Arm) -> dict[str, float]:
    found = {}
    for case, answers in _answers(reading, arm).items():
        passes = [answer.outcome == "pass" for answer in answers if answer.outcome is not None]
        if passes:
            found[case] = sum(passes) / len(passes)
    return found


def _same_text(then: Reading, now: Reading, arm: Arm, common: dict[str, str]) -> _SameText:
    texts = {(note.case, note.repeat): note.text_sha256 for note in then.answers if note.arm == arm}
    old, new = _answers(then, arm), _answers(now, arm)
    pairs = [
        (old[note.case][note.repeat].outcome, new[note.case][note.repeat].outcome)
        for note in now.answers
        if note.arm == arm and note.case in common and texts.get((note.case, note.repeat)) == note.text_sha256
    ]
    decided = [(was, found) for was, found in pairs if was is not None and found is not None]
    return _SameText(len(decided), sum(was != found for was, found in decided))
