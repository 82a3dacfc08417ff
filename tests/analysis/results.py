"""Case results made by hand for the tests of the analysis."""

from collections.abc import Sequence

from harness.domain.verdicts import CaseResult, Graded, graded


def answers(passes: Sequence[int | None]) -> tuple[Graded, ...]:
    """1 passes, 0 fails, None has no verdict."""
    return tuple(
        graded(None, "unreadable") if passed is None else graded("pass" if passed else "fail")
        for passed in passes
    )


def case(
    name: str,
    baseline: Sequence[int | None],
    candidate: Sequence[int | None],
    *,
    cluster: str | None = None,
    tags: tuple[str, ...] = (),
) -> CaseResult:
    return CaseResult(
        case=name,
        cluster=cluster or name,
        tags=tags,
        weight=1.0,
        split="exploratory",
        baseline=answers(baseline),
        candidate=answers(candidate),
    )


def table_of(*, both: int, gain: int, loss: int, neither: int) -> list[CaseResult]:
    """One answer a case and arm, with the four cells given."""
    cells = [([1], [1])] * both + [([0], [1])] * gain + [([1], [0])] * loss + [([0], [0])] * neither
    return [case(f"c{number}", was, now) for number, (was, now) in enumerate(cells)]
