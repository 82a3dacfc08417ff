"""Does a recorded judge agree with people, as far as they agree with one another?"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.audits.repeatability import pairs_agreeing
from harness.audits.vote_labels import (
    codes,
    human_label,
    judge_label,
    main_reference,
    raters_of,
    rating_matrix,
    votes_of,
)
from harness.audits.vote_shares import coefficient, mean_estimate, missing, share
from harness.domain.blocks import Rate
from harness.domain.fitness import AnnotatorTest, LeftOutHuman
from harness.domain.recorded_votes import VoteFile, VoteItem
from harness.domain.vote_audit import (
    AgreementBlock,
    ArmAgreement,
    Estimate,
    LabelPair,
    Reference,
    VoteAuditSettings,
    VoteComparison,
)
from harness.stats.agreement import Weighting, cohen_kappa, confusion
from harness.stats.annotators import alternative_annotator_test, leave_one_human_out
from harness.stats.estimability import NotEstimable
from harness.stats.multirater import gwet_ac
from harness.stats.proportions import newcombe_independent_interval

_FALSE_DISCOVERY_RATE = 0.05
_NO_PEOPLE = "the file has no label by a person"
_NO_ITEM = "no item has both a human and a judge label"
_NO_CEILING = "no item has two people's labels and the judge's: there is no ceiling to hold it against"


class _Row(NamedTuple):
    """One comparison of two labels; null where there is none."""

    human: str | None
    judge: str | None
    item: VoteItem


def agreement_block(file: VoteFile, judge: str, settings: VoteAuditSettings) -> AgreementBlock:
    """Set the judge's majority label on each item against what people said of it."""
    reference = main_reference(file)
    items = [item for item in file.items if votes_of(item, judge)]
    if reference is None:
        return AgreementBlock(reference=None, beside_people=missing("beside_people", _NO_PEOPLE))
    said = {item.id: judge_label(item, judge) for item in items}
    main = [_Row(human_label(item, reference), said[item.id], item) for item in items]
    both = [row for row in main if row.human is not None and row.judge is not None]
    return AgreementBlock(
        reference=reference,
        comparisons=tuple(_comparisons(items, said, settings.tie)),
        confusion=_confusion(both),
        coefficients=_coefficients(both, file.labels, ordered=settings.ordered),
        beside_people=_beside_people(items, said),
        where_people_agree=_stratum(both, agree=True),
        where_people_differ=_stratum(both, agree=False),
        annotator_test=_annotator_test(file, items, said, settings.margin),
        arms=_arms(both),
        arm_differences=_arm_differences(both),
    )


def _comparisons(
    items: Sequence[VoteItem], said: dict[str, str | None], tie: str | None
) -> list[VoteComparison]:
    references: tuple[Reference, ...] = ("final", "majority", "most_frequent")
    tables: list[tuple[Reference, list[_Row]]] = [
        (name, [_Row(human_label(item, name), said[item.id], item) for item in items]) for name in references
    ]
    single = [_Row(rating.label, said[item.id], item) for item in items for rating in item.ratings]
    tables.append(("ratings", single))
    there = [(name, rows) for name, rows in tables if any(row.human is not None for row in rows)]
    found = [_comparison(name, rows) for name, rows in there]
    if tie is not None:
        found += [_without_ties(name, rows, tie) for name, rows in there]
    return found


def _comparison(reference: Reference, rows: Sequence[_Row]) -> VoteComparison:
    settled = [row for row in rows if row.human is not None]
    return VoteComparison(
        reference=reference,
        without_ties=False,
        n_unsettled=len(rows) - len(settled),
        n_no_verdict=sum(row.judge is None for row in settled),
        readable=_share([row for row in settled if row.judge is not None]),
        every=_share(settled),
    )


def _without_ties(reference: Reference, rows: Sequence[_Row], tie: str) -> VoteComparison:
    settled = [row for row in rows if row.human is not None and tie not in (row.human, row.judge)]
    return VoteComparison(
        reference=reference,
        without_ties=True,
        n_unsettled=len(rows) - len(settled),
        n_no_verdict=sum(row.judge is None for row in settled),
        readable=_share([row for row in settled if row.judge is not None]),
        every=None,
    )


def _share(rows: Sequence[_Row], *, nothing: str = _NO_ITEM) -> Rate:
    return share([row.human == row.judge for row in rows], [row.item.group for row in rows], nothing=nothing)


def _confusion(rows: Sequence[_Row]) -> tuple[LabelPair, ...]:
    cells = Counter((str(row.human), str(row.judge)) for row in rows)
    return tuple(LabelPair(human=human, judge=judge, n=n) for (human, judge), n in sorted(cells.items()))


