"""What the audits of a judge come to: one verdict, and the findings behind it."""

from typing import Annotated, Literal

from pydantic import Field

from harness.domain.blocks import IntervalBlock, Rate, Status
from harness.domain.cases import Arm
from harness.domain.history import HistoryBlock
from harness.domain.record import Count, Record, Text
from harness.domain.specs import nobody

Fitness = Literal["fit", "unfit", "not_audited"]
DriftVerdict = Literal["drift", "stable", "not_shown", "not_audited"]
Attribution = Literal["judge_changed", "backend_changed", "both_changed", "neither_changed", "cannot_tell"]


class FitnessPart(Record):
    """One audit as it counts for the judge. Without a ``needed`` one no judge is fit."""

    name: Text
    status: Status
    needed: bool
    reasons: tuple[Text, ...] = ()


class JudgeFitness(Record):
    """The one verdict on the judge. ``needed`` says whether any verdict of the run rests on it."""

    status: Fitness
    needed: bool
    parts: tuple[FitnessPart, ...] = ()
    reasons: tuple[Text, ...] = ()


NO_JUDGE = JudgeFitness(
    status="not_audited", needed=False, reasons=("no_judge: no verdict here was asked of a judge",)
)
"""What stands where no verdict rests on a judge that could be audited."""


class Stability(Record):
    """How often two votes on one item differ, in one group of items."""

    of: Text
    n_items: Count
    flip_rate: float | None
    interval: IntervalBlock | None
    reason: str | None = None


class AnswerStability(Record):
    """How the judge repeats itself on the arms' own answers to exploratory cases; clusters are the unit."""

    n_answers: Count
    self_agreement: Rate
    unanimous: Rate
    flip_rate: Stability
    slices: tuple[Stability, ...] = ()
    least_stable: tuple[tuple[str, float], ...] = ()


class EarlyLateShift(Record):
    """The first against the last vote on each anchor, by direction; the test is exact McNemar."""

    n_anchors: Count
    to_pass: Count
    to_fail: Count
    pvalue: float


class ErrorRates(Record):
    """How often the judge passes what people pass, and fails what they fail.

    Each rate comes with Wilson's interval; the ``exact`` ones are Clopper and
    Pearson's.
    """

    of: Text
    n_anchors: Count
    sensitivity: Rate
    sensitivity_exact: IntervalBlock | None
    specificity: Rate
    specificity_exact: IntervalBlock | None


class LeftOutHuman(Record):
    """One human left out, and the judge in that place, against the other humans."""

    human: Text
    n_items: Count
    human_agreement: float
    judge_agreement: float
    pvalue: float | None
    reason: str | None = None


class AnnotatorTest(Record):
    """May the judge stand in for a human? ``winning_rate`` of .5 or more says so."""

    epsilon: float
    humans: tuple[LeftOutHuman, ...] = ()
    winning_rate: float | None = None
    advantage: float | None = None
    reason: str | None = None


class BiasEffect(Record):
    """How much more often the judge passes answers of a group, at equal human label.

    ``of`` is ``length``, ``format``, ``lists`` or ``self_preference``; ``group`` says
    which answers are meant.
    """

    of: Text
    group: Text
    n_inside: Count
    n_outside: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    band: float | None
    status: Status
    reason: str | None = None


class PositionEffect(Record):
    """What the order of two answers does to their judge, on the anchors or on the arms' ``answers``.

    ``reversed`` pairs prefer the same place in both orders, ``to_first`` of
    them the first. ``difference`` is the share that went to the first place
    less the share that went to the second, over all pairs.
    """

    of: Text
    n_pairs: Count
    n_incomplete: Count
    consistent: Rate
    reversed: Rate
    to_first: Rate
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    band: float | None
    status: Status
    reason: str | None = None
    flipped: tuple[Text, ...] = ()


class Effect(Record):
    """A difference with its interval and its test, or why there is none."""

    difference: float | None = None
    interval: IntervalBlock | None = None
    pvalue: float | None = None
    reason: str | None = None


class AnswerFormatEffect(Record):
    """How much more often an arm's answers pass where they are formatted: as judged, and at equal length.

    No human label stands behind it: the formatted answers may be better. It
    is held against a band only where the plan declares one.
    """

    of: Literal["markdown", "lists"]
    arm: Arm
    n_formatted: Count
    n_plain: Count
    raw: Effect
    at_equal_length: Effect
    band: float | None
    status: Status
    reason: str | None = None


class ArmsOnEqualTerms(Record):
    """The difference of the arms as judged, and where their answers are written alike.

    ``terms`` says what is equal. ``shift`` is the part of the difference that
    goes with those terms; it is what the band is held against.
    """

    terms: Text
    n_cases: Count
    baseline_share: float | None
    candidate_share: float | None
    raw: Effect
    equal: Effect
    shift: Effect
    band: float | None
    status: Status
    reason: str | None = None


