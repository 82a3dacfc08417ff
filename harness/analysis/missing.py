"""What is missing in each arm, by reason, before any rate."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter

from harness.domain.cases import ARMS, Arm
from harness.domain.report import Missing
from harness.domain.verdicts import CaseResult, Graded


def missing_blocks(results: Sequence[CaseResult]) -> tuple[Missing, ...]:
    """Return one block an arm."""
    return tuple(_missing(results, arm) for arm in ARMS)


def _missing(results: Sequence[CaseResult], arm: Arm) -> Missing:
    grades = Counter(chain.from_iterable(map(attrgetter(arm), results)))
    reasons: Counter[str] = Counter()
    for grade, n in grades.items():
        if grade.reason is not None:
            reasons[grade.reason] += n
    return Missing(
        arm=arm,
        n_answers=grades.total(),
        n_graded=grades.total() - reasons.total(),
        reasons=tuple(sorted(reasons.items())),
    )


def applicable(result: CaseResult) -> bool:
    """Whether the graders apply to the case at all; where none does, it is coverage."""
    answers = (*result.baseline, *result.candidate)
    return not answers or answers[0].reason != "not_applicable" or any(map(_applies, answers))


def _applies(answer: Graded) -> bool:
    return answer.reason != "not_applicable"