def _coefficients(rows: Sequence[_Row], labels: Sequence[str], *, ordered: bool) -> tuple[Estimate, ...]:
    """Return kappa and AC1, and for three ordered labels or more their weighted forms."""
    if not rows or len(labels) < 2:
        reason = _NO_ITEM if not rows else f"the file has one label alone, {labels[0]!r}"
        return missing("cohen_kappa", reason), missing("gwet_ac1", reason)
    human = codes([row.human for row in rows], labels)
    judge = codes([row.judge for row in rows], labels)
    table = confusion(first=human, second=judge, n_labels=len(labels)).table
    ratings = np.zeros((len(rows), len(labels)), dtype=np.int64)
    np.add.at(ratings, (np.arange(len(rows)), human), 1)
    np.add.at(ratings, (np.arange(len(rows)), judge), 1)
    weightings: tuple[Weighting, ...] = ("nominal", "linear", "quadratic")
    found: list[Estimate] = []
    for weighting in weightings if ordered and len(labels) > 2 else weightings[:1]:
        kappa = cohen_kappa(table=table, weighting=weighting, confidence_level=CONFIDENCE_LEVEL)
        gwet = gwet_ac(table=ratings, weighting=weighting, confidence_level=CONFIDENCE_LEVEL)
        tail = "" if weighting == "nominal" else f"_{weighting}"
        found += [
            coefficient(f"cohen_kappa{tail}", kappa),
            coefficient("gwet_ac1" if not tail else f"gwet_ac2{tail}", gwet),
        ]
    return tuple(found)


def _beside_people(items: Sequence[VoteItem], said: dict[str, str | None]) -> Estimate:
    """Return the judge's agreement with one person less a second person's, on the same items."""
    values: list[float] = []
    groups: list[str] = []
    for item in items:
        label, ratings = said[item.id], [rating.label for rating in item.ratings]
        if label is None or len(ratings) < 2:
            continue
        agreeing, of = pairs_agreeing(ratings)
        values.append(ratings.count(label) / len(ratings) - agreeing / of)
        groups.append(item.group)
    return mean_estimate("beside_people", values, groups, support=(-1.0, 1.0), nothing=_NO_CEILING)


def _stratum(rows: Sequence[_Row], *, agree: bool) -> Rate:
    """Return agreement where people's own labels are one, or are several."""
    chosen = [
        row
        for row in rows
        if len(row.item.ratings) > 1 and (len({rating.label for rating in row.item.ratings}) == 1) == agree
    ]
    return _share(chosen, nothing=f"people {'agree' if agree else 'differ'} on no such item")


def _annotator_test(
    file: VoteFile, items: Sequence[VoteItem], said: dict[str, str | None], epsilon: float
) -> AnnotatorTest | None:
    raters = raters_of(file)
    if len(raters) < 2 or not items:
        return None
    humans = rating_matrix(items, raters, file.labels)
    judge = codes([said[item.id] for item in items], file.labels)
    rows = leave_one_human_out(humans=humans, judge=judge, epsilon=epsilon)
    left_out = tuple(
        LeftOutHuman(
            human=raters[row.human],
            n_items=row.n_items,
            human_agreement=row.human_agreement,
            judge_agreement=row.judge_agreement,
            pvalue=None if isinstance(row.adjusted_pvalue, NotEstimable) else row.adjusted_pvalue,
            reason=row.adjusted_pvalue.reason if isinstance(row.adjusted_pvalue, NotEstimable) else None,
        )
        for row in rows
    )
    test = alternative_annotator_test(
        humans=humans, judge=judge, epsilon=epsilon, false_discovery_rate=_FALSE_DISCOVERY_RATE
    )
    winning = test if isinstance(test, NotEstimable) else test.winning_rate
    return AnnotatorTest(
        epsilon=epsilon,
        humans=left_out,
        winning_rate=None if isinstance(winning, NotEstimable) else winning,
        advantage=None if isinstance(test, NotEstimable) else test.advantage,
        reason=winning.reason if isinstance(winning, NotEstimable) else None,
    )


def _by_arm(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    arms = sorted({row.item.arm for row in rows if row.item.arm is not None})
    return {arm: [row for row in rows if row.item.arm == arm] for arm in arms}


def _arms(rows: Sequence[_Row]) -> tuple[ArmAgreement, ...]:
    return tuple(ArmAgreement(arm=arm, readable=_share(mine)) for arm, mine in _by_arm(rows).items())


def _arm_differences(rows: Sequence[_Row]) -> tuple[Estimate, ...]:
    """Return agreement on the second arm less that on the first, at a level shared by all pairs.

    Answers to one prompt are alike across arms; taken as unpaired, the
    intervals are on the wide side.
    """
    pairs = list(combinations(_by_arm(rows).items(), 2))
    return tuple(
        Estimate(
            of=f"{second} - {first}",
            estimate=_hits(theirs) / len(theirs) - _hits(mine) / len(mine),
            interval=block(
                newcombe_independent_interval(
                    baseline_passes=_hits(mine),
                    baseline_cases=len(mine),
                    candidate_passes=_hits(theirs),
                    candidate_cases=len(theirs),
                    confidence_level=1 - (1 - CONFIDENCE_LEVEL) / len(pairs),
                )
            ),
        )
        for (first, mine), (second, theirs) in pairs
    )


def _hits(rows: Sequence[_Row]) -> int:
    return sum(row.human == row.judge for row in rows)
