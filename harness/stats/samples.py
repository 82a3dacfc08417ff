"""Arrays of scores and of clusters as the other files of this room accept them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def scores(values: ArrayLike, *, name: str) -> FloatArray:
    """Return finite numbers, one a case.

    Args:
        values: Numbers. Shape (n_cases,), n_cases >= 1.
        name: What they are called in an error message.

    Raises:
        ValueError: Not one-dimensional, empty, not numeric, NaN or infinite.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, one value a case; found shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one case is needed")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold numbers, found dtype {array.dtype}")
    finite = array.astype(np.float64, copy=False)
    if not np.all(np.isfinite(finite)):
        raise ValueError(f"{name} holds {int(np.sum(~np.isfinite(finite)))} values that are NaN or infinite")
    return finite


def counts(values: ArrayLike, *, name: str) -> IntArray:
    """Return counts as integers, whatever their shape.

    Args:
        values: Whole numbers, zero or more; booleans are refused, being answers to
            another question.
        name: What they are called in an error message.

    Raises:
        ValueError: Empty, boolean, fractional, negative, NaN or infinite.
    """
    array = np.asarray(values)
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one count is needed")
    if array.dtype.kind == "b":
        raise ValueError(f"{name} must hold counts, found booleans")
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name} must hold counts, found dtype {array.dtype}")
    if array.dtype.kind == "f" and not (np.all(np.isfinite(array)) and np.all(array == np.floor(array))):
        raise ValueError(f"{name} must hold whole numbers, found fractions, NaN or infinities")
    if np.any(array < 0):
        raise ValueError(f"{name} must not be negative, found {array.min()}")
    return array.astype(np.int64, copy=False)


def sum_of_squares(values: FloatArray) -> float:
    """Return the sum of squares, in one order of addition on every machine.

    A dot product would be split among threads, as many as there are.
    """
    return float(np.sum(values * values))


def same_length(**arrays: NDArray[np.generic]) -> None:
    """Refuse arrays that do not describe the same cases.

    Raises:
        ValueError: First dimensions differ.
    """
    lengths = {name: array.shape[0] for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"arrays must be paired case by case: {found}")


def probability(value: float, *, name: str) -> float:
    """Return a number strictly between 0 and 1.

    Raises:
        ValueError: It is not.
    """
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, found {value}")
    return float(value)


def cluster_codes(clusters: Sequence[str] | ArrayLike | None, *, n_cases: int) -> IntArray | None:
    """Number the clusters 0..n_clusters-1, or return None when every case stands alone.

    Args:
        clusters: One name or number a case. Shape (n_cases,). None: no clusters.
        n_cases: Length wanted.

    Raises:
        ValueError: Another length, or names that are NaN.
    """
    if clusters is None:
        return None
    names = np.asarray(clusters)
    if names.shape != (n_cases,):
        raise ValueError(f"clusters must name one cluster a case: {n_cases} cases, shape {names.shape}")
    if names.dtype.kind == "f" and not np.all(np.isfinite(names)):
        raise ValueError("clusters must not hold NaN or infinities")
    codes = _dense(names) if _is_compact(names) else np.unique(names, return_inverse=True)[1]
    return None if int(codes.max()) + 1 == n_cases else codes.astype(np.int64, copy=False)


def _is_compact(names: NDArray[np.generic]) -> bool:
    if names.dtype.kind not in "iu":
        return False
    return bool(names.min() >= 0 and names.max() < 4 * names.size + 64)


def _dense(names: NDArray[np.generic]) -> IntArray:
    """Number small non-negative integers without sorting them."""
    whole = names.astype(np.int64, copy=False)
    present = np.bincount(whole) > 0
    return (np.cumsum(present) - 1)[whole]
