"""The report: one document, whose JSON Schema is published."""

from typing import Literal

from pydantic import Field

from harness.domain.blocks import IntervalBlock as IntervalBlock
from harness.domain.blocks import Rate as Rate
from harness.domain.blocks import Status as Status
from harness.domain.cases import Outcome, Preference
from harness.domain.earlier import EarlierReport
from harness.domain.fitness import (
    NO_JUDGE,
    AnnotatorTest,
    AnswerFormatEffect,
    AnswerStability,
    ArmsOnEqualTerms,
    BiasEffect,
    DifferentialFinding,
    DriftFinding,
    EarlyLateShift,
    ErrorRates,
    HumanScaleBlock,
    JudgeFitness,
    LengthControlled,
    PositionEffect,
    Stability,
    Verbosity,
    VerbosityRatio,
)
from harness.domain.record import Count, JsonObject, Record, Sha256, Text, nothing
from harness.domain.specs import JudgeMode
from harness.domain.stopping import SequentialBlock

SCHEMA_VERSION: Literal["1"] = "1"

DecisionVerdict = Literal[
    "improvement", "regression", "non_inferior", "equivalent", "inconclusive", "invalid"
]


class MajorityBlock(Record):
    """Each case is its majority verdict. ``difference`` is candidate minus baseline.

    ``interval`` and ``pvalue`` belong together: Tango and mid-p where every
    case stands alone, CR2 where cases share clusters. ``pvalue_exact``,
    ``pvalue_mid`` and ``naive_interval`` take cases for independent.
    """

    n_cases: Count
    n_clusters: Count
    both_pass: Count
    gain: Count
    loss: Count
    both_fail: Count
    no_majority: Count
    baseline_rate: float | None
    candidate_rate: float | None
    difference: float | None
    interval: IntervalBlock | None
    pvalue_exact: float | None
    pvalue_mid: float | None
    pvalue: float | None = None
    naive_interval: IntervalBlock | None = None
    test_and_interval_agree: bool | None = None
    reason: str | None = None


class MeanBlock(Record):
    """Per-case mean of the K repeats. ``difference`` is candidate minus baseline."""

    of: Literal["pass", "score"] = "pass"
    n_cases: Count
    n_clusters: Count
    baseline_mean: float | None
    candidate_mean: float | None
    difference: float | None
    standard_error: float | None
    df: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    pvalue_permutation: float | None
    pvalue_permutation_is_bound: bool = False
    naive_standard_error: float | None
    bootstrap: IntervalBlock | None = None
    bootstrap_reason: str | None = None
    reason: str | None = None


class PrimaryBlock(Record):
    """The estimate the decision rests on.

    ``interval`` decides improvement, regression and non-inferiority;
    ``narrow_interval``, at twice alpha, decides equivalence. ``worst_case``
    and ``best_case`` are its interval with every missing verdict set against,
    or for, the candidate; null where nothing is missing. ``caution`` says where
    the method's domain ends.
    """

    estimand: Literal["majority", "mean"]
    n_cases: Count
    difference: float | None
    interval: IntervalBlock | None
    narrow_interval: IntervalBlock | None = None
    pvalue: float | None
    worst_case: IntervalBlock | None = None
    best_case: IntervalBlock | None = None
    verdict: DecisionVerdict
    reasons: tuple[Text, ...] = ()
    reading: Text
    caution: Text | None = None
    reason: str | None = None


class GuardrailBlock(Record):
    """One guardrail: not worse than its margin, shown or not shown."""

    name: Text
    tag: str | None
    estimand: Literal["majority", "mean"]
    margin: float
    n_cases: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    status: Literal["pass", "fail", "not_estimable"]
    reason: str | None = None


SliceStanding = Literal["confirmed", "not_confirmed", "not_tested", "exploratory"]


class SliceBlock(Record):
    """One tag. Slices outside the plan carry a q-value and never gate.

    Declared slices are tested only where the primary and every guardrail held.
    """

    tag: Text
    declared: bool
    n_cases: Count
    gain: Count
    loss: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    pvalue_adjusted: float | None
    adjustment: Literal["holm", "benjamini-hochberg"] | None
    standing: SliceStanding = "exploratory"
    reason: str | None = None


class Part(Record):
    """One of the three numbers of flakiness. ``contribution`` sums to the headline.

    ``n_cases`` of a cross-fitted part is the mean over its two directions.
    """

    n_cases: float
    difference: float | None
    contribution: float | None


