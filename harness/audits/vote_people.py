"""How far people, and the judges of one file, agree with one another."""

import numpy as np

from harness.audits.vote_labels import alphas, codes, judge_label, label_pairs, raters_of, rating_matrix
from harness.audits.vote_panel import panel_agreement, unanimous_items
from harness.audits.vote_shares import share
from harness.domain.recorded_votes import VoteFile
from harness.domain.vote_audit import BetweenJudges, PeopleBlock

_NO_PAIR = "no item has two ratings"


def people_block(file: VoteFile, *, tie: str | None, ordered: bool) -> PeopleBlock:
    """Count people's labels and how often two of them agree on one item."""
    raters = raters_of(file)
    rated = [item for item in file.items if item.ratings]
    rows = [(item.group, [rating.label for rating in item.ratings]) for item in rated]
    table = rating_matrix(rated, raters, file.labels)
    return PeopleBlock(
        n_raters=len(raters),
        n_ratings=sum(len(item.ratings) for item in rated),
        n_items_rated=len(rated),
        n_items_rated_twice=sum(len(item.ratings) > 1 for item in rated),
        n_final=sum(item.final is not None for item in file.items),
        pairs=label_pairs(rows, without=None, nothing=_NO_PAIR),
        pairs_without_ties=None if tie is None else label_pairs(rows, without=tie, nothing=_NO_PAIR),
        alpha=alphas(table, [item.group for item in rated], ordered=ordered),
    )


def between_judges(file: VoteFile, judges: tuple[str, ...], *, ordered: bool) -> BetweenJudges | None:
    """Compare the judges' majority labels; null where the file has one judge."""
    if len(judges) < 2:
        return None
    labels = [[judge_label(item, judge) for judge in judges] for item in file.items]
    groups = [item.group for item in file.items]
    rows = [
        (group, [label for label in row if label is not None])
        for group, row in zip(groups, labels, strict=True)
    ]
    table = np.array([codes(row, file.labels) for row in labels], dtype=np.int64)
    return BetweenJudges(
        n_judges=len(judges),
        pairs=label_pairs(rows, without=None, nothing="no item has labels of two judges"),
        alpha=alphas(table, groups, ordered=ordered),
        unanimous=share(
            unanimous_items(file, judges),
            [item.group for item in file.items if item.votes],
            nothing="no item has a vote",
        ),
        panel=panel_agreement(file, judges),
    )
