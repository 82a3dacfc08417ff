"""A run that several models answered: its answers by who gave them, and whether that matters."""

import math

import numpy as np

from harness.analysis.answerers import Answerers, RepairedPairs, repaired
from harness.analysis.blocks import generator, interval_block
from harness.analysis.estimate import Target, estimate
from harness.analysis.gating import gating_mean, plus_two_mean
from harness.analysis.table import BoolArray, FloatArray, IntArray, Table
from harness.domain.case_blocks import CombinedSegments, HomogeneityBlock, Segment, SegmentsBlock
from harness.stats.estimability import NotEstimable
from harness.stats.homogeneity import segment_homogeneity

_N_RESAMPLES = 999


def segments_block(table: Table, who: Answerers, target: Target, *, alpha: float, seed: int) -> SegmentsBlock:
    """Estimate the difference by who answered, all segments combined, and whether they are alike.

    Answers are paired again by repeat, so a case whose calls straddle a change
    of model takes part with each of its pairs where it belongs.
    """
    if who.steady:
        return SegmentsBlock(
            reason="the same models answered throughout" if who.n_known else "who answered is not known"
        )
    pairs = repaired(table, who, of=target.of)
    empty = SegmentsBlock(n_straddling=pairs.n_straddling, n_unknown=pairs.n_unknown)
    if not pairs.segments:
        return empty.model_copy(
            update={"reason": "of no two answers asked side by side is it known who gave both"}
        )
    return empty.model_copy(
        update={
            "segments": tuple(_segment(pairs, n, target, alpha=alpha) for n in range(len(pairs.segments))),
            "combined": _combined(pairs, target, alpha=alpha),
            "pooled": estimate(table, target, confidence_level=1 - alpha).difference,
            "homogeneity": _homogeneity(pairs, seed=seed),
        }
    )


def _segment(pairs: RepairedPairs, number: int, target: Target, *, alpha: float) -> Segment:
    mine = pairs.members == number
    differences = pairs.differences[mine]
    found = gating_mean(
        differences,
        _dense(pairs.clusters[mine]),
        confidence_level=1 - alpha,
        bounded=target.of == "pass",
    )
    return Segment(
        baseline_models=(pairs.segments[number][0],),
        candidate_models=(pairs.segments[number][1],),
        n_cases=int(np.unique(pairs.cases[mine]).size),
        n_pairs=int(mine.sum()),
        gain=int(np.sum(differences > 0)),
        loss=int(np.sum(differences < 0)),
        difference=math.fsum(differences) / differences.size,
        interval=None if isinstance(found, NotEstimable) else interval_block(found.interval),
        reason=found.reason if isinstance(found, NotEstimable) else None,
    )


def _combined(pairs: RepairedPairs, target: Target, *, alpha: float) -> CombinedSegments:
    """Weigh each segment by its pairs; its error comes from what varies within segments.

    Weights from the variances would follow the effects: of pass and fail, the
    variance is a function of the rate.
    """
    n_segments, n_pairs = len(pairs.segments), pairs.differences.size
    centre = math.fsum(pairs.differences) / n_pairs
    found = plus_two_mean(
        _within(pairs, centre),
        _dense(pairs.clusters),
        confidence_level=1 - alpha,
        bounded=target.of == "pass",
    )
    return CombinedSegments(
        n_segments=n_segments,
        n_cases=int(np.unique(pairs.cases).size),
        n_pairs=n_pairs,
        difference=centre,
        interval=None if isinstance(found, NotEstimable) else interval_block(found.interval),
        reason=found.reason if isinstance(found, NotEstimable) else None,
    )


def _within(pairs: RepairedPairs, centre: float) -> FloatArray:
    """Return the differences with every segment's mean moved to the common one.

    A mean estimated for each segment costs a degree of freedom, which the
    factor gives back.
    """
    sizes = np.bincount(pairs.members)
    means = np.bincount(pairs.members, weights=pairs.differences) / sizes
    n_clusters = np.unique(pairs.clusters).size
    lost = min(len(pairs.segments) - 1, n_clusters - 2)
    factor = math.sqrt((n_clusters - 1) / (n_clusters - 1 - lost)) if lost > 0 else 1.0
    return np.asarray(centre + factor * (pairs.differences - means[pairs.members]), dtype=np.float64)


def _dense(clusters: IntArray) -> IntArray | None:
    """Number the clusters from 0; None where every pair stands alone."""
    codes = np.unique(clusters, return_inverse=True)[1]
    alone: BoolArray = np.bincount(codes) == 1
    return None if bool(alone.all()) else codes.astype(np.int64)


def _homogeneity(pairs: RepairedPairs, *, seed: int) -> HomogeneityBlock:
    found = segment_homogeneity(
        differences=pairs.differences,
        segments=pairs.members,
        clusters=pairs.clusters,
        n_resamples=_N_RESAMPLES,
        rng=generator(seed, "segments"),
    )
    if isinstance(found, NotEstimable):
        return HomogeneityBlock(reason=found.reason)
    return HomogeneityBlock(**found._asdict())
