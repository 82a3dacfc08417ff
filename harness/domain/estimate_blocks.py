"""One section's estimates: both estimands, what is declared about them, what is missing."""

from typing import Literal

from harness.domain.blocks import IntervalBlock
from harness.domain.record import Count, Record, Text

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
