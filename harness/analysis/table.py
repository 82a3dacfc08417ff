"""Case results as arrays, one row a case: the only shape the analysis computes on."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.domain.cases import Arm
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
    """

    asked: IntArray
    passed: IntArray
    failed: IntArray
    scored: IntArray
    score_sum: FloatArray

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
        return self.take(keep)

    def take(self, keep: BoolArray) -> "Table":
        """Return the table of the cases kept."""
        return Table(
            results=tuple(result for result, kept in zip(self.results, keep, strict=True) if kept),
            clusters=None if self.clusters is None else self.clusters[keep],
            weights=self.weights[keep],
            baseline=_kept(self.baseline, keep),
            candidate=_kept(self.candidate, keep),
        )


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


def arm(table: Table, name: Arm) -> ArmCounts:
    """Return one arm's counts."""
    return table.baseline if name == "baseline" else table.candidate


def _counts(answers: Sequence[Sequence[Graded]], *, missing: Literal["no_verdict", "fail"]) -> ArmCounts:
    passed = np.array([sum(a.outcome == "pass" for a in found) for found in answers], dtype=np.int64)
    failed = np.array([_failed(found, missing) for found in answers], dtype=np.int64)
    asked = np.array([len(found) for found in answers], dtype=np.int64)
    scores = [[a.score for a in found if a.score is not None] for found in answers]
    return ArmCounts(
        asked=asked,
        passed=passed,
        failed=failed,
        scored=np.array([len(found) for found in scores], dtype=np.int64),
        score_sum=np.array([sum(found) for found in scores], dtype=np.float64),
    )


def _kept(counts: ArmCounts, keep: BoolArray) -> ArmCounts:
    return ArmCounts(
        asked=counts.asked[keep],
        passed=counts.passed[keep],
        failed=counts.failed[keep],
        scored=counts.scored[keep],
        score_sum=counts.score_sum[keep],
    )


def _failed(answers: Sequence[Graded], missing: Literal["no_verdict", "fail"]) -> int:
    if missing == "fail":
        return sum(
            a.outcome == "fail" or (a.outcome is None and a.reason != "not_applicable") for a in answers
        )
    return sum(a.outcome == "fail" for a in answers)
