"""What the analysis needs to know of repeats: the judge's votes, and what answers and votes cost."""

from harness.analysis.variance import IN_CALLS, CallCosts, JudgeVotes
from harness.domain.manifest import EndpointUsage, Reading
from harness.domain.plan import Plan
from harness.domain.preferences import Pair, pairs_of


def judge_votes(plan: Plan, reading: Reading) -> JudgeVotes | None:
    """Return the votes on all answers, where each has several: they part the judge's noise from the arms'.

    Of a panel, a vote is what its judges say together in one repeat: plan and reading are seen so.
    Cases with checks have no votes, and a part that not all cases share is no part. A vote on two
    answers is not noise of one arm.
    """
    n_votes = plan.experiment.repeats.votes
    if not plan.judges or plan.is_pairwise or n_votes < 2 or any(case.checks for case in plan.cases):
        return None
    passing = frozenset(plan.judge.passing if plan.judge else ())
    return JudgeVotes(votes=reading.case_votes, passing=passing, n_votes=n_votes)


def compared_pairs(plan: Plan, reading: Reading) -> tuple[Pair, ...] | None:
    """Return both arms' answers as a pairwise judge saw them in both orders; null without such a judge."""
    if plan.judge is None or not plan.is_pairwise:
        return None
    return pairs_of(plan.judge, reading.case_votes, asked=plan.experiment.repeats.votes)


def costs(plan: Plan, reading: Reading) -> CallCosts:
    """Return what an answer of both arms, and a vote on each, has cost; in calls where that is not known."""
    each = {item.endpoint: _each(plan, item) for item in reading.usage if item.n_responses}
    baseline, candidate = each.get("baseline"), each.get("candidate")
    votes = [each.get(judge.endpoint) for judge in plan.judges]
    vote = None if None in votes else sum(cost for cost in votes if cost is not None)
    if baseline is None or candidate is None or vote is None or baseline + candidate + vote == 0:
        return IN_CALLS._replace(vote=IN_CALLS.vote * len(plan.judges))
    return CallCosts(answer=baseline + candidate, vote=2 * vote, unit=plan.experiment.budget.currency)


def _each(plan: Plan, item: EndpointUsage) -> float | None:
    price = plan.endpoint(item.endpoint).price
    if price is None or item.n_unknown:
        return None
    paid = item.prompt_tokens * price.prompt + item.completion_tokens * price.completion
    return paid / 1e6 / item.n_responses
