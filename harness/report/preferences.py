"""Preferences in words: what stands in the place of passes where a judge compares two answers."""

from collections.abc import Iterator

from harness.domain.estimate_blocks import MajorityBlock
from harness.domain.population_blocks import AbilityBlock, PreferencesBlock, WinRateBlock
from harness.domain.report import Section
from harness.report import words
from harness.report.findings import verdict_table

_SIGN_TESTS = {"McNemar exact": "exact sign test", "McNemar mid-p": "mid-p sign test"}


def is_compared(section: Section) -> bool:
    """Return whether the section's verdicts are preferences."""
    return section.preferences is not None


def outcome_table(section: Section) -> tuple[tuple[str, ...], ...]:
    """Return cases by their outcome, head first: gains and losses, or who is preferred."""
    return _preferred(section.majority) if is_compared(section) else verdict_table(section.majority)


def outcome_caption(section: Section) -> str:
    """Return what the table counts."""
    if is_compared(section):
        return "Cases by the arm that more than half of their repeats prefer, both orders asked"
    return "Cases by the majority verdict of each arm"


def unsettled_name(section: Section) -> str:
    """Return what cases outside the table lack."""
    return "no preference by a majority of the repeats" if is_compared(section) else "no majority in an arm"


def count_name(section: Section) -> str:
    """Return what is counted of an arm's repeats: ``passes``, or how often it is ``preferred``."""
    return "preferred" if is_compared(section) else "passes"


def flip_counts(section: Section, *, baseline: int, candidate: int, of: int) -> str:
    """Return how often each arm passed, or was preferred, in the repeats of a case."""
    counts = f"baseline {baseline}/{of}, candidate {candidate}/{of}"
    return f"preferred: {counts}" if is_compared(section) else f"{counts} pass"


def majority_name(section: Section) -> str:
    """Return the name of the difference between majorities."""
    return "win share, cases" if is_compared(section) else "majority verdicts"


def mean_name(section: Section) -> str:
    """Return the name of the difference between means."""
    if section.mean.of == "score":
        return "mean score"
    return "win share, repeats" if is_compared(section) else "mean of repeats"


def test_name(name: str, section: Section) -> str:
    """Return the name of a test: of preferences McNemar's is the sign test of wins and losses."""
    return _SIGN_TESTS.get(name, name) if is_compared(section) else name


def preference_lines(block: PreferencesBlock | None) -> Iterator[str]:
    """Yield the pairs by what both orders say, the win rate, and the log ability."""
    if block is None:
        return
    yield (
        f"of {words.plural(block.n_pairs, 'pair')} the candidate is preferred in "
        f"{words.count(block.candidate_preferred)}, the baseline in {words.count(block.baseline_preferred)}, "
        f"neither in {words.count(block.ties)}; {words.count(block.n_no_preference)} without a preference"
    )
    in_one = block.ties - block.ties_in_both_orders - block.ties_by_reversal
    yield (
        f"ties: {words.count(block.ties_in_both_orders)} in both orders, "
        f"{words.count(block.ties_by_reversal)} because the order turned the preference, "
        f"{words.count(in_one)} with a tie in one order"
    )
    yield _win_rate(block.win_rate)
    yield _ability(block.ability)


def _win_rate(found: WinRateBlock) -> str:
    if found.rate is None:
        return f"win rate of the candidate not estimable: {found.reason}"
    size = words.plural(found.n_verdicts, "verdict")
    rate = f"win rate of the candidate {words.percent(found.rate, n=found.n_verdicts)}"
    if found.interval is None:
        return f"{rate}, ties as half, {size} of both orders; no interval: {found.reason}"
    limits = words.share_interval(found.interval, n=found.n_verdicts)
    return f"{rate} ({limits}), ties as half, {size} of both orders"


def _ability(found: AbilityBlock) -> str:
    if found.log_ability is None or found.interval is None:
        return f"log ability of the candidate not estimable: {found.reason}"
    low, high = found.interval.low, found.interval.high
    model = "Bradley-Terry" if found.log_tie is None else "Davidson"
    level = words.level(found.interval.confidence_level)
    return (
        f"log ability of the candidate over the baseline {found.log_ability:+.2f} "
        f"({level} interval {low:+.2f} to {high:+.2f}, {model}, cluster-robust)"
    )


def _preferred(block: MajorityBlock) -> tuple[tuple[str, ...], ...]:
    def row(name: str, number: int) -> tuple[str, ...]:
        return (
            name,
            words.count(number),
            words.percent(number / block.n_cases, n=block.n_cases) if block.n_cases else "",
        )

    return (
        ("", "cases", "share"),
        row("candidate (gain)", block.gain),
        row("baseline (loss)", block.loss),
        row("neither (tie)", block.both_fail),
        row("all", block.n_cases),
    )
