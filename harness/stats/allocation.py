"""How many cases, answers and votes buy a wanted precision at the least cost."""

import math
from typing import NamedTuple

from harness.stats.estimability import NotEstimable
from harness.stats.requires import require_number, require_positive_count


class Variances(NamedTuple):
    """Variance components of the paired difference, both arms together, none below 0.

    Attributes:
        case: Between cases, of the true difference.
        answer: Between answers to one case.
        vote: Between votes on one answer.
    """

    case: float
    answer: float
    vote: float


class Costs(NamedTuple):
    """What one more of each costs for both arms together, in any currency, none below 0.

    Attributes:
        case: One case, without its answers.
        answer: One answer of each arm, without its votes.
        vote: One vote on an answer of each arm.
    """

    case: float
    answer: float
    vote: float


class Allocation(NamedTuple):
    """A size of a run.

    Attributes:
        n_cases: Cases.
        n_answers: Answers of each arm to each case.
        n_votes: Votes on each answer.
        cost: Of the whole run.
        standard_error: Of the mean difference that it will give.
    """

    n_cases: int
    n_answers: int
    n_votes: int
    cost: float
    standard_error: float


def cheapest_allocation(
    *,
    variances: Variances,
    costs: Costs,
    target_standard_error: float,
    max_cases: int | None,
    max_answers: int,
    max_votes: int,
) -> Allocation | NotEstimable:
    """Find the cheapest run whose mean difference has the wanted standard error.

    All numbers of answers and votes are tried; each needs a number of cases. Among equally
    cheap runs the one with more cases, then fewer votes, wins.

    Args:
        variances: Components; negative moment estimates belong in as 0.
        costs: Of one more case, answer and vote.
        target_standard_error: Wanted, above 0.
        max_cases: Cases there are. None: as many as needed.
        max_answers: Most answers of an arm to a case.
        max_votes: Most votes on an answer.

    Returns:
        The run; not estimable when no allowed run reaches the precision.

    Raises:
        ValueError: A component or a cost below 0, or a target or a limit not above 0.
    """
    _require_non_negative(variances, "variances")
    _require_non_negative(costs, "costs")
    target = require_number("target_standard_error", target_standard_error)
    if target <= 0:
        raise ValueError(f"target_standard_error must be above 0, found {target}")
    runs = [
        _smallest_run(variances, costs, target, n_answers=n_answers, n_votes=n_votes)
        for n_answers in range(1, require_positive_count("max_answers", max_answers) + 1)
        for n_votes in range(1, require_positive_count("max_votes", max_votes) + 1)
    ]
    affordable = [run for run in runs if max_cases is None or run.n_cases <= max_cases]
    if not affordable:
        fewest = min(runs, key=lambda run: run.n_cases)
        return NotEstimable(
            f"a standard error of {target:g} needs {fewest.n_cases} cases even with {fewest.n_answers} "
            f"answers and {fewest.n_votes} votes; there are {max_cases}"
        )
    return min(affordable, key=lambda run: (run.cost, -run.n_cases, run.n_votes))


def best_repeats(*, variances: Variances, costs: Costs) -> tuple[float, float]:
    """Return the numbers of answers and of votes that minimise variance times cost.

    Not whole numbers; infinite where a repeat is free, or where the level above it adds no
    variance, and 0 where the repeat has none to average.

    Raises:
        ValueError: A component or a cost below 0.

    References:
        The Cauchy-Schwarz optimum of nested sampling: Cochran (1977), Sampling Techniques,
        section 10.6.
    """
    _require_non_negative(variances, "variances")
    _require_non_negative(costs, "costs")
    answers = _root_ratio(variances.answer * costs.case, variances.case * costs.answer)
    votes = _root_ratio(variances.vote * costs.answer, variances.answer * costs.vote)
    return answers, votes


def _smallest_run(
    variances: Variances, costs: Costs, target: float, *, n_answers: int, n_votes: int
) -> Allocation:
    per_case = variances.case + (variances.answer + variances.vote / n_votes) / n_answers
    # The tolerance keeps rounding from buying one case more than the formula asks for.
    n_cases = max(math.ceil(per_case / target**2 - 1e-9), 1)
    price = costs.case + n_answers * (costs.answer + n_votes * costs.vote)
    return Allocation(
        n_cases=n_cases,
        n_answers=n_answers,
        n_votes=n_votes,
        cost=n_cases * price,
        standard_error=math.sqrt(per_case / n_cases),
    )


def _root_ratio(numerator: float, denominator: float) -> float:
    if numerator == 0:
        return 0.0
    return math.inf if denominator == 0 else math.sqrt(numerator / denominator)


def _require_non_negative(values: Variances | Costs, name: str) -> None:
    for field, value in zip(values._fields, values, strict=True):
        if require_number(f"{name}.{field}", value) < 0:
            raise ValueError(f"{name}.{field} must not be negative, found {value}")