class FlakyBlock(Record):
    """Cases that disagree with themselves, and the headline with and without them."""

    rule: Text
    n_flaky: Count
    headline: Part
    flaky: Part
    stable: Part
    cross_fitted_flaky: Part | None = None
    cross_fitted_stable: Part | None = None
    reflagged_share: float | None = None
    hard_gains: tuple[Text, ...] = ()
    hard_losses: tuple[Text, ...] = ()
    reason: str | None = None


class Flip(Record):
    """One case whose majority verdict differs between the arms."""

    case: Text
    tags: tuple[Text, ...] = ()
    direction: Literal["gain", "loss"]
    baseline_passes: Count
    candidate_passes: Count
    of: Count


class TagFlips(Record):
    """Gains and losses of one tag."""

    tag: Text
    n_cases: Count
    gain: Count
    loss: Count


class FlipsBlock(Record):
    """Which cases changed, and where."""

    by_tag: tuple[TagFlips, ...] = ()
    cases: tuple[Flip, ...] = ()


class Segment(Record):
    """Pairs of answers, asked side by side, that the same two models gave. Gains and losses are pairs."""

    baseline_models: tuple[Text, ...]
    candidate_models: tuple[Text, ...]
    n_cases: Count
    n_pairs: Count
    gain: Count
    loss: Count
    difference: float | None
    interval: IntervalBlock | None
    reason: str | None = None


class CombinedSegments(Record):
    """The segments put together, each by its pairs; the error is what varies within them."""

    n_segments: Count
    n_cases: Count
    n_pairs: Count
    difference: float | None
    interval: IntervalBlock | None
    reason: str | None = None


class HomogeneityBlock(Record):
    """Is the difference the same in every segment? Cochran's Q, its law by permutation."""

    statistic: float | None = None
    n_segments: Count = 0
    n_left_out: Count = 0
    pvalue: float | None = None
    n_resamples: Count = 0
    reason: str | None = None


class SegmentsBlock(Record):
    """Estimates by who answered, combined, and beside the ``pooled`` one of the plan.

    ``n_straddling`` cases have pairs in more than one segment; of ``n_unknown``
    pairs nobody knows who gave an answer, and they are in none.
    """

    segments: tuple[Segment, ...] = ()
    n_straddling: Count = 0
    n_unknown: Count = 0
    combined: CombinedSegments | None = None
    pooled: float | None = None
    homogeneity: HomogeneityBlock | None = None
    reason: str | None = None


class PlanningBlock(Record):
    """Was the set large enough, and how large must the next be. Differences as shares."""

    margin: float
    alpha: float
    power: float
    n_cases: Count
    discordance: float | None
    minimum_detectable_effect: float | None
    n_cases_for_margin: int | None
    smallest_attainable_pvalue: float | None
    information: Literal["no_information", "underpowered", "bounded", "resolved"]
    reason: str | None = None


class Missing(Record):
    """What is missing in one arm, by reason."""

    arm: Literal["baseline", "candidate"]
    n_answers: Count
    n_graded: Count
    reasons: tuple[tuple[str, Count], ...] = ()


class MissingnessBlock(Record):
    """Whether verdicts are missing more often in one arm. ``difference`` is candidate minus baseline."""

    n_cases: Count
    baseline_only: Count
    candidate_only: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    reason: str | None = None


class ComponentBlock(Record):
    """One part of the variance of a case's difference, and its share of the mean's variance."""

    part: Literal["case", "answer", "vote"]
    variance: float | None
    share: float | None
    interval: IntervalBlock | None
    reason: str | None = None


class AllocationBlock(Record):
    """The cheapest repeats of the same cases that reach a standard error; ``cost`` in ``unit``."""

    target_standard_error: float
    n_cases: Count
    n_answers: Count | None
    n_votes: Count | None
    cost: float | None
    unit: Text
    reason: str | None = None


class VarianceBlock(Record):
    """Where the noise of the mean difference comes from.

    A moment estimate may be negative; shares and errors count it as 0. The
    standard errors are those of the mean difference with one answer a case, as
    measured, and with endless answers.
    """

    n_cases: Count
    n_answers: Count
    n_votes: Count
    components: tuple[ComponentBlock, ...] = ()
    standard_error_one_answer: float | None = None
    standard_error_as_measured: float | None = None
    standard_error_endless_answers: float | None = None
    allocation: AllocationBlock | None = None
    reason: str | None = None


class StratumBlock(Record):
    """One part of the target population."""

    tag: Text
    n_cases: Count
    observed_share: float
    target_share: float
    difference: float | None
    interval: IntervalBlock | None


