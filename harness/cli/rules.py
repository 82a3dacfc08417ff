"""What the code decides beside the plan's settings; frozen with it, printed with every report."""

from collections.abc import Mapping

from harness.domain.plan import Plan
from harness.graders.arm_prompt import arm_template_problem
from harness.graders.checks import check_problem
from harness.graders.judge_request import judge_prompt_problem, judge_value_problem
from harness.graders.probes import judge_probes
from harness.graders.reply import judge_problem
from harness.inputs.rules import GraderRules

RULES: dict[str, str] = {
    "majority": (
        "a case passes where more than half of the answers asked for pass; exact and mid-p McNemar; "
        "Tango score interval, no narrower than the exact binomial one where a cell is empty; with clusters "
        "the plus-two interval on CR2 with Satterthwaite df, no narrower than the score at effective counts"
    ),
    "mean": (
        "the mean of the graded repeats of each case; plus-two interval on the CR2 standard error, no "
        "narrower than the score at effective counts, of scores the t interval; "
        "exact sign-flip permutation; exact percentile bootstrap from 100 cases or 40 clusters on"
    ),
    "ties": "a case without a majority in an arm is in neither gain nor loss, and is counted",
    "decision": "intervals against the margin; equivalence by two one-sided tests at alpha",
    "guardrails": "non-inferiority at alpha each, all of them, by the interval of their estimand",
    "pairs": (
        "two answers are compared in both orders, each settled by its votes; orders that differ are a tie; "
        "a win is a gain, a loss a loss, a tie neither, so that McNemar is the sign test"
    ),
    "clusters": (
        "below 6 clusters no interval; below 6 degrees of freedom a difference must also pass the sign "
        "flips of whole clusters, and nothing is ruled out"
    ),
    "weights": "post-stratified by tag, or by case; inconclusive where they change the verdict",
    "slices": "Holm for the declared ones; Benjamini-Hochberg q-values for the rest, which never gate",
    "missing": "counted first, then left out, then all set against and all set for the candidate",
    "sequential": (
        "a plan with [sequential] ends once the e-value against no difference reaches 1 / alpha: bets mixed "
        "over Beta(2, 2), one cluster one observation; its intervals are the confidence sequences of these"
    ),
    "votes": "a label is read into pass or fail first; more than half of the votes asked for decide",
}

PANEL_RULES: dict[str, str] = {
    "panel": (
        "each judge's votes decide its verdict, more than half of the judges asked decide the panel's; one "
        "unfit judge makes the panel unfit; Krippendorff's alpha with whole clusters of cases drawn anew"
    ),
}

GRADER_RULES = GraderRules(
    check_problem=check_problem,
    judge_problem=judge_problem,
    judge_prompt_problem=judge_prompt_problem,
    judge_value_problem=judge_value_problem,
    arm_template_problem=arm_template_problem,
    judge_probes=judge_probes,
)


def rules_of(plan: Plan) -> dict[str, str]:
    """Return the rules that a plan rests on."""
    return RULES | PANEL_RULES if plan.panel else RULES


def methods(rules: Mapping[str, str] = RULES) -> tuple[str, ...]:
    """Return the rules as the report prints them."""
    return tuple(f"{name}: {rule}" for name, rule in rules.items())
