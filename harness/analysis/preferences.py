"""Who is preferred: win rate and abilities beside the table of gains and losses."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.analysis.blocks import interval_block
from harness.domain.cases import Preference
from harness.domain.population_blocks import AbilityBlock, PreferencesBlock, WinRateBlock
from harness.domain.preferences import Pair
from harness.domain.verdicts import CaseResult
from harness.stats.estimability import NotEstimable
from harness.stats.preferences import preference_model, win_rate

_OUTCOMES: dict[Preference, int] = {"win": 1, "tie": 0, "loss": -1}
_BASELINE, _CANDIDATE = 0, 1
_NOTHING = "no pair has a preference"


class _Verdict(NamedTuple):
    outcome: int
    cluster: str


def preferences_block(
    results: Sequence[CaseResult], pairs: Sequence[Pair], *, alpha: float
) -> PreferencesBlock:
    """Return what both orders of every pair come to, as the candidate sees it.

    Pairs are counted by what both orders say together. The win rate and the
    abilities are over the verdicts of each order, ties counting half, and all
    verdicts on the answers to one cluster of cases are one unit.

    Args:
        results: The cases of one side of the split.
        pairs: The pairs of all cases; those of others are left out.
        alpha: For the level of the intervals.
    """
    cluster = {result.case: result.cluster for result in results}
    mine = [pair for pair in pairs if pair.subject.id in cluster]
    said = [pair.preference for pair in mine]
    settled = [pair for pair in mine if pair.preference is not None]
    verdicts = [
        _Verdict(_OUTCOMES[preference], cluster[pair.subject.id])
        for pair in settled
        for preference in (pair.ours_first, pair.theirs_first)
        if preference is not None
    ]
    return PreferencesBlock(
        n_pairs=len(mine),
        n_no_preference=said.count(None),
        candidate_preferred=said.count("win"),
        baseline_preferred=said.count("loss"),
        ties=said.count("tie"),
        ties_in_both_orders=sum(pair.ours_first == pair.theirs_first == "tie" for pair in settled),
        ties_by_reversal=sum(pair.slot != 0 for pair in settled),
        win_rate=_win_rate(verdicts, confidence_level=1 - alpha),
        ability=_ability(verdicts, confidence_level=1 - alpha),
    )


def _win_rate(verdicts: Sequence[_Verdict], *, confidence_level: float) -> WinRateBlock:
    if not verdicts:
        return WinRateBlock(n_verdicts=0, rate=None, interval=None, reason=_NOTHING)
    found = win_rate(
        [verdict.outcome for verdict in verdicts],
        clusters=[verdict.cluster for verdict in verdicts],
        confidence_level=confidence_level,
    )
    return WinRateBlock(
        n_verdicts=len(verdicts),
        rate=found.rate,
        interval=interval_block(found.interval),
        reason=found.interval.reason if isinstance(found.interval, NotEstimable) else None,
    )


def _ability(verdicts: Sequence[_Verdict], *, confidence_level: float) -> AbilityBlock:
    if not verdicts:
        return AbilityBlock(log_ability=None, interval=None, log_tie=None, reason=_NOTHING)
    found = preference_model(
        first=[_CANDIDATE] * len(verdicts),
        second=[_BASELINE] * len(verdicts),
        outcomes=[verdict.outcome for verdict in verdicts],
        clusters=[verdict.cluster for verdict in verdicts],
        n_arms=2,
        reference=_BASELINE,
        confidence_level=confidence_level,
    )
    if isinstance(found, NotEstimable):
        return AbilityBlock(log_ability=None, interval=None, log_tie=None, reason=found.reason)
    candidate = found.abilities[_CANDIDATE]
    return AbilityBlock(
        log_ability=candidate.log_ability,
        interval=interval_block(candidate.interval),
        log_tie=found.log_tie,
    )
