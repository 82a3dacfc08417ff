"""What the audits of a run found, and what stands behind it."""

from typing import Literal

from harness.domain.blocks import IntervalBlock, Rate, Status
from harness.domain.cases import Outcome, Preference
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
    JudgeFitness,
    LengthControlled,
    PositionEffect,
    Stability,
    Verbosity,
    VerbosityRatio,
)
from harness.domain.record import Count, Record, Text


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
