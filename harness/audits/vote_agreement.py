"""Does a recorded judge agree with people, as far as they agree with one another?"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.audits.repeatability import pairs_agreeing
from harness.audits.vote_annotators import annotator_test
from harness.audits.vote_labels import (
    codes,
    human_label,
    judge_label,
    main_reference,
    votes_of,
)
from harness.audits.vote_shares import coefficient, mean_estimate, missing, share
from harness.domain.blocks import Rate
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
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.means import paired_mean
from harness.stats.multirater import gwet_ac
from harness.stats.proportions import newcombe_independent_interval

_NO_PEOPLE = "the file has no label by a person"
_NO_ITEM = "no item has both a human and a judge label"
_NO_CEILING = (
    "no item has two people's labels and one of the judge: there is no ceiling to hold it against "
    "(a floor, --min-agreement, would do instead)"
)


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
        annotator_test=annotator_test(file, items, said, epsilon=settings.margin),
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


def _by_arm(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    arms = sorted({row.item.arm for row in rows if row.item.arm is not None})
    return {arm: [row for row in rows if row.item.arm == arm] for arm in arms}


def _arms(rows: Sequence[_Row]) -> tuple[ArmAgreement, ...]:
    return tuple(ArmAgreement(arm=arm, readable=_share(mine)) for arm, mine in _by_arm(rows).items())


def _arm_differences(rows: Sequence[_Row]) -> tuple[Estimate, ...]:
    """Return agreement on the second arm less that on the first, at a level shared by all pairs."""
    pairs = list(combinations(_by_arm(rows).items(), 2))
    level = 1 - (1 - CONFIDENCE_LEVEL) / max(len(pairs), 1)
    return tuple(
        Estimate(
            of=f"{second} - {first}",
            estimate=_hits(theirs) / len(theirs) - _hits(mine) / len(mine),
            interval=block(_difference_interval(mine, theirs, level)),
        )
        for (first, mine), (second, theirs) in pairs
    )


def _difference_interval(first: Sequence[_Row], second: Sequence[_Row], level: float) -> Interval:
    """Return Newcombe's interval, or CR2 on linearised values where items share clusters.

    An item's value is the difference plus its own residual, blown up by its
    arm's share of the items: the mean is the difference, and the spread
    between clusters is that of both arms together.
    """
    groups = [row.item.group for row in (*first, *second)]
    if len(set(groups)) < len(groups):
        difference = _hits(second) / len(second) - _hits(first) / len(first)
        residuals = [-value for value in _residuals(first)] + _residuals(second)
        n = len(groups)
        sizes = [len(first)] * len(first) + [len(second)] * len(second)
        values = [difference + value * n / size for value, size in zip(residuals, sizes, strict=True)]
        mean = paired_mean(differences=values, clusters=groups, confidence_level=level)
        if not isinstance(mean, NotEstimable):
            return mean.interval
    return newcombe_independent_interval(
        baseline_passes=_hits(first),
        baseline_cases=len(first),
        candidate_passes=_hits(second),
        candidate_cases=len(second),
        confidence_level=level,
    )


def _residuals(rows: Sequence[_Row]) -> list[float]:
    mean = _hits(rows) / len(rows)
    return [float(row.human == row.judge) - mean for row in rows]


def _hits(rows: Sequence[_Row]) -> int:
    return sum(row.human == row.judge for row in rows)