class OpposedSlice(Record):
    """A slice whose sign is not the overall one; at ``break_even_share`` of it the difference is 0."""

    tag: Text
    n_cases: Count
    difference: float
    overall: float
    share: float
    break_even_share: float


class PopulationBlock(Record):
    """The primary difference carried over to the plan's weights, and what the mix decides.

    ``difference`` and what follows are null where the plan gives no weights.
    ``macro`` counts every slice alike, ``micro`` every case. ``opposed`` are
    slices against all other cases.
    """

    weighted_by: Literal["tags", "cases"] | None = None
    n_cases: Count = 0
    n_outside: Count = 0
    difference: float | None = None
    unweighted: float | None = None
    standard_error: float | None = None
    df: float | None = None
    interval: IntervalBlock | None = None
    narrow_interval: IntervalBlock | None = None
    effective_n: float | None = None
    verdict: DecisionVerdict | None = None
    strata: tuple[StratumBlock, ...] = ()
    macro: float | None = None
    micro: float | None = None
    opposed: tuple[OpposedSlice, ...] = ()
    reason: str | None = None


class WinRateBlock(Record):
    """How often the candidate is preferred, ties counting half, over the verdicts of both orders.

    The interval is cluster-robust; both orders of a pair are in one cluster.
    """

    n_verdicts: Count
    rate: float | None
    interval: IntervalBlock | None
    reason: str | None = None


class AbilityBlock(Record):
    """The candidate's log ability, the baseline's being 0: Davidson, without ties Bradley and Terry.

    ``log_tie`` is the logarithm of the tie parameter, null where nothing tied.
    """

    log_ability: float | None
    interval: IntervalBlock | None
    log_tie: float | None
    reason: str | None = None


class PreferencesBlock(Record):
    """What a pairwise judge prefers. A pair is both arms' answers of one repeat, asked in both orders.

    ``ties`` are pairs whose orders both say so, reversals (each order prefers
    the same place, so another answer), and pairs with a tie in one order.
    """

    n_pairs: Count
    n_no_preference: Count
    candidate_preferred: Count
    baseline_preferred: Count
    ties: Count
    ties_in_both_orders: Count
    ties_by_reversal: Count
    win_rate: WinRateBlock
    ability: AbilityBlock


class Section(Record):
    """Everything about one side of the split.

    Where a pairwise judge decided, ``preferences`` stands, and a pass anywhere
    here is a preference: ``gain`` counts cases on which the candidate is
    preferred, ``loss`` the baseline, and ``both_fail`` neither.
    """

    primary: PrimaryBlock
    majority: MajorityBlock
    mean: MeanBlock
    missing: tuple[Missing, ...] = ()
    missingness: MissingnessBlock | None = None
    n_not_applicable: Count = 0
    guardrails: tuple[GuardrailBlock, ...] = ()
    slices: tuple[SliceBlock, ...] = ()
    flaky: FlakyBlock
    flips: FlipsBlock
    segments: SegmentsBlock
    planning: PlanningBlock
    variance: VarianceBlock | None = None
    population: PopulationBlock | None = None
    sequential: SequentialBlock | None = None
    preferences: PreferencesBlock | None = None
    extra: JsonObject = Field(default_factory=nothing)


class CanaryResult(Record):
    """One canary: what was expected, what came. Of two answers, whether the first named one wins."""

    id: Text
    grader: Literal["checks", "judge"]
    kind: Text
    expected: Outcome | Preference
    found: Outcome | Preference | None
    n_votes: Count
    n_as_expected: Count
    survived: bool
    reason: str | None = None


class CanaryFinding(Record):
    """Do the graders catch planted answers, both ways?"""

    status: Status
    n_canaries: Count
    n_survived: Count
    canaries: tuple[CanaryResult, ...] = ()
    reasons: tuple[Text, ...] = ()


class EndpointIdentity(Record):
    """Who answered for one endpoint."""

    endpoint: Text
    asked_model: Text
    expected_model: str | None
    n_calls: Count
    models: tuple[tuple[str, Count], ...]
    fingerprints: tuple[tuple[str, Count], ...]
    providers: tuple[tuple[str, Count], ...] = ()
    n_model_unknown: Count
    n_fingerprint_unknown: Count
    n_changes: Count
    matches: bool | None
    drifted: bool = False
    shares_model_with: tuple[Text, ...] = ()


class RoutingRow(Record):
    """The calls of one endpoint that one identity answered, by tenths of the run in the order of asking."""

    endpoint: Text
    model: str | None
    provider: str | None
    fingerprint: str | None
    n_calls: Count
    by_tenth: tuple[Count, ...]


