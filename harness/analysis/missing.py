"""What is missing in each arm, by reason, before any rate."""

from collections import Counter
from collections.abc import Sequence

from harness.domain.cases import ARMS, Arm
from harness.domain.report import Missing
from harness.domain.verdicts import CaseResult


def missing_blocks(results: Sequence[CaseResult]) -> tuple[Missing, ...]:
    """Return one block an arm."""
    return tuple(_missing(results, arm) for arm in ARMS)


def _missing(results: Sequence[CaseResult], arm: Arm) -> Missing:
    answers = [a for result in results for a in (result.baseline if arm == "baseline" else result.candidate)]
    reasons = Counter(answer.reason for answer in answers if answer.reason is not None)
    return Missing(
        arm=arm,
        n_answers=len(answers),
        n_graded=sum(answer.outcome is not None for answer in answers),
        reasons=tuple(sorted(reasons.items())),
    )


def applicable(result: CaseResult) -> bool:
    """Whether the graders apply to the case at all; where none does, it is coverage."""
    answers = (*result.baseline, *result.candidate)
    return not answers or any(answer.reason != "not_applicable" for answer in answers)
