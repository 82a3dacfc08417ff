"""`harness compare` with three or more results: do they differ at all, and which ones."""

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.analysis.blocks import generator
from harness.analysis.majority import paired_interval
from harness.cli.compare import read_side, run_directory
from harness.cli.output import put
from harness.cli.run_results import refuse_other_judge
from harness.domain.errors import InputError
from harness.importers.pairing import pair_results
from harness.importers.results import ResultCase, ResultFile
from harness.report.inert import inert
from harness.stats.estimability import NotEstimable
from harness.stats.intervals import Interval
from harness.stats.many_arms import ArmPair, CochranTest, cochran_q, pairwise_midp
from harness.stats.many_arms_clustered import ClusteredQ, clustered_q, pairwise_sign_flips

_N_RESAMPLES = 9_999

Test = CochranTest | ClusteredQ | NotEstimable


class Many(NamedTuple):
    """Several arms on the cases they share.

    Attributes:
        names: Of the files, in their order.
        passes: Whether each arm (column) passes each case (row). Shape (n_cases, n_arms).
        n_all: Cases in any file.
        clusters: Number of each case's cluster, shape (n_cases,); None where each case stands alone.
        notes: What is known of each file, after its name.
    """

    names: tuple[str, ...]
    passes: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    n_all: int
    clusters: np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None
    notes: tuple[str, ...]


class Compared(NamedTuple):
    """What is said of the arms together and of every pair, with its interval or why it has none."""

    test: Test
    pairs: tuple[ArmPair, ...]
    intervals: tuple[Interval | NotEstimable, ...]


def compare_many(
    *,
    paths: Sequence[Path],
    pass_at: float | None,
    metric: str | None,
    questions_differ: bool,
    alpha: float,
    seed: int,
    as_json: bool,
) -> int:
    """Print Cochran's Q and every pair; return 0. Whole clusters are permuted where cases share them."""
    for other in paths[1:]:
        refuse_other_judge(run_directory(paths[0]), run_directory(other))
    many = _aligned([read_side(path, pass_at, metric) for path in paths], questions_differ)
    if not len(many.passes):
        raise InputError(f"compare: no case has a majority in all {len(paths)} results")
    found = _compared(many, alpha=alpha, seed=seed)
    put(_json(many, found, alpha) if as_json else _text(many, found, alpha))
    return 0


def _compared(many: Many, *, alpha: float, seed: int) -> Compared:
    test, pairs = _tests(many, seed=seed)
    return Compared(test, pairs, tuple(_interval(many, pair, alpha) for pair in pairs))


def _tests(many: Many, *, seed: int) -> tuple[Test, tuple[ArmPair, ...]]:
    if many.clusters is None:
        return cochran_q(many.passes), pairwise_midp(many.passes)
    test = clustered_q(
        many.passes, clusters=many.clusters, n_resamples=_N_RESAMPLES, rng=generator(seed, "many.q")
    )
    pairs = pairwise_sign_flips(
        many.passes, clusters=many.clusters, n_resamples=_N_RESAMPLES, rng=generator(seed, "many.pairs")
    )
    return test, pairs


def _interval(many: Many, pair: ArmPair, alpha: float) -> Interval | NotEstimable:
    """Return the interval that a comparison of these two alone would have."""
    differences = many.passes[:, pair.second].astype(np.int64) - many.passes[:, pair.first]
    return paired_interval(differences, many.clusters, confidence_level=1 - alpha).interval


def _aligned(files: Sequence[ResultFile], questions_differ: bool) -> Many:
    by_id = [{case.id: case for case in file.cases} for file in files]
    ids = list(dict.fromkeys(name for cases in by_id for name in cases))
    homes = _clusters(files, questions_differ)
    # The held-out side of a run stays closed, here as everywhere.
    found = [[_majority(cases.get(name)) for cases in by_id] for name in ids]
    known = [name for name, row in zip(ids, found, strict=True) if None not in row]
    rows = [row for row in found if None not in row]
    codes = {home: number for number, home in enumerate(dict.fromkeys(homes[name] for name in known))}
    alone = len(codes) == len(known)
    return Many(
        names=tuple(file.path for file in files),
        passes=np.array(rows, dtype=np.bool_).reshape(len(rows), len(files)),
        n_all=len(ids),
        clusters=None if alone else np.array([codes[homes[name]] for name in known], dtype=np.int64),
        notes=tuple(f"{file.path}: {note}" for file in files for note in file.notes),
    )


