"""Completeness, flips, flakiness, planning and the run in words."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.domain.case_blocks import FlakyBlock, Flip, Part
from harness.domain.estimate_blocks import MajorityBlock, PlanningBlock
from harness.domain.report import Completeness, Decision, PlanBlock, Report, Section
from harness.report import words

_INFORMATION = {
    "no_information": "no information: no outcome of this set could have been significant",
    "underpowered": "underpowered: the set is too small to see the margin",
    "bounded": "bounded: a difference as large as the margin is ruled out, at least to one side",
    "resolved": "resolved: the interval lies on one side of zero",
}


class MissingRow(NamedTuple):
    """One arm: what was asked, what came, what has no verdict and why."""

    arm: str
    answers: str
    votes: str
    graded: str
    without: str


def missing_rows(completeness: Completeness) -> tuple[MissingRow, ...]:
    """Return one row an arm. A failed answer's votes are never asked, so the causes stand apart."""
    return tuple(
        MissingRow(
            arm=arm.arm,
            answers=words.out_of(arm.n_answers, arm.n_answers_asked),
            votes=words.out_of(arm.n_votes, arm.n_votes_asked),
            graded=words.out_of(arm.n_graded, arm.n_answers_asked),
            without=f"answers: {words.tally(arm.answers_missing)}; votes: {words.tally(arm.votes_missing)}",
        )
        for arm in completeness.arms
    )


def is_decision_alone(report: Report) -> bool:
    """Return whether a look released the decision of the held-out cases, and no number of them."""
    return report.decision.basis == "held_out" and report.held_out is None


def how_closed(report: Report) -> str:
    """Return what was released of held-out cases that no number shows."""
    return "opened for the decision alone" if is_decision_alone(report) else "not opened"


def not_counted(report: Report) -> str:
    """Return how many closed held-out cases the counts leave out; nothing where there are none."""
    number = report.completeness.n_cases_not_counted
    return (
        f"{words.plural(number, 'held-out case')} {how_closed(report)} and not counted here" if number else ""
    )


def further_reasons(decision: Decision) -> tuple[str, ...]:
    """Return the reasons that the decision's sentence does not give already."""
    return tuple(reason for reason in decision.reasons if reason not in decision.sentence)


def section_missing(section: Section) -> tuple[str, ...]:
    """Return one line an arm about the answers of this section that have no verdict."""
    arms = tuple(
        f"{arm.arm}: {words.out_of(arm.n_answers - arm.n_graded, arm.n_answers)} answers without a verdict"
        + (f" ({words.tally(arm.reasons)})" if arm.reasons else "")
        for arm in section.missing
    )
    if not section.n_not_applicable:
        return arms
    return (*arms, f"{words.plural(section.n_not_applicable, 'case')} to which the metric does not apply")


def verdict_table(block: MajorityBlock) -> tuple[tuple[str, str, str, str], ...]:
    """Return the gain and loss table with its totals, head first."""
    passes, fails = block.both_pass + block.gain, block.loss + block.both_fail
    count = words.count
    return (
        ("", "candidate passes", "candidate fails", "all"),
        (
            "baseline passes",
            count(block.both_pass),
            f"{count(block.loss)} (loss)",
            count(block.both_pass + block.loss),
        ),
        (
            "baseline fails",
            f"{count(block.gain)} (gain)",
            count(block.both_fail),
            count(block.gain + block.both_fail),
        ),
        ("all", count(passes), count(fails), count(passes + fails)),
    )


def planning_lines(planning: PlanningBlock, *, n_cases: int) -> tuple[str, ...]:
    """Return whether the set was large enough, and how large the next must be."""
    margin = f"margin {_size(planning.margin, n=n_cases)}"
    if planning.minimum_detectable_effect is None:
        effect = f"smallest detectable effect not estimable: {planning.reason or 'nothing to plan from'}"
    else:
        effect = (
            f"smallest effect seen with {words.percent(planning.power, n=0)} power: "
            f"{_size(planning.minimum_detectable_effect, n=n_cases)} "
            f"(alpha {planning.alpha:g}, {words.plural(planning.n_cases, 'case')}{_discordance(planning)})"
        )
    lines = [f"{margin}; {effect}"]
    if planning.n_cases_for_margin is not None:
        lines.append(f"to see the margin: {words.plural(planning.n_cases_for_margin, 'case')}")
    if planning.smallest_attainable_pvalue is not None:
        smallest = words.pvalue(planning.smallest_attainable_pvalue)
        lines.append(f"smallest p-value this set could reach: {smallest}")
    return (*lines, _INFORMATION[planning.information])


