"""The report: one document, whose JSON Schema is published."""

from typing import Literal

from pydantic import Field

from harness.domain.record import Count, JsonObject, Record, Sha256, Text, nothing

SCHEMA_VERSION: Literal["1"] = "1"

Status = Literal["pass", "fail", "not_audited"]
DecisionVerdict = Literal[
    "improvement", "regression", "non_inferior", "equivalent", "inconclusive", "invalid"
]


class IntervalBlock(Record):
    """A confidence interval and the method it comes from."""

    low: float
    high: float
    confidence_level: float
    method: Text


class Rate(Record):
    """A count out of a count; ``rate`` is null with a reason where the denominator is 0."""

    n: Count
    of: Count
    rate: float | None
    interval: IntervalBlock | None = None
    reason: str | None = None


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

    ``worst_case`` and ``best_case`` are its interval with every missing
    verdict set against, or for, the candidate; null where nothing is missing.
    """

    estimand: Literal["majority", "mean"]
    n_cases: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    worst_case: IntervalBlock | None = None
    best_case: IntervalBlock | None = None
    verdict: DecisionVerdict
    reasons: tuple[Text, ...] = ()
    reading: Text
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


class SliceBlock(Record):
    """One tag. Slices outside the plan carry a q-value and never gate."""

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
    """Cases whose calls were all answered by the same pair of models."""

    baseline_models: tuple[Text, ...]
    candidate_models: tuple[Text, ...]
    n_cases: Count
    gain: Count
    loss: Count
    difference: float | None
    interval: IntervalBlock | None


class SegmentsBlock(Record):
    """Estimates by who answered. ``n_straddling`` cases had calls in more than one segment."""

    segments: tuple[Segment, ...] = ()
    n_straddling: Count = 0
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


class Section(Record):
    """Everything about one side of the split."""

    primary: PrimaryBlock
    majority: MajorityBlock
    mean: MeanBlock
    missing: tuple[Missing, ...] = ()
    n_not_applicable: Count = 0
    guardrails: tuple[GuardrailBlock, ...] = ()
    slices: tuple[SliceBlock, ...] = ()
    flaky: FlakyBlock
    flips: FlipsBlock
    segments: SegmentsBlock
    planning: PlanningBlock
    extra: JsonObject = Field(default_factory=nothing)


class CanaryResult(Record):
    """One canary: what was expected, what came."""

    id: Text
    grader: Literal["checks", "judge"]
    kind: Text
    expected: Literal["pass", "fail"]
    found: Literal["pass", "fail"] | None
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
    shares_model_with: tuple[Text, ...] = ()


class RoutingFinding(Record):
    """Did the same models answer from the first call to the last?"""

    status: Status
    policy: Literal["fail", "segment", "accept"]
    endpoints: tuple[EndpointIdentity, ...] = ()
    reasons: tuple[Text, ...] = ()


class RepeatabilityFinding(Record):
    """Does the judge repeat itself on the anchors?"""

    status: Status
    n_anchors: Count
    n_votes: Count
    self_agreement: Rate | None = None
    unanimous: Rate | None = None
    early_late: Rate | None = None
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
    human_human: Rate | None = None
    confusion: tuple[ConfusionCell, ...] = ()
    reasons: tuple[Text, ...] = ()


class BiasFinding(Record):
    """Does the judge lean on what should not matter?"""

    status: Status
    reasons: tuple[Text, ...] = ()


class Audits(Record):
    """The audits; nothing audited is never trusted."""

    canaries: CanaryFinding
    routing: RoutingFinding
    repeatability: RepeatabilityFinding
    human_agreement: AgreementFinding
    bias: BiasFinding


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
    kind: Literal["run", "compare", "audit"]
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


class PlanBlock(Record):
    """The plan in short."""

    sha256: Sha256
    locked: bool
    estimand: Literal["majority", "mean"]
    alpha: float
    margin: float
    answers: Count
    votes: Count
    seed: Count
    n_cases: Count
    n_exploratory: Count
    n_held_out: Count
    n_clusters: Count


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
    git_commit: str | None = None
    git_dirty: bool | None = None


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
    human_scale: JsonObject | None
    decision: Decision
    methods: tuple[Text, ...]
    notes: tuple[Text, ...]
    provenance: Provenance