def _clusters(files: Sequence[ResultFile], questions_differ: bool) -> dict[str, str]:
    """Return each case's cluster, as any file names it; every two files must agree as for a comparison."""
    homes: dict[str, str] = {}
    for first, second in combinations(files, 2):
        pairing = pair_results(baseline=first, candidate=second, other_questions=questions_differ)
        for case in pairing.cases:
            if case.cluster != case.case or case.case not in homes:
                homes[case.case] = case.cluster
    return homes


def _majority(case: ResultCase | None) -> bool | None:
    """Return whether more than half of the answers pass, or fail; null where neither does."""
    if case is None or case.split == "held_out":
        return None
    n_pass = sum(answer.outcome == "pass" for answer in case.answers)
    n_fail = sum(answer.outcome == "fail" for answer in case.answers)
    asked = len(case.answers)
    return True if 2 * n_pass > asked else False if 2 * n_fail > asked else None


def _text(many: Many, found: Compared, alpha: float) -> str:
    n = len(many.passes)
    lines = [
        f"{len(many.names)} results on {n} cases that all of them have a majority on; "
        f"{many.n_all - n} left out",
        *(
            f"  {number}  {rate:6.1%}  {name}"
            for number, (rate, name) in enumerate(zip(many.passes.mean(axis=0), many.names, strict=True), 1)
        ),
        _test_line(found.test),
        _pairs_head(many, alpha),
    ]
    pairs = zip(found.pairs, found.intervals, strict=True)
    lines += [_pair_line(pair, interval, n) for pair, interval in pairs]
    return "\n".join([*lines, *(f"note: {inert(note)}" for note in many.notes)])


def _test_line(test: Test) -> str:
    if isinstance(test, NotEstimable):
        return f"Cochran's Q not estimable: {test.reason}"
    start = f"Cochran's Q {test.statistic:.2f}, {test.df} df, p = {test.pvalue:.2g}"
    if isinstance(test, CochranTest):
        return f"{start}, {test.n_informative} cases on which they do not all agree"
    draws = "all permutations" if test.n_resamples is None else f"{test.n_resamples:,} permutations"
    return (
        f"{start} by {draws} of the arms of whole clusters, {test.n_informative} of {test.n_clusters} "
        "clusters in which they do not all pass alike"
    )


def _pairs_head(many: Many, alpha: float) -> str:
    if many.clusters is None:
        how = "Tango score interval, not adjusted; mid-p, then after Holm"
    else:
        how = "plus-two CR2 interval, not adjusted; sign flips of whole clusters, then after Holm"
    return f"pairs, later minus earlier; {1 - alpha:.0%} {how}"


def _pair_line(pair: ArmPair, interval: Interval | NotEstimable, n: int) -> str:
    limits = (
        f"no interval: {interval.reason}"
        if isinstance(interval, NotEstimable)
        else f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
    )
    return (
        f"  {pair.first + 1} to {pair.second + 1}  {100 * (pair.gain - pair.loss) / n:+.1f} points {limits}, "
        f"gain {pair.gain}, loss {pair.loss}, p = {pair.pvalue:.2g}, adjusted {pair.adjusted:.2g}, n = {n}"
    )


def _json(many: Many, found: Compared, alpha: float) -> str:
    n = len(many.passes)
    return json.dumps(
        {
            "n_cases": n,
            "n_left_out": many.n_all - n,
            "notes": many.notes,
            "n_clusters": n if many.clusters is None else int(many.clusters.max()) + 1,
            "arms": [
                {"path": name, "rate": float(rate)}
                for name, rate in zip(many.names, many.passes.mean(axis=0), strict=True)
            ],
            "cochran_q": _record(found.test),
            "alpha": alpha,
            "adjustment": "holm",
            "pairs": [
                pair._asdict() | {"difference": (pair.gain - pair.loss) / n, "interval": _record(interval)}
                for pair, interval in zip(found.pairs, found.intervals, strict=True)
            ],
        },
        indent=2,
    )


def _record(found: Test | Interval) -> dict[str, object]:
    return found._asdict()