class LengthControlled(Record):
    """The candidate's win rate over the baseline as judged, and predicted at equal length.

    Length is partly an effect of the candidate: the second number stands
    beside the first and does not replace it. ``shift`` is the first less the
    second.
    """

    n_pairs: Count
    raw_win_rate: float | None
    win_rate: float | None
    interval: IntervalBlock | None
    slope_pvalue: float | None
    shift: Effect = Effect()
    band: float | None = None
    status: Status = "not_audited"
    reason: str | None = None


class Verbosity(Record):
    """Length of one arm's answers, in characters; the interval is of the mean."""

    arm: Arm
    n_answers: Count
    mean_chars: float | None
    median_chars: float | None
    interval: IntervalBlock | None = None
    reason: str | None = None


class VerbosityRatio(Record):
    """How many times as long the candidate's answers are: geometric mean over cases.

    The band is how far from 1 the ratio may lie, as a share.
    """

    n_cases: Count
    ratio: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    band: float | None
    status: Status
    reason: str | None = None


class DifferentialFinding(Record):
    """Does the judge err alike on both arms?

    ``rectifier`` is the judge's difference less people's, on cases whose
    answers people labelled on both arms.
    """

    status: Status
    n_cases: Count = 0
    n_left_out: Count = 0
    judge_difference: float | None = None
    human_difference: float | None = None
    rectifier: float | None = None
    interval: IntervalBlock | None = None
    margin: float | None = None
    reasons: tuple[Text, ...] = ()


class HumanScaleRow(Record):
    """One of the three answers to the same question."""

    of: Literal["judge_only", "human_only", "combined"]
    n_cases: Count
    difference: float | None
    interval: IntervalBlock | None
    pvalue: float | None
    reason: str | None = None


class CorrectedArm(Record):
    """The pass rate of one arm as the judge sees it and as people would."""

    arm: Arm
    apparent: Rate
    estimate: float | None
    was_cut: bool
    interval: IntervalBlock | None
    conditions: tuple[Text, ...] = ()
    reason: str | None = None


class HumanScaleBlock(Record):
    """The difference on the human scale, by prediction-powered inference.

    ``tuning`` is the weight of the judge (lambda).
    """

    basis: Literal["exploratory", "held_out"]
    n_anchors: Count
    n_unlabelled: Count
    rows: tuple[HumanScaleRow, ...] = ()
    tuning: float | None = None
    effective_n_anchors: float | None = None
    arms: tuple[CorrectedArm, ...] = ()
    reason: str | None = None


class DriftFlip(Record):
    """One anchor whose majority is not what it was."""

    anchor: Text
    then: Text
    now: Text
    human: str | None


class Compared(Record):
    """One thing that may have changed between two audits; ``same`` is null where it is unknown."""

    endpoint: Text
    what: Text
    then: str
    now: str
    same: bool | None


class ScoreMove(Record):
    """The pass rate of one arm then and now, over exploratory cases that both runs hold word for word.

    Of ``n_same_text`` answers that read the same in both runs, ``n_other_outcome``
    were graded otherwise.
    """

    arm: Arm
    n_cases: Count
    then: float | None = None
    now: float | None = None
    difference: float | None = None
    interval: IntervalBlock | None = None
    pvalue: float | None = None
    n_same_text: Count = 0
    n_other_outcome: Count = 0
    reason: str | None = None


class DriftFinding(Record):
    """Is the judge the one of an earlier run? ``then`` and ``now`` are two votes on the same anchors."""

    status: Status
    verdict: DriftVerdict = "not_audited"
    against: str | None = None
    n_anchors: Count = 0
    n_not_comparable: Count = 0
    flip_share: Rate | None = None
    tolerance: float | None = None
    flips: tuple[DriftFlip, ...] = ()
    both_correct: Count = 0
    only_then_correct: Count = 0
    only_now_correct: Count = 0
    neither_correct: Count = 0
    accuracy_change: float | None = None
    accuracy_interval: IntervalBlock | None = None
    accuracy_pvalue: float | None = None
    to_pass: Count = 0
    to_fail: Count = 0
    outcome_pvalue: float | None = None
    margin: float | None = None
    noninferiority_pvalue: float | None = None
    kappa_then: float | None = None
    kappa_now: float | None = None
    scores: tuple[ScoreMove, ...] = ()
    compared: tuple[Compared, ...] = ()
    attribution: Attribution | None = None
    evidence: tuple[Text, ...] = ()
    history: HistoryBlock | None = None
    judges: Annotated[tuple["JudgeDrift", ...], Field(exclude_if=nobody)] = ()
    reasons: tuple[Text, ...] = ()


class JudgeDrift(Record):
    """The same of one judge of a panel, named by its endpoint."""

    judge: Text
    finding: DriftFinding
