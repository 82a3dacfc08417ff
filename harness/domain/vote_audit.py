"""What an audit of recorded votes found: one document, whose JSON Schema is published."""

from typing import Annotated, Literal

from pydantic import Field

from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.fitness import AnnotatorTest, Fitness
from harness.domain.record import Count, Record, Sha256, Share, Text

PartStatus = Literal["pass", "fail", "undecided", "not_audited"]
Reference = Literal["final", "majority", "most_frequent", "ratings"]
Limit = Annotated[float, Field(gt=0, lt=1)]


class VoteAuditSettings(Record):
    """Limits, chosen before the file is read.

    ``margin`` is how far below people's agreement with one another the judge's
    may lie; ``band`` how far the order or the arm may move it. ``tie`` is the
    label that prefers neither answer.
    """

    labels: tuple[Text, ...] | None = None
    ordered: bool = False
    tie: Text | None = None
    pass_at: float | None = None
    margin: Limit = 0.1
    min_agreement: Share | None = None
    max_flips: Limit = 0.2
    band: Limit = 0.05
    min_verdicts: Limit = 0.9


class VotePart(Record):
    """One question to the judge. A judge is not fit without an answer to a ``needed`` one."""

    name: Text
    status: PartStatus
    needed: bool
    reason: Text


class Estimate(Record):
    """A number with its interval; where one of them is null, ``reason`` says why."""

    of: Text
    estimate: float | None
    interval: IntervalBlock | None = None
    reason: str | None = None


class VoteComparison(Record):
    """The judge's label against people's.

    ``readable`` leaves out items on which the judge has no label, ``every``
    counts them as not agreeing. ``ratings`` compares with each rating alone,
    ``majority`` with the label of more than half of an item's ratings,
    ``most_frequent`` with the one most frequent label of two ratings or more.
    ``without_ties`` leaves out items that either side calls a tie; they are
    among ``n_unsettled`` then.
    """

    reference: Reference
    without_ties: bool
    n_unsettled: Count
    n_no_verdict: Count
    readable: Rate
    every: Rate | None


class LabelPair(Record):
    """How often people said one label and the judge another."""

    human: Text
    judge: Text
    n: Count


class ArmAgreement(Record):
    """Agreement with people on one arm's answers."""

    arm: Text
    readable: Rate


class PeopleBlock(Record):
    """How far people agree with one another: the ceiling for any judge."""

    n_raters: Count
    n_ratings: Count
    n_items_rated: Count
    n_items_rated_twice: Count
    n_final: Count
    pairs: Rate
    pairs_without_ties: Rate | None
    alpha: tuple[Estimate, ...]


class AgreementBlock(Record):
    """The judge against people. ``reference`` is what the coefficients rest on."""

    reference: Reference | None
    comparisons: tuple[VoteComparison, ...] = ()
    confusion: tuple[LabelPair, ...] = ()
    coefficients: tuple[Estimate, ...] = ()
    beside_people: Estimate
    where_people_agree: Rate | None = None
    where_people_differ: Rate | None = None
    annotator_test: AnnotatorTest | None = None
    arms: tuple[ArmAgreement, ...] = ()
    arm_differences: tuple[Estimate, ...] = ()


class RepeatBlock(Record):
    """The judge against itself, the same item in the same order.

    ``flip_rate`` is the chance that two votes on one item differ; it does not
    depend on how many votes there are.
    """

    n_items: Count
    n_votes_an_item: tuple[Count, Count]
    with_a_flip: Rate
    flip_rate: Estimate
    fleiss_kappa: Estimate
    n_now_and_then_silent: Count
    flipped: tuple[Text, ...] = ()


class ScoreBlock(Record):
    """Scores that the judge gave the same item twice or more. ``change`` is in points."""

    n_items: Count
    changed: Rate
    change: Estimate
    pass_flips: Rate | None


class OrderBlock(Record):
    """The judge with the two answers in both orders.

    A reversed pair goes to the same place in both orders; the other
    inconsistent ones have a tie in one of them. ``slot_effect`` is the share of
    pairs that follow the first place less those that follow the second.
    """

    n_pairs: Count
    n_incomplete: Count
    inconsistent: Rate
    reversed: Rate | None
    to_first: Rate | None
    pvalue: float | None
    slot_effect: Estimate
    flipped: tuple[Text, ...] = ()


class VoteDrift(Record):
    """The same judge on the same items in an earlier file."""

    n_items: Count
    n_not_comparable: Count
    changed: Rate
    flips: tuple[tuple[str, str, str], ...]
    both_agree: Count
    only_then: Count
    only_now: Count
    neither: Count
    accuracy_change: Estimate
    pvalue: float | None
    noninferiority_pvalue: float | None


class JudgeAudit(Record):
    """One judge of the file."""

    judge: Text
    status: Fitness
    reasons: tuple[Text, ...]
    parts: tuple[VotePart, ...]
    n_items: Count
    n_votes: Count
    n_labels: Count
    no_verdicts: tuple[tuple[str, Count], ...]
    agreement: AgreementBlock
    repeats: RepeatBlock | None
    scores: ScoreBlock | None
    order: OrderBlock | None
    drift: VoteDrift | None


class PanelAgreement(Record):
    """The majority of all judges of the file, or of those ``without`` one, held against people.

    ``readable`` leaves out items on which they have no majority, ``every``
    counts them as not agreeing; ``change`` is ``every`` less that of all
    judges, item by item. Null where there are no people.
    """

    without: str | None
    n_judges: Count
    n_no_majority: Count
    readable: Rate | None = None
    every: Rate | None = None
    change: Estimate | None = None


class BetweenJudges(Record):
    """How far the judges of a file agree with one another, and what they say as a panel."""

    n_judges: Count
    pairs: Rate
    alpha: tuple[Estimate, ...]
    unanimous: Rate
    panel: tuple[PanelAgreement, ...]


class VoteSource(Record):
    """The file that was audited."""

    path: Text
    sha256: Sha256
    n_rows: Count


class VoteAudit(Record):
    """``harness audit-votes --json``."""

    schema_version: Literal["1"] = "1"
    source: VoteSource
    against: VoteSource | None
    settings: VoteAuditSettings
    status: Fitness
    n_items: Count
    n_clusters: Count
    labels: tuple[Text, ...]
    people: PeopleBlock
    judges: tuple[JudgeAudit, ...]
    between_judges: BetweenJudges | None
    notes: tuple[Text, ...]
