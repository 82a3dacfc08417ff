"""The report: one document, whose JSON Schema is published."""

from typing import Literal

from pydantic import Field

from harness.domain.blocks import Status
from harness.domain.case_blocks import FlakyBlock, FlipsBlock, SegmentsBlock, VarianceBlock
from harness.domain.earlier import EarlierReport
from harness.domain.estimate_blocks import (
    DecisionVerdict,
    GuardrailBlock,
    MajorityBlock,
    MeanBlock,
    Missing,
    MissingnessBlock,
    PlanningBlock,
    PrimaryBlock,
    SliceBlock,
)
from harness.domain.findings import Audits
from harness.domain.fitness import HumanScaleBlock
from harness.domain.panel_blocks import PanelBlock
from harness.domain.population_blocks import PopulationBlock, PreferencesBlock
from harness.domain.record import Count, JsonObject, Record, Sha256, Text, nothing
from harness.domain.specs import JudgeMode
from harness.domain.stopping import SequentialBlock

SCHEMA_VERSION: Literal["1"] = "1"


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