class RoutingFinding(Record):
    """Did the same models answer from the first call to the last?

    ``by_time`` has the identities of every endpoint that more than one
    answered, up to 50 of each endpoint; ``n_identities_left_out`` counts the rest.
    """

    status: Status
    policy: Literal["fail", "segment", "accept"]
    endpoints: tuple[EndpointIdentity, ...] = ()
    by_time: tuple[RoutingRow, ...] = ()
    n_identities_left_out: Count = 0
    reasons: tuple[Text, ...] = ()


class RepeatabilityFinding(Record):
    """Does the judge repeat itself on the anchors?"""

    status: Status
    n_anchors: Count
    n_votes: Count
    self_agreement: Rate | None = None
    unanimous: Rate | None = None
    early_late: Rate | None = None
    shift: EarlyLateShift | None = None
    flip_rate: Stability | None = None
    slices: tuple[Stability, ...] = ()
    on_answers: AnswerStability | None = None
    least_stable: tuple[tuple[str, float], ...] = ()
    no_verdicts: tuple[tuple[str, Count], ...] = ()
    reasons: tuple[Text, ...] = ()


class ConfusionCell(Record):
    """How often people said one label and the judge another."""

    human: Text
    judge: Text
    n: Count


class AgreementFinding(Record):
    """Does the judge agree with people?"""

    status: Status
    n_anchors: Count
    n_no_human_label: Count
    n_no_judge_label: Count
    agreement: Rate | None = None
    pass_agreement: Rate | None = None
    sensitivity: Rate | None = None
    specificity: Rate | None = None
    kappa: float | None = None
    kappa_interval: IntervalBlock | None = None
    kappa_reason: str | None = None
    gwet_ac1: float | None = None
    gwet_ac1_interval: IntervalBlock | None = None
    kappa_weighted: float | None = None
    kappa_weighted_interval: IntervalBlock | None = None
    gwet_ac2: float | None = None
    gwet_ac2_interval: IntervalBlock | None = None
    error_rates: tuple[ErrorRates, ...] = ()
    human_human: Rate | None = None
    krippendorff_alpha: float | None = None
    krippendorff_alpha_reason: str | None = None
    undisputed: Rate | None = None
    disputed: Rate | None = None
    annotator_test: AnnotatorTest | None = None
    confusion: tuple[ConfusionCell, ...] = ()
    reasons: tuple[Text, ...] = ()


class BiasFinding(Record):
    """Does the judge lean on what should not matter?

    ``same_family`` names the arms of the judge's own model family.
    """

    status: Status
    effects: tuple[BiasEffect, ...] = ()
    position: tuple[PositionEffect, ...] = ()
    on_answers: tuple[AnswerFormatEffect, ...] = ()
    between_arms: tuple[ArmsOnEqualTerms, ...] = ()
    length_controlled: LengthControlled | None = None
    verbosity: tuple[Verbosity, ...] = ()
    verbosity_ratio: VerbosityRatio | None = None
    same_family: tuple[Text, ...] = ()
    reasons: tuple[Text, ...] = ()


class Audits(Record):
    """The audits, and the one verdict on the judge; nothing audited is never trusted."""

    judge: JudgeFitness = NO_JUDGE
    canaries: CanaryFinding
    routing: RoutingFinding
    repeatability: RepeatabilityFinding
    human_agreement: AgreementFinding
    bias: BiasFinding
    differential: DifferentialFinding = DifferentialFinding(status="not_audited")
    drift: DriftFinding = DriftFinding(status="not_audited")


class PanelEstimate(Record):
    """The primary difference as other judges would have it; ``change`` is its distance from the panel's."""

    n_cases: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    verdict: DecisionVerdict
    reasons: tuple[Text, ...] = ()
    change: float | None
    reason: str | None = None


class JudgedArm(Record):
    """What one judge of a panel said of an arm's answers to judged cases, on the side of the split."""

    arm: Literal["baseline", "candidate"]
    n_answers: Count
    n_pass: Count
    n_fail: Count
    no_verdict: tuple[tuple[str, Count], ...] = ()


class JudgeBlock(Record):
    """One judge of a panel: its verdicts, what it would say alone, and what the others say without it."""

    name: Text
    endpoint: Text
    spec: Text
    version: Text
    family: str | None
    same_family: tuple[Text, ...] = ()
    fitness: JudgeFitness
    arms: tuple[JudgedArm, ...]
    alone: PanelEstimate
    without: PanelEstimate
    canaries: CanaryFinding
    repeatability: RepeatabilityFinding
    human_agreement: AgreementFinding
    bias: BiasFinding
    differential: DifferentialFinding


