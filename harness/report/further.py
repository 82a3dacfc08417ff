"""What else a section says, as titled lines: noise, weights, what is missing more in one arm."""

from collections.abc import Iterator

from harness.domain.blocks import IntervalBlock
from harness.domain.case_blocks import AllocationBlock, VarianceBlock
from harness.domain.estimate_blocks import MissingnessBlock, PrimaryBlock
from harness.domain.population_blocks import PopulationBlock
from harness.domain.report import Section
from harness.domain.stopping import SequentialBlock, written_evalue
from harness.report import words
from harness.report.preferences import preference_lines
from harness.report.rows import limits
from harness.report.segment_lines import segment_lines

Titled = tuple[str, tuple[str, ...]]

_PARTS = {"case": "between cases", "answer": "between answers", "vote": "between votes"}
_MOST_OPPOSED = 10


def further(section: Section) -> tuple[Titled, ...]:
    """Return what is worth a line; blocks that say nothing are left out."""
    score = section.primary.estimand == "mean" and section.mean.of == "score"
    found = (
        ("preferences", tuple(preference_lines(section.preferences))),
        ("early stopping", tuple(_stop(section.sequential))),
        ("equivalence", tuple(_narrow(section.primary, margin=section.planning.margin, score=score))),
        ("missing in one arm", tuple(_missingness(section.missingness))),
        ("noise", tuple(_noise(section.variance))),
        ("weights", tuple(_weights(section.population, score=score))),
        ("models that answered", tuple(segment_lines(section.segments))),
        ("opposed slices", tuple(_opposed(section.population, score=score))),
    )
    return tuple((title, lines) for title, lines in found if lines)


def _stop(block: SequentialBlock | None) -> Iterator[str]:
    if block is None:
        return
    ended = {
        "evidence": "ended by the evidence, as the plan declares",
        "n_max": "asked to the end: the evidence did not reach what ends a run before",
        "not_ended": "broken off before its end, not by the declared rule: what was not asked is missing",
    }[block.ended]
    yield (
        f"{ended}: {written_evalue(block)}, {block.threshold:g} ends a run; "
        f"{block.n_batches} of {words.plural(block.n_batches_planned, 'batch', 'batches')}, "
        f"{words.count(block.n_cases)} of {words.plural(block.n_cases_planned, 'case')} asked, "
        f"{words.count(block.n_cases_not_asked)} not"
    )


def _narrow(block: PrimaryBlock, *, margin: float, score: bool) -> Iterator[str]:
    if block.narrow_interval is not None and block.verdict == "equivalent":
        level = words.level(block.narrow_interval.confidence_level)
        found = limits(block.narrow_interval, n=block.n_cases, score=score, marks=(-margin, margin))
        yield f"decided by the {level} interval {found}: two one-sided tests"
    if block.caution is not None:
        yield block.caution


def _missingness(block: MissingnessBlock | None) -> Iterator[str]:
    if block is None or not (block.baseline_only or block.candidate_only):
        return
    interval = _interval(block.interval, n=block.n_cases) if block.interval else "no interval"
    yield (
        f"{words.plural(block.candidate_only, 'case')} in the candidate only, "
        f"{words.count(block.baseline_only)} in the baseline only: "
        f"{_points(block.difference, n=block.n_cases)}, {interval}, n = {words.count(block.n_cases)} cases"
    )
    if block.reason is not None:
        yield block.reason


def _noise(block: VarianceBlock | None) -> Iterator[str]:
    if block is None or not block.components:
        return
    shares = [
        f"{_PARTS[part.part]} {words.percent(part.share, n=100)}"
        for part in block.components
        if part.share is not None
    ]
    yield f"of the variance of the mean: {', '.join(shares) or 'nothing varies'}"
    errors = (
        (block.standard_error_one_answer, "with one answer"),
        (block.standard_error_as_measured, f"with the {block.n_answers} there are"),
        (block.standard_error_endless_answers, "with endless answers"),
    )
    yield "standard error " + ", ".join(
        f"{100 * error:.2g} points {when}" for error, when in errors if error is not None
    )
    if block.allocation is not None:
        yield _advice(block.allocation)


def _advice(block: AllocationBlock) -> str:
    if block.n_answers is None:
        return f"to show the margin: {block.reason}"
    votes = f" of {words.plural(block.n_votes, 'vote')}" if block.n_votes and block.n_votes > 1 else ""
    cost = f"{words.count(round(block.cost))} calls" if block.unit == "calls" and block.cost else ""
    price = cost or f"{block.cost:.2f} {block.unit}"
    answers = words.plural(block.n_answers, "answer")
    return f"to show the margin with these cases: {answers}{votes} a case, {price}"


def _weights(block: PopulationBlock | None, *, score: bool) -> Iterator[str]:
    if block is None or block.weighted_by is None:
        return
    by = {"tags": "the plan's shares of tags", "cases": "the cases' weights"}[block.weighted_by]
    if block.difference is None:
        yield f"by {by} not estimable: {block.reason}"
        return
    found = f"by {by} {_points(block.difference, n=block.n_cases, score=score)}"
    if block.interval is None:
        yield f"{found}, no interval: {block.reason}"
    else:
        limits_ = _interval(block.interval, n=block.n_cases, score=score)
        yield f"{found}, {limits_}, n = {words.count(block.n_cases)} cases, worth {_effective(block)}"
    if block.strata:
        yield "; ".join(
            f"{stratum.tag} {words.percent(stratum.observed_share, n=100)} of the cases, "
            f"{words.percent(stratum.target_share, n=100)} of the target"
            for stratum in block.strata
        )


def _effective(block: PopulationBlock) -> str:
    return "an unknown number" if block.effective_n is None else words.count(round(block.effective_n))


def _opposed(block: PopulationBlock | None, *, score: bool) -> Iterator[str]:
    if block is None:
        return
    for found in block.opposed[:_MOST_OPPOSED]:
        theirs = _points(found.difference, n=found.n_cases, score=score)
        share, turn = (words.percent(part, n=100) for part in (found.share, found.break_even_share))
        yield (
            f"{found.tag}: {theirs} where all cases have {_points(found.overall, n=100, score=score)}; "
            f"they are {share} of the cases, at {turn} the difference is 0"
        )
    if len(block.opposed) > _MOST_OPPOSED:
        yield f"{words.count(len(block.opposed) - _MOST_OPPOSED)} more"


def _interval(interval: IntervalBlock, *, n: int, score: bool = False) -> str:
    found = limits(interval, n=n, score=score)
    return f"{words.level(interval.confidence_level)} interval {found} ({words.method_name(interval.method)})"


def _points(value: float | None, *, n: int, score: bool = False) -> str:
    if value is None:
        return "not estimable"
    if score:
        return f"{value:+.3g} on the score"
    return f"{words.points(value, words.digits([value], n=n))} points"
