"""Answers that people reviewed."""

from collections.abc import Collection
from pathlib import Path

from harness.domain.cases import Anchor
from harness.domain.errors import InputError
from harness.domain.specs import JudgeSpec
from harness.inputs.rows import Rows, folded, read_identified


def read_anchors(path: Path, *, judge: JudgeSpec, case_ids: Collection[str]) -> Rows[Anchor]:
    """Read a file of anchors.

    Args:
        path: The file.
        judge: The judge whose labels people used.
        case_ids: The ids of the gold set's cases.

    Raises:
        InputError: A line is no anchor, a label is not one of the judge's, one
            person reviewed an anchor twice, or it names a case that is not there.
    """
    anchors = read_identified(path, Anchor)
    if not anchors.records:
        raise InputError(f"{path}: found no anchor")
    for index, anchor in enumerate(anchors.records):
        problem = _anchor_problem(anchor, judge=judge, case_ids=case_ids)
        if problem is not None:
            raise InputError(f"{anchors.place(index)}: anchor {anchor.id!r}: {problem}")
    return anchors


def _anchor_problem(anchor: Anchor, *, judge: JudgeSpec, case_ids: Collection[str]) -> str | None:
    if not anchor.reviews and anchor.label is None:
        return "found neither reviews nor a label, so nobody reviewed it"
    wanted = f"wanted one of the labels of judge {judge.name!r}: {', '.join(judge.labels)}"
    for review in anchor.reviews:
        if review.label not in judge.labels:
            return f"label {review.label!r} by {review.by!r}: {wanted}"
    if anchor.label is not None and anchor.label not in judge.labels:
        return f"label {anchor.label!r}: {wanted}"
    return _reviewer_problem(anchor) or _case_problem(anchor, case_ids)


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
