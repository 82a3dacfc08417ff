"""One side of the split, from its case results to its numbers."""

from collections.abc import Sequence

from harness.analysis.answerers import NOBODY, Answerers
from harness.analysis.anytime import Anytime
from harness.analysis.anytime_blocks import anytime_majority, anytime_mean, anytime_planning
from harness.analysis.estimate import Target, target_of
from harness.analysis.flaky import flaky_block
from harness.analysis.flips import flips_block
from harness.analysis.guardrails import guardrail_blocks
from harness.analysis.majority import majority_block
from harness.analysis.mean import mean_block
from harness.analysis.missing import applicable, missing_blocks, missingness_block
from harness.analysis.planning import planning_block
from harness.analysis.population import population_block
from harness.analysis.preferences import preferences_block
from harness.analysis.reading import primary_block
from harness.analysis.segments import segments_block
from harness.analysis.slices import slice_blocks
from harness.analysis.table import Table, make_table
from harness.analysis.variance import IN_CALLS, CallCosts, JudgeVotes, variance_block
from harness.domain.estimate_blocks import DecisionVerdict, GuardrailBlock, PrimaryBlock
from harness.domain.population_blocks import PopulationBlock
from harness.domain.preferences import Pair
from harness.domain.report import Section
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CaseResult

# What the primary must say for the declared slices to be tested at all.
HOLDING: frozenset[DecisionVerdict] = frozenset({"improvement", "equivalent", "non_inferior"})


def analyse(
    results: Sequence[CaseResult],
    spec: AnalysisSpec,
    *,
    who: Answerers = NOBODY,
    judged: JudgeVotes | None = None,
    costs: CallCosts = IN_CALLS,
    anytime: Anytime | None = None,
    pairs: Sequence[Pair] | None = None,
) -> Section:
    """Compute everything the report says of these cases.

    The caller passes the cases of one split and no others: nothing here can
    look at the other side.

    Args:
        results: The cases, in plan order. None at all is allowed.
        spec: The analysis, decided before the data.
        who: Who answered each call, for runs where that is known.
        judged: The judge's votes, for runs where an answer has more than one.
        costs: What an answer and a vote cost, for the advice on repeats.
        anytime: The design, where the run may have ended after any batch.
        pairs: The compared answers, for runs with a pairwise judge: the cases' passes are preferences.
    """
    kept = [result for result in results if applicable(result)]
    table = make_table(kept, missing=spec.missing)
    rows = table.rows_by_tag()
    target = target_of(spec, anytime)
    primary, guardrails = _deciding(table, target, spec)
    majority = majority_block(table, alpha=spec.alpha)
    mean = mean_block(table, of=spec.primary, alpha=spec.alpha, seed=spec.seed)
    planning = planning_block(table, target, spec, primary)
    return Section(
        primary=primary,
        majority=anytime_majority(majority, table, anytime, spec) if anytime else majority,
        mean=anytime_mean(mean, table, anytime, spec) if anytime else mean,
        missing=missing_blocks(results),
        missingness=missingness_block(table, target, alpha=spec.alpha, compared=pairs is not None),
        n_not_applicable=len(results) - len(kept),
        guardrails=guardrails,
        slices=slice_blocks(table, rows, target, spec, reached=_all_held(primary, guardrails)),
        flaky=flaky_block(table, alpha=spec.alpha, compared=pairs is not None),
        flips=flips_block(table, rows),
        segments=segments_block(table, who, target, alpha=spec.alpha, seed=spec.seed),
        planning=anytime_planning(planning, primary, table, target) if anytime else planning,
        variance=variance_block(table, spec, judged=judged, costs=costs, compared=pairs is not None),
        population=population_block(table, rows, target, spec),
        preferences=None if pairs is None else preferences_block(results, pairs, alpha=spec.alpha),
    )


def deciding(
    results: Sequence[CaseResult], spec: AnalysisSpec, *, anytime: Anytime | None = None
) -> tuple[PrimaryBlock, tuple[GuardrailBlock, ...]]:
    """Return what `analyse` decides by, and nothing that only describes.

    Simulations that run this ten thousand times see what a report would say.
    """
    kept = [result for result in results if applicable(result)]
    return _deciding(make_table(kept, missing=spec.missing), target_of(spec, anytime), spec)


def reweighted(results: Sequence[CaseResult], spec: AnalysisSpec) -> PopulationBlock:
    """Return what `analyse` says at the plan's weights, and nothing else."""
    kept = [result for result in results if applicable(result)]
    table = make_table(kept, missing=spec.missing)
    return population_block(table, table.rows_by_tag(), target_of(spec), spec)


def _deciding(
    table: Table, target: Target, spec: AnalysisSpec
) -> tuple[PrimaryBlock, tuple[GuardrailBlock, ...]]:
    return primary_block(table, target, spec), guardrail_blocks(table, spec, anytime=target.anytime)


def _all_held(primary: PrimaryBlock, guardrails: Sequence[GuardrailBlock]) -> bool:
    return primary.verdict in HOLDING and all(block.status == "pass" for block in guardrails)