class PanelBlock(Record):
    """The judges of a panel side by side, over the answers to judged cases of one side of the split.

    ``alpha`` is Krippendorff's, of the judges' verdicts of pass or fail on answers.
    """

    basis: Literal["exploratory", "held_out"]
    n_answers: Count
    n_unanimous: Count
    n_no_majority: Count
    alpha: float | None
    alpha_interval: IntervalBlock | None
    alpha_reason: str | None = None
    judges: tuple[JudgeBlock, ...]
    reasons: tuple[Text, ...] = ()


class ArmCompleteness(Record):
    """What one arm was asked and what came of it, over both sides of the split."""

    arm: Literal["baseline", "candidate"]
    n_cases: Count
    n_answers_asked: Count
    n_answers: Count
    n_votes_asked: Count
    n_votes: Count
    n_graded: Count
    answers_missing: tuple[tuple[str, Count], ...] = ()
    votes_missing: tuple[tuple[str, Count], ...] = ()


class Completeness(Record):
    """How much of what was planned is there.

    Calls are counted over both sides of the split; everything else leaves out
    ``n_cases_not_counted`` held-out cases while the split is closed.
    """

    n_calls_planned: Count
    n_calls_answered: Count
    n_cases_not_counted: Count = 0
    arms: tuple[ArmCompleteness, ...] = ()
    unpaired_cases: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()


class RunBlock(Record):
    """The run itself. Times are UTC, ISO 8601."""

    name: Text
    kind: Literal["run", "compare", "audit", "aa"]
    started_at: str | None
    finished_at: str | None
    n_attempts: Count
    n_calls: Count
    n_reused: Count
    prompt_tokens: Count
    completion_tokens: Count
    n_usage_unknown: Count
    cost: float | None
    currency: str | None
    evidence_sha256: Sha256 | None
    timings_sha256: Sha256 | None
    earlier: tuple[EarlierReport, ...] = ()


class ExposureBlock(Record):
    """What was shown of held-out cases before the plan was made, and what that moved.

    ``ledger`` is the last exposure that was known. ``shown`` are the cases that
    the split holds out and that were shown; ``moved`` are these and what
    belongs with them: they count as exploratory.
    """

    ledger: Sha256
    n_shown: Count
    n_moved: Count
    shown: tuple[Text, ...]
    moved: tuple[Text, ...]


class PlanBlock(Record):
    """The plan in short.

    ``judging`` says how many answers a judge is shown at a time; null without
    one. ``exposure`` is null where nothing had been shown.
    """

    sha256: Sha256
    locked: bool
    estimand: Literal["majority", "mean"]
    alpha: float
    margin: float
    answers: Count
    votes: Count
    judging: JudgeMode | None = None
    seed: Count
    n_cases: Count
    n_exploratory: Count
    n_held_out: Count
    n_clusters: Count
    exposure: ExposureBlock | None = None


class InputBlock(Record):
    """One file the report rests on."""

    path: Text
    sha256: Sha256


class EndpointBlock(Record):
    """One endpoint as it was asked."""

    endpoint: Text
    backend: Text
    model: Text
    address: str
    sampling: JsonObject


class GateBlock(Record):
    """One rule of the plan and whether it held."""

    name: Text
    status: Status
    reason: str


class Decision(Record):
    """The sentence that is signed."""

    verdict: DecisionVerdict
    basis: Literal["exploratory", "held_out", "none"]
    sentence: Text
    reasons: tuple[Text, ...]
    gates: tuple[GateBlock, ...]


class Provenance(Record):
    """What made the report."""

    harness_version: Text
    python: Text
    platform: Text
    packages: tuple[tuple[str, str], ...]
    environment_sha256: Sha256 | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    recorded_at: str | None = None
    clock_moved_ms: int | None = None


class Report(Record):
    """``report.json``."""

    schema_version: Literal["1"] = SCHEMA_VERSION
    run: RunBlock
    plan: PlanBlock
    inputs: tuple[InputBlock, ...]
    endpoints: tuple[EndpointBlock, ...]
    completeness: Completeness
    audits: Audits
    exploratory: Section
    held_out: Section | None
    human_scale: HumanScaleBlock | None
    panel: PanelBlock | None = None
    decision: Decision
    methods: tuple[Text, ...]
    notes: tuple[Text, ...]
    provenance: Provenance
