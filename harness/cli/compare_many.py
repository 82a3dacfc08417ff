"""`harness compare` with three or more results: do they differ at all, and which ones."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.cli.compare import read_side, run_directory
from harness.cli.output import put
from harness.cli.run_results import refuse_other_judge
from harness.domain.errors import InputError
from harness.importers.pairing import refuse_other_grader
from harness.importers.results import ResultCase, ResultFile
from harness.stats.estimability import NotEstimable
from harness.stats.many_arms import ArmPair, CochranTest, cochran_q, pairwise_midp
from harness.stats.paired_difference import tango_interval

_INDEPENDENT = (
    "cases share clusters, and these tests take cases for independent: their p-values are too small"
)


class Many(NamedTuple):
    """Several arms on the cases they share.

    Attributes:
        names: Of the files, in their order.
        passes: Whether each arm (column) passes each case (row). Shape (n_cases, n_arms).
        n_all: Cases in any file.
        clustered: Whether cases share clusters.
    """

    names: tuple[str, ...]
    passes: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    n_all: int
    clustered: bool


def compare_many(
    *, paths: Sequence[Path], pass_at: float | None, metric: str | None, alpha: float, as_json: bool
) -> int:
    """Print Cochran's Q and every pair; return 0, or 3 where no case is in all files."""
    for other in paths[1:]:
        refuse_other_judge(run_directory(paths[0]), run_directory(other))
    files = [read_side(path, pass_at, metric) for path in paths]
    for file in files[1:]:
        refuse_other_grader(files[0], file)
    many = _aligned(files)
    if not len(many.passes):
        raise InputError(f"compare: no case has a majority in all {len(paths)} results")
    test, pairs = cochran_q(many.passes), pairwise_midp(many.passes)
    put(_json(many, test, pairs, alpha) if as_json else _text(many, test, pairs, alpha))
    return 0


def _aligned(files: Sequence[ResultFile]) -> Many:
    by_id = [{case.id: case for case in file.cases} for file in files]
    ids = list(dict.fromkeys(name for cases in by_id for name in cases))
    # The held-out side of a run stays closed, here as everywhere.
    found = [[_majority(cases.get(name)) for cases in by_id] for name in ids]
    known = [name for name, row in zip(ids, found, strict=True) if None not in row]
    rows = [row for row in found if None not in row]
    clusters = [by_id[0][name].cluster or name for name in known]
    return Many(
        names=tuple(file.path for file in files),
        passes=np.array(rows, dtype=np.bool_).reshape(len(rows), len(files)),
        n_all=len(ids),
        clustered=len(set(clusters)) < len(clusters),
    )


def _majority(case: ResultCase | None) -> bool | None:
    """Return whether more than half of the answers pass, or fail; null where neither does."""
    if case is None or case.split == "held_out":
        return None
    n_pass = sum(answer.outcome == "pass" for answer in case.answers)
    n_fail = sum(answer.outcome == "fail" for answer in case.answers)
    asked = len(case.answers)
    return True if 2 * n_pass > asked else False if 2 * n_fail > asked else None


def _text(many: Many, test: CochranTest | NotEstimable, pairs: Sequence[ArmPair], alpha: float) -> str:
    n = len(many.passes)
    left_out = many.n_all - n
    lines = [
        f"{len(many.names)} results on {n} cases that all of them have a majority on; {left_out} left out",
        *(
            f"  {letter}  {rate:6.1%}  {name}"
            for letter, rate, name in zip(_letters(many), many.passes.mean(axis=0), many.names, strict=True)
        ),
        f"Cochran's Q not estimable: {test.reason}"
        if isinstance(test, NotEstimable)
        else f"Cochran's Q {test.statistic:.2f}, {test.df} df, p = {test.pvalue:.2g}, "
        f"{test.n_informative} cases on which they do not all agree",
        f"pairs, later minus earlier; {1 - alpha:.0%} Tango score interval, not adjusted; "
        "mid-p, then after Holm",
    ]
    lines += [_pair_line(many, pair, alpha) for pair in pairs]
    return "\n".join([*lines, *([_INDEPENDENT] if many.clustered else [])])


def _pair_line(many: Many, pair: ArmPair, alpha: float) -> str:
    n, letters = len(many.passes), _letters(many)
    limits = tango_interval(gain=pair.gain, loss=pair.loss, n_cases=n, confidence_level=1 - alpha)
    return (
        f"  {letters[pair.first]} to {letters[pair.second]}  {100 * (pair.gain - pair.loss) / n:+.1f} points "
        f"[{100 * limits.low:+.1f}, {100 * limits.high:+.1f}], gain {pair.gain}, loss {pair.loss}, "
        f"p = {pair.pvalue:.2g}, adjusted {pair.adjusted:.2g}, n = {n}"
    )


def _json(many: Many, test: CochranTest | NotEstimable, pairs: Sequence[ArmPair], alpha: float) -> str:
    n = len(many.passes)
    return json.dumps(
        {
            "n_cases": n,
            "n_left_out": many.n_all - n,
            "arms": [
                {"path": name, "rate": float(rate)}
                for name, rate in zip(many.names, many.passes.mean(axis=0), strict=True)
            ],
            "cochran_q": {"reason": test.reason} if isinstance(test, NotEstimable) else test._asdict(),
            "alpha": alpha,
            "adjustment": "holm",
            "pairs": [pair._asdict() | {"difference": (pair.gain - pair.loss) / n} for pair in pairs],
            "warnings": [_INDEPENDENT] if many.clustered else [],
        },
        indent=2,
    )


def _letters(many: Many) -> tuple[str, ...]:
    return tuple(f"{number + 1}" for number in range(len(many.names)))
