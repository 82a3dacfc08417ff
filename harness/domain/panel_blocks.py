"""What a report says of several judges: each alone, each left out, all together."""

from typing import Literal

from harness.domain.blocks import IntervalBlock
from harness.domain.estimate_blocks import DecisionVerdict
from harness.domain.findings import AgreementFinding, BiasFinding, CanaryFinding, RepeatabilityFinding
from harness.domain.fitness import DifferentialFinding, JudgeFitness
from harness.domain.record import Count, Record, Text


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
