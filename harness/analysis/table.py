"""Case results as arrays, one row a case: the only shape the analysis computes on."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.domain.verdicts import CaseResult, Graded

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


class ArmCounts(NamedTuple):
    """What one arm did on each case. Every array has shape (n_cases,).

    Attributes:
        asked: Answers asked for.
        passed: Answers that passed.
        failed: Answers that failed.
        scored: Answers with a score.
        score_sum: Sum of their scores.
        outcomes: 1, 0 or -1 for each answer that passes, fails or has no outcome,
            shape (n_cases, n_repeats); None where not every case was asked as often.
    """

    asked: IntArray
    passed: IntArray
    failed: IntArray
    scored: IntArray
    score_sum: FloatArray
    outcomes: IntArray | None

    @property
    def majority(self) -> IntArray:
        """1 where more than half of the answers asked for pass, 0 where they fail, else -1."""
        verdict = np.full(self.asked.shape, -1, dtype=np.int64)
        verdict[2 * self.failed > self.asked] = 0
        verdict[2 * self.passed > self.asked] = 1
        return verdict

    @property
    def graded(self) -> IntArray:
        """Answers with an outcome."""
        return self.passed + self.failed


class Table(NamedTuple):
    """The cases of one side of the split.

    Attributes:
        results: The cases, in plan order.
        clusters: Cluster number of each case, shape (n_cases,); None where every case stands alone.
        weights: Weight of each case, shape (n_cases,).
        baseline: The baseline's counts.
        candidate: The candidate's counts.
    """

    results: tuple[CaseResult, ...]
    clusters: IntArray | None
    weights: FloatArray
    baseline: ArmCounts
    candidate: ArmCounts

    @property
    def n_cases(self) -> int:
        """Cases in the table, with or without verdicts."""
        return len(self.results)

    def n_clusters(self, keep: BoolArray) -> int:
        """Independent groups among the cases kept."""
        if self.clusters is None:
            return int(keep.sum())
        return int(np.unique(self.clusters[keep]).size)

    def clusters_of(self, keep: BoolArray) -> IntArray | None:
        """Cluster numbers of the cases kept; None where each of them stands alone."""
        if self.clusters is None:
            return None
        kept = self.clusters[keep]
        return kept if np.unique(kept).size < kept.size else None

    def where(self, wanted: Callable[[CaseResult], bool]) -> "Table":
        """Return the table of the cases that are wanted."""
        keep = np.fromiter((wanted(result) for result in self.results), dtype=bool, count=self.n_cases)
        return self.take(np.flatnonzero(keep))

    def take(self, rows: IntArray) -> "Table":
        """Return the table of these rows, in this order."""
        return Table(
            results=tuple(map(self.results.__getitem__, rows.tolist())),
            clusters=None if self.clusters is None else self.clusters[rows],
            weights=self.weights[rows],
            baseline=_kept(self.baseline, rows),
            candidate=_kept(self.candidate, rows),
        )

    def rows_by_tag(self) -> dict[str, IntArray]:
        """Return the rows that carry each tag; tags in order of their names."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, result in enumerate(self.results):
            for tag in result.tags:
                rows[tag].append(row)
        return {tag: np.array(rows[tag], dtype=np.int64) for tag in sorted(rows)}


def make_table(results: Sequence[CaseResult], *, missing: Literal["no_verdict", "fail"]) -> Table:
    """Return the results as arrays.

    Args:
        results: One entry a case.
        missing: What the plan says of an answer without an outcome: it stays
            missing, or it counts as failed. A grader that does not apply
            (``not_applicable``) is coverage and stays missing either way.
    """
    names = [result.cluster for result in results]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    alone = len(numbers) == len(names)
    return Table(
        results=tuple(results),
        clusters=None if alone else np.array([numbers[name] for name in names], dtype=np.int64),
        weights=np.array([result.weight for result in results], dtype=np.float64),
        baseline=_counts([result.baseline for result in results], missing=missing),
        candidate=_counts([result.candidate for result in results], missing=missing),
    )


def _counts(answers: Sequence[Sequence[Graded]], *, missing: Literal["no_verdict", "fail"]) -> ArmCounts:
    """Count each distinct grade once, and answers by its number: a million answers have few."""
    flat = list(chain.from_iterable(answers))
    # By identity, for equal grades are mostly one value: comparing them costs several times as much.
    held = np.fromiter(map(id, flat), dtype=np.int64, count=len(flat))
    distinct = np.unique(held)
    codes = np.searchsorted(distinct, held)
    places = np.empty(distinct.size, dtype=np.int64)
    places[codes] = np.arange(codes.size)
    grades = [flat[place] for place in places.tolist()]
    asked = np.fromiter(map(len, answers), dtype=np.int64, count=len(answers))
    case = np.repeat(np.arange(asked.size), asked)
    outcome = np.array([_outcome(grade, missing) for grade in grades], dtype=np.int64)[codes]
    score = np.array([np.nan if grade.score is None else grade.score for grade in grades])[codes]
    scored = ~np.isnan(score)
    alike = asked.size > 0 and int(asked.min()) == int(asked.max())
    return ArmCounts(
        asked=asked,
        passed=np.bincount(case[outcome == 1], minlength=asked.size),
        failed=np.bincount(case[outcome == 0], minlength=asked.size),
        scored=np.bincount(case[scored], minlength=asked.size),
        score_sum=np.bincount(case[scored], weights=score[scored], minlength=asked.size).astype(np.float64),
        outcomes=outcome.reshape(asked.size, -1) if alike else None,
    )


def _outcome(grade: Graded, missing: Literal["no_verdict", "fail"]) -> int:
    if grade.outcome is None and missing == "fail" and grade.reason != "not_applicable":
        return 0
    return {"pass": 1, "fail": 0, None: -1}[grade.outcome]


def _kept(counts: ArmCounts, rows: IntArray) -> ArmCounts:
    return ArmCounts(
        asked=counts.asked[rows],
        passed=counts.passed[rows],
        failed=counts.failed[rows],
        scored=counts.scored[rows],
        score_sum=counts.score_sum[rows],
        outcomes=None if counts.outcomes is None else counts.outcomes[rows],
    )
