"""The quantities of each case whose means give variance components, distinct cases once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.stats.alike import alike_rows
from harness.stats.samples import BoolArray, FloatArray, IntArray


def quantity_rows(arms: list[tuple[FloatArray, BoolArray]]) -> tuple[FloatArray, IntArray]:
    """Return the distinct rows of quantities whose means over cases give the components.

    Shape (n_distinct, 3 + 7 n_arms), in the order of their values; and for each case its row's
    number. Of a million cases of a few votes, few are different.
    """
    found = [_distinct(values, mask) for values, mask in arms]
    joint = np.ravel_multi_index([arm.number for arm in found], [arm.means.size for arm in found])
    distinct = np.unique(joint)
    number = np.searchsorted(distinct, joint)
    of_arm = np.unravel_index(distinct, [arm.means.size for arm in found])
    means = [arm.means[rows] for arm, rows in zip(found, of_arm, strict=True)]
    difference = means[-1] - means[0] if len(means) == 2 else means[0]
    difference = difference - np.bincount(number) @ difference / number.size
    own = np.stack((np.ones_like(difference), difference, difference**2), axis=1)
    columns = [arm.quantities[rows] for arm, rows in zip(found, of_arm, strict=True)]
    rows, order = numbered(np.concatenate((own, *columns), axis=1))
    return rows, order[number]


def numbered(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct rows in the order of their values, and for each row its number among them."""
    rows, number = np.unique(rows, axis=0, return_inverse=True)
    return rows, number.reshape(-1)


class _Distinct(NamedTuple):
    """The distinct cases of one arm: mean and quantities of each, and which of them each case is."""

    means: FloatArray
    quantities: FloatArray
    number: IntArray


def _distinct(values: FloatArray, mask: BoolArray) -> _Distinct:
    n_cases = values.shape[0]
    seen = alike_rows(np.concatenate((values.reshape(n_cases, -1), mask.reshape(n_cases, -1)), axis=1))
    means, quantities = _arm_quantities(*_in_order(values[seen.first], mask[seen.first]))
    alike, number = np.unique(np.column_stack((means, quantities)), axis=0, return_inverse=True)
    return _Distinct(alike[:, 0], alike[:, 1:], number.reshape(-1)[seen.number])


def _in_order(values: FloatArray, mask: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Sort the votes of each answer, and answers of one vote, so that sums round alike in any order."""
    ordered = np.sort(np.where(mask, values, np.inf), axis=2)
    if ordered.shape[2] == 1:
        ordered.sort(axis=1)
    present = np.isfinite(ordered)
    return np.where(present, ordered, 0.0), present


def _arm_quantities(values: FloatArray, mask: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Mean of each case and its quantities in the order of `_Totals`."""
    n_votes = mask.sum(axis=2)
    answered = n_votes > 0
    n_answers = answered.sum(axis=1)
    answer_means = ratio(values.sum(axis=2), n_votes)
    case_means = answer_means.sum(axis=1) / n_answers
    off_answer = np.where(mask, values - answer_means[:, :, None], 0.0)
    off_case = np.where(answered, answer_means - case_means[:, None], 0.0)
    inverse_votes = ratio(answered.astype(np.float64), n_votes)
    repeated = n_answers >= 2
    quantities = (
        ratio((off_case**2).sum(axis=1), n_answers - 1),
        repeated.astype(np.float64),
        np.where(repeated, inverse_votes.sum(axis=1) / n_answers, 0.0),
        ratio((off_answer**2).sum(axis=2), n_votes - 1).sum(axis=1),
        (n_votes >= 2).sum(axis=1).astype(np.float64),
        1 / n_answers,
        inverse_votes.sum(axis=1) / n_answers**2,
    )
    return case_means, np.stack(quantities, axis=1)


def ratio(numerator: FloatArray, denominator: NDArray[np.generic]) -> FloatArray:
    """Return the quotient, 0 where the denominator is not above 0."""
    below = denominator.astype(np.float64)
    return np.divide(numerator, below, out=np.zeros(np.shape(numerator)), where=below > 0)
