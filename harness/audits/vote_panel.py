"""The judges of a file as one panel: what their majority says, and what each judge does to it."""

from collections.abc import Sequence

from harness.audits.vote_labels import human_label, judge_label, main_reference
from harness.audits.vote_shares import mean_estimate, share
from harness.domain.recorded_votes import VoteFile, VoteItem
from harness.domain.verdicts import majority
from harness.domain.vote_audit import PanelAgreement, Reference

_NO_ITEM = "people settled on a label of no item"


def unanimous_items(file: VoteFile, judges: Sequence[str]) -> list[bool]:
    """Return of each item that a judge was asked about whether all judges give it one label."""
    said = [[judge_label(item, judge) for judge in judges] for item in _asked(file)]
    return [None not in labels and len(set(labels)) == 1 for labels in said]


def panel_agreement(file: VoteFile, judges: Sequence[str]) -> tuple[PanelAgreement, ...]:
    """Return the panel of all judges, and that without each of them, held against people.

    The label of a panel is that of more than half of its judges: one without a
    label is among them, and an even panel can be split.
    """
    reference = main_reference(file)
    whole = _labels(_asked(file), judges)
    rows = [_row(file, None, judges, whole, reference)]
    for left_out in judges:
        others = [judge for judge in judges if judge != left_out]
        rows.append(_row(file, left_out, others, whole, reference))
    return tuple(rows)


def _asked(file: VoteFile) -> list[VoteItem]:
    return [item for item in file.items if item.votes]


def _labels(items: Sequence[VoteItem], judges: Sequence[str]) -> list[str | None]:
    return [
        majority([judge_label(item, judge) for judge in judges], asked=len(judges)).label for item in items
    ]


def _row(
    file: VoteFile,
    without: str | None,
    judges: Sequence[str],
    whole: Sequence[str | None],
    reference: Reference | None,
) -> PanelAgreement:
    items = _asked(file)
    labels = _labels(items, judges)
    found = PanelAgreement(without=without, n_judges=len(judges), n_no_majority=labels.count(None))
    if reference is None:
        return found
    rows = [
        (truth, label, of_all, item.group)
        for item, label, of_all in zip(items, labels, whole, strict=True)
        if (truth := human_label(item, reference)) is not None
    ]
    read = [row for row in rows if row[1] is not None]
    changes = [float(truth == label) - float(truth == of_all) for truth, label, of_all, _ in rows]
    groups = [group for *_, group in rows]
    return found.model_copy(
        update={
            "readable": share([row[0] == row[1] for row in read], [row[3] for row in read], nothing=_NO_ITEM),
            "every": share([row[0] == row[1] for row in rows], groups, nothing=_NO_ITEM),
            "change": None
            if without is None
            else mean_estimate("change", changes, groups, support=(-1.0, 1.0), nothing=_NO_ITEM),
        }
    )
