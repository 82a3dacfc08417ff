"""Bias in words: on anchors, on the arms' own answers, and how long these are."""

from collections.abc import Iterator

from harness.domain.findings import BiasFinding
from harness.domain.fitness import (
    AnswerFormatEffect,
    ArmsOnEqualTerms,
    BiasEffect,
    Effect,
    LengthControlled,
    PositionEffect,
    Verbosity,
    VerbosityRatio,
)
from harness.domain.specs import JudgeMode
from harness.report import words

_FORMATS = {"markdown": "with Markdown", "lists": "with a list"}


def bias_lines(finding: BiasFinding, *, judging: JudgeMode | None = None) -> tuple[str, ...]:
    """Return what the order does, the effects, the win rate at equal length, and the lengths."""
    said = (
        "preferred {} more often at equal preference of people"
        if judging == "pairwise"
        else "passed {} more often at equal human label"
    )
    return (
        *(line for effect in finding.position for line in position_lines(effect)),
        *(_on_anchors(effect, said) for effect in finding.effects),
        *(_on_answers(row, said.partition(" ")[0]) for row in finding.on_answers),
        *map(_between_arms, finding.between_arms),
        *_lengths(finding.length_controlled),
        *(line for arm in finding.verbosity for line in _verbosity(arm)),
        *_ratio(finding.verbosity_ratio),
    )


def position_lines(effect: PositionEffect) -> Iterator[str]:
    """Yield how often the orders agree, where reversed pairs go, and the net share of the first place."""
    yield f"position, {effect.of}: same in both orders {words.rate(effect.consistent)}"
    test = f" ({words.pvalue(effect.pvalue)})" if effect.pvalue is not None and effect.to_first.of else ""
    yield (
        f"position, {effect.of}: reversed {words.rate(effect.reversed)}; "
        f"of those to the first place {words.rate(effect.to_first)}{test}"
    )
    if effect.difference is not None:
        limits, pairs = words.bracketed(effect.interval), words.plural(effect.n_pairs, "pair")
        yield (
            f"position, {effect.of}: to the first place {effect.difference:+.3f} more often than the second"
            f"{limits}, {pairs}, {_band(effect.band)}"
        )


def _on_anchors(effect: BiasEffect, said: str) -> str:
    size = f"{words.count(effect.n_inside)} inside, {words.count(effect.n_outside)} outside"
    if effect.difference is None:
        return f"{effect.of}: {effect.group}: not estimable: {effect.reason} ({size})"
    limits = words.bracketed(effect.interval)
    return (
        f"{effect.of}: {effect.group}: {said.format(f'{effect.difference:+.3f}')}"
        f"{limits}, {size}, {_band(effect.band)}"
    )


def _on_answers(row: AnswerFormatEffect, said: str) -> str:
    size = f"{words.count(row.n_formatted)} of them, {words.count(row.n_plain)} others"
    return (
        f"{row.of}, {row.arm}'s own answers {_FORMATS[row.of]}: {said} {_effect(row.raw)} more often, "
        f"at equal length {_effect(row.at_equal_length)}; {size}, {_band(row.band)}"
    )


def _between_arms(row: ArmsOnEqualTerms) -> str:
    shares = ""
    if row.baseline_share is not None and row.candidate_share is not None:
        shares = f" ({row.baseline_share:.0%} of the baseline's answers, {row.candidate_share:.0%})"
    return (
        f"difference of the arms {_effect(row.raw)}, {row.terms}{shares} {_effect(row.equal)}: "
        f"{_effect(row.shift)} goes with that; {words.plural(row.n_cases, 'case')}, {_band(row.band)}"
    )


def _lengths(found: LengthControlled | None) -> Iterator[str]:
    if found is None or found.raw_win_rate is None:
        return
    controlled = (
        f"not estimable: {found.reason}"
        if found.win_rate is None
        else f"{found.win_rate:.3f}{words.bracketed(found.interval)}"
    )
    shift = "" if found.shift.difference is None else f", {_effect(found.shift)} goes with length"
    yield (
        f"win rate as judged {found.raw_win_rate:.3f}, at equal length {controlled}{shift}, "
        f"{words.plural(found.n_pairs, 'pair')}, {_band(found.band)}"
    )


def _verbosity(arm: Verbosity) -> Iterator[str]:
    if arm.mean_chars is not None and arm.median_chars is not None:
        average = f"mean {arm.mean_chars:.0f}{words.bracketed(arm.interval, digits=0)}"
        yield f"length, {arm.arm}: {average}, median {arm.median_chars:.0f} characters"


def _ratio(found: VerbosityRatio | None) -> Iterator[str]:
    if found is not None and found.ratio is not None:
        yield (
            f"the candidate's answers are {found.ratio:.2f} times as long"
            f"{words.bracketed(found.interval, digits=2)}, {words.plural(found.n_cases, 'case')}, "
            f"{_band(found.band)}"
        )


def _effect(effect: Effect) -> str:
    if effect.difference is None:
        return f"(not estimable: {effect.reason})"
    return f"{effect.difference:+.3f}{words.bracketed(effect.interval)}"


def _band(band: float | None) -> str:
    return "no band declared" if band is None else f"band {band:g}"