def flaky_lines(flaky: FlakyBlock, *, n_cases: int) -> tuple[str, ...]:
    """Return the three numbers of flakiness; the contributions add up to the headline."""
    count = f"{words.out_of(flaky.n_flaky, round(flaky.headline.n_cases))} cases are flaky: {flaky.rule}"
    if flaky.headline.difference is None:
        return (count, f"not estimable: {flaky.reason or 'no case to split'}")
    parts = (
        f"mean of repeats {_points(flaky.headline.difference, n=n_cases)} = "
        f"{_contribution(flaky.flaky, n=n_cases)} from flaky + "
        f"{_contribution(flaky.stable, n=n_cases)} from stable cases"
    )
    hard = (
        f"changed without any disagreement: {words.plural(len(flaky.hard_gains), 'gain')}, "
        f"{words.count(len(flaky.hard_losses))} {'loss' if len(flaky.hard_losses) == 1 else 'losses'}"
    )
    return (count, parts, *_cross_fitted(flaky, n_cases=n_cases), hard)


def _cross_fitted(flaky: FlakyBlock, *, n_cases: int) -> tuple[str, ...]:
    if flaky.cross_fitted_flaky is None or flaky.cross_fitted_stable is None:
        return ()
    again = ""
    if flaky.reflagged_share is not None:
        again = (
            f"; {words.percent(flaky.reflagged_share, n=flaky.n_flaky)} are flaky in the other repeats too"
        )
    # Cases picked and measured by the same repeats look more extreme than they are.
    return (
        f"cross-fitted, flaky in some repeats and measured in others: "
        f"{_contribution(flaky.cross_fitted_flaky, n=n_cases)} from flaky, "
        f"{_contribution(flaky.cross_fitted_stable, n=n_cases)} from stable cases{again}",
    )


def top_flips(flips: Sequence[Flip], *, most: int) -> tuple[Flip, ...]:
    """Return the clearest flips, losses first, with room for both directions."""
    clearest = sorted(flips, key=lambda flip: (-abs(flip.candidate_passes - flip.baseline_passes), flip.case))
    losses = [flip for flip in clearest if flip.direction == "loss"]
    gains = [flip for flip in clearest if flip.direction == "gain"]
    n_losses = max(most // 2, most - len(gains))
    n_gains = most - min(n_losses, len(losses))
    return (*losses[:n_losses], *gains[:n_gains])


def votes_text(plan: PlanBlock) -> str:
    """Return how often the judge was asked about what it is shown at a time."""
    shown = "pair in each order" if plan.judging == "pairwise" else "answer"
    return f"{words.plural(plan.votes, 'vote')} {'a' if plan.judging == 'pairwise' else 'an'} {shown}"


def run_line(report: Report) -> str:
    """Return what the run took: calls, tokens, cost."""
    run = report.run
    cost = "cost not known" if run.cost is None else f"cost {run.cost:.2f} {run.currency or ''}".rstrip()
    unknown = f" ({words.count(run.n_usage_unknown)} calls uncounted)" if run.n_usage_unknown else ""
    return (
        f"{words.plural(run.n_calls, 'call')}, {words.count(run.n_reused)} reused, "
        f"{words.plural(run.n_attempts, 'attempt')}; "
        f"{words.count(run.prompt_tokens)} prompt and {words.count(run.completion_tokens)} completion tokens"
        f"{unknown}, {cost}"
    )


def _discordance(planning: PlanningBlock) -> str:
    if planning.discordance is None:
        return ""
    return f", {words.percent(planning.discordance, n=planning.n_cases)} of verdicts differ"


def _size(share: float, *, n: int) -> str:
    return f"{words.points(share, words.digits([share], n=max(n, 100))).lstrip('+')} points"


def _points(share: float, *, n: int) -> str:
    return f"{words.points(share, words.digits([share], n=n))} points"


def _contribution(part: Part, *, n: int) -> str:
    if part.contribution is None:
        return "none"
    return f"{words.points(part.contribution, words.digits([part.contribution], n=n))}"
