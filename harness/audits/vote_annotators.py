"""May a recorded judge stand in for one of the people who labelled the same items?"""

from collections.abc import Mapping, Sequence

from harness.audits.vote_labels import codes, raters_of, rating_matrix
from harness.domain.fitness import AnnotatorTest, LeftOutHuman
from harness.domain.recorded_votes import VoteFile, VoteItem
from harness.stats.annotators import alternative_annotator_test, leave_one_human_out
from harness.stats.estimability import NotEstimable

_FALSE_DISCOVERY_RATE = 0.05


def annotator_test(
    file: VoteFile, items: Sequence[VoteItem], said: Mapping[str, str | None], *, epsilon: float
) -> AnnotatorTest | None:
    """Leave each person out in turn, and put the judge in that place.

    Args:
        file: The votes.
        items: The items that the judge was asked about.
        said: The judge's label on each of them, by item.
        epsilon: What a person's labour is worth, as a share of items.

    Returns:
        Null with fewer than two people.
    """
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
