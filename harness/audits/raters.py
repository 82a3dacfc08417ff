"""People against people: alpha, disputed anchors, and the judge in one person's place."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness.audits.rates import rate
from harness.domain.blocks import Rate
from harness.domain.cases import Anchor
from harness.domain.fitness import AnnotatorTest, LeftOutHuman
from harness.stats.annotators import LeftOut, alternative_annotator_test, leave_one_human_out
from harness.stats.estimability import NotEstimable
from harness.stats.multirater import krippendorff_alpha
from harness.stats.samples import IntArray

# What a human label is worth, as a share of items: the value for skilled annotators.
EPSILON = 0.15
FALSE_DISCOVERY_RATE = 0.05


class Alpha(NamedTuple):
    """Krippendorff's alpha of the people, or why there is none."""

    value: float | None
    reason: str | None


class _Raters(NamedTuple):
    names: tuple[str, ...]
    labels: IntArray


def human_alpha(anchors: Sequence[Anchor], *, labels: Sequence[str], ordered: bool) -> Alpha:
    """Return how reliable the people are among themselves; anybody may have skipped any anchor.

    Args:
        anchors: The anchors with their reviews.
        labels: The judge's labels, in order where ``ordered``.
        ordered: Whether the labels are steps of a scale.
    """
    raters = _raters(anchors, labels)
    if len(raters.names) < 2:
        return Alpha(None, f"{len(raters.names)} person reviewed the anchors; agreement takes two")
    found = krippendorff_alpha(
        ratings=raters.labels, present=raters.labels >= 0, level="ordinal" if ordered else "nominal"
    )
    return Alpha(None, found.reason) if isinstance(found, NotEstimable) else Alpha(found, None)


def is_disputed(anchor: Anchor) -> bool:
    """Return whether the reviewers of the anchor disagree with one another."""
    return len({review.label for review in anchor.reviews}) > 1


def by_dispute(
    anchors: Sequence[Anchor], human: Mapping[str, str | None], judge: Mapping[str, str | None]
) -> tuple[Rate, Rate]:
    """Return the judge's agreement on anchors that people agree on, and on those they dispute.

    Anchors with fewer than two reviews are in neither. A judge cannot be more
    right than people are sure: disputed anchors are a stratum, not noise.
    """
    hits: dict[bool, list[bool]] = {False: [], True: []}
    for anchor in anchors:
        truth, found = human[anchor.id], judge.get(anchor.id)
        if len(anchor.reviews) > 1 and truth is not None and found is not None:
            hits[is_disputed(anchor)].append(truth == found)
    agreed, disputed = hits[False], hits[True]
    return (
        rate(sum(agreed), len(agreed), nothing="no anchor on which two people agree is settled and judged"),
        rate(sum(disputed), len(disputed), nothing="no disputed anchor is settled and judged"),
    )


def annotator_test(
    anchors: Sequence[Anchor], judge: Mapping[str, str | None], *, labels: Sequence[str]
) -> AnnotatorTest:
    """Return the judge's standing in each person's place, and the alternative annotator test."""
    raters = _raters(anchors, labels)
    numbers = {label: number for number, label in enumerate(labels)}
    verdicts = np.array([_number(judge.get(anchor.id), numbers) for anchor in anchors], dtype=np.int64)
    if len(raters.names) < 2:
        reason = f"{len(raters.names)} person reviewed the anchors; leaving one out leaves nobody"
        return AnnotatorTest(epsilon=EPSILON, reason=reason)
    rows = leave_one_human_out(humans=raters.labels, judge=verdicts, epsilon=EPSILON)
    humans = tuple(_row(row, raters.names) for row in rows)
    test = alternative_annotator_test(
        humans=raters.labels,
        judge=verdicts,
        epsilon=EPSILON,
        false_discovery_rate=FALSE_DISCOVERY_RATE,
    )
    if isinstance(test, NotEstimable):
        return AnnotatorTest(epsilon=EPSILON, humans=humans, reason=test.reason)
    rating = test.winning_rate
    return AnnotatorTest(
        epsilon=EPSILON,
        humans=humans,
        winning_rate=None if isinstance(rating, NotEstimable) else rating,
        advantage=test.advantage,
        reason=rating.reason if isinstance(rating, NotEstimable) else None,
    )


def _row(row: LeftOut, names: Sequence[str]) -> LeftOutHuman:
    pvalue = row.adjusted_pvalue
    return LeftOutHuman(
        human=names[row.human],
        n_items=row.n_items,
        human_agreement=row.human_agreement,
        judge_agreement=row.judge_agreement,
        pvalue=None if isinstance(pvalue, NotEstimable) else pvalue,
        reason=pvalue.reason if isinstance(pvalue, NotEstimable) else None,
    )


def _raters(anchors: Sequence[Anchor], labels: Sequence[str]) -> _Raters:
    names = tuple(sorted({review.by for anchor in anchors for review in anchor.reviews}))
    columns = {name: column for column, name in enumerate(names)}
    numbers = {label: number for number, label in enumerate(labels)}
    found = np.full((len(anchors), len(names)), -1, dtype=np.int64)
    for row, anchor in enumerate(anchors):
        for review in anchor.reviews:
            found[row, columns[review.by]] = numbers[review.label]
    return _Raters(names, found)


def _number(label: str | None, numbers: Mapping[str, int]) -> int:
    return -1 if label is None else numbers[label]
