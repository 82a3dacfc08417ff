"""What a section says of its cases and repeats: flaky ones, flips, segments, variance."""

from typing import Literal

from harness.domain.blocks import IntervalBlock
from harness.domain.record import Count, Record, Text


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
