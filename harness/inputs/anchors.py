"""Answers that people reviewed."""

from collections.abc import Collection, Sequence
from pathlib import Path

from harness.domain.cases import Anchor
from harness.domain.errors import InputError
from harness.domain.specs import JudgeSpec
from harness.inputs.pairs import anchor_problem
from harness.inputs.panel import label_problem
from harness.inputs.rows import Rows, folded, read_identified


def read_anchors(path: Path, *, judges: Sequence[JudgeSpec], case_ids: Collection[str]) -> Rows[Anchor]:
    """Read a file of anchors.

    Args:
        path: The file.
        judges: Whose labels people used: the judge, or the judges of a panel.
        case_ids: The ids of the gold set's cases.

    Raises:
        InputError: A line is no anchor, a label is not one of the judge's or is
            read in two ways by the panel, one person reviewed an anchor twice, or
            it names a case that is not there.
    """
    anchors = read_identified(path, Anchor)
    if not anchors.records:
        raise InputError(f"{path}: found no anchor")
    for index, anchor in enumerate(anchors.records):
        problem = _anchor_problem(anchor, judges=judges, case_ids=case_ids)
        if problem is not None:
            raise InputError(f"{anchors.place(index)}: anchor {anchor.id!r}: {problem}")
    return anchors


def _anchor_problem(anchor: Anchor, *, judges: Sequence[JudgeSpec], case_ids: Collection[str]) -> str | None:
    if not anchor.reviews and anchor.label is None:
        return "found neither reviews nor a label, so nobody reviewed it"
    for review in anchor.reviews:
        problem = label_problem(review.label, judges)
        if problem is not None:
            return f"label {review.label!r} by {review.by!r}: {problem}"
    problem = None if anchor.label is None else label_problem(anchor.label, judges)
    if problem is not None:
        return f"label {anchor.label!r}: {problem}"
    return anchor_problem(anchor, judges[0]) or _reviewer_problem(anchor) or _case_problem(anchor, case_ids)


def _reviewer_problem(anchor: Anchor) -> str | None:
    seen: set[str] = set()
    for review in anchor.reviews:
        if folded(review.by) in seen:
            return f"{review.by!r} reviewed it twice, wanted one review a person"
        seen.add(folded(review.by))
    return None


def _case_problem(anchor: Anchor, case_ids: Collection[str]) -> str | None:
    if anchor.case is not None and anchor.case not in case_ids:
        return f"case {anchor.case!r} is not in the gold set"
    if anchor.arm is not None and anchor.case is None:
        return f"arm {anchor.arm!r} without a case, wanted the case that was answered"
    return None
