"""Does the judge repeat itself on the arms' own answers? What anchors are asked, asked of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from harness.audits.rates import CONFIDENCE_LEVEL, block_or_none, rate
from harness.domain.blocks import Rate
from harness.domain.fitness import AnswerStability, Stability
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.verdicts import Vote
from harness.stats.estimability import NotEstimable
from harness.stats.means import paired_mean_plus_two
from harness.stats.repeatability import vote_repeatability
from harness.stats.samples import BoolArray, FloatArray, IntArray

ALL = "answers of the arms"
_MOST_LISTED = 10
_NOT_ASKED = ("not_run", "failed")


class _Answers(NamedTuple):
    """The judge's votes on the arms' answers to exploratory cases, one row an answer.

    Attributes:
        names: What each answer is called.
        cases: Its case.
        arms: Its arm; of two answers in one order, the arm shown first.
        clusters: Number of its cluster, shape (n_answers,).
        votes: Number of each vote's label, -1 without one, shape (n_answers, n_votes).
        even: Whether every answer was asked as often.
    """

    names: tuple[str, ...]
    cases: tuple[str, ...]
    arms: tuple[str, ...]
    clusters: IntArray
    votes: IntArray
    even: bool


def answer_stability(plan: Plan, reading: Reading) -> AnswerStability | None:
    """Return how the judge repeats itself on exploratory answers; null where none is judged.

    Answers are the items and their cluster is the unit. Held-out cases stay
    closed to these numbers, whether the split was opened or not.
    """
    found = _answers(plan, reading)
    if plan.judge is None or found is None:
        return None
    agreeing, pairs = _pairs(found.votes, len(plan.judge.labels))
    repeated = pairs > 0
    shares = agreeing[repeated] / pairs[repeated]
    clusters = found.clusters[repeated]
    return AnswerStability(
        n_answers=int(repeated.sum()),
        self_agreement=_mean_rate(shares, clusters, n=int(agreeing.sum()), of=int(pairs.sum())),
        unanimous=_mean_rate(
            (shares == 1).astype(np.float64), clusters, n=int((shares == 1).sum()), of=int(repeated.sum())
        ),
        flip_rate=_flips(ALL, found, np.ones(len(found.names), dtype=np.bool_)),
        slices=tuple(_slices(plan, found)),
        least_stable=_least_stable(found.names, agreeing, pairs),
    )


def _answers(plan: Plan, reading: Reading) -> _Answers | None:
    side, group = plan.split_of(), {case.id: case.group for case in plan.cases}
    labels = {} if plan.judge is None else {label: n for n, label in enumerate(plan.judge.labels)}
    items: dict[tuple[str, str, int | None], list[int]] = {}
    asked: dict[tuple[str, str, int | None], int] = {}
    for vote in reading.case_votes:
        subject = vote.subject
        if side.get(subject.id) == "exploratory":
            key = (subject.id, subject.arm or subject.first or "", subject.answer)
            items.setdefault(key, []).append(-1 if vote.verdict.label is None else labels[vote.verdict.label])
            asked[key] = asked.get(key, 0) + _was_asked(vote)
    if not items:
        return None
    width = max(map(len, items.values()))
    matrix = np.full((len(items), width), -1, dtype=np.int64)
    for row, votes in enumerate(items.values()):
        matrix[row, : len(votes)] = votes
    return _Answers(
        names=tuple(f"{case}, {arm}, answer {answer}" for case, arm, answer in items),
        cases=tuple(case for case, _, _ in items),
        arms=tuple(arm for _, arm, _ in items),
        clusters=np.unique([group[case] for case, _, _ in items], return_inverse=True)[1],
        votes=matrix,
        even=len({n for n in asked.values() if n}) <= 1,
    )


def _was_asked(vote: Vote) -> bool:
    return vote.verdict.no_verdict not in _NOT_ASKED


def _pairs(votes: IntArray, n_labels: int) -> tuple[IntArray, IntArray]:
    """Return how many pairs of votes agree, and how many there are, of each answer."""
    counts = np.stack([(votes == label).sum(axis=1) for label in range(n_labels)], axis=1)
    n = counts.sum(axis=1)
    return (counts * (counts - 1) // 2).sum(axis=1), n * (n - 1) // 2


def _mean_rate(shares: FloatArray, clusters: IntArray, *, n: int, of: int) -> Rate:
    """Return a mean over answers, with the interval of their clusters."""
    if shares.size == 0:
        return rate(0, 0, nothing="no answer has two readable votes")
    found = paired_mean_plus_two(
        differences=shares, clusters=clusters, confidence_level=CONFIDENCE_LEVEL, support=(0.0, 1.0)
    )
    return Rate(
        n=n,
        of=of,
        rate=float(np.sort(shares).mean()),
        interval=block_or_none(found),
        reason=found.reason if isinstance(found, NotEstimable) else None,
    )


def _flips(of: str, found: _Answers, rows: BoolArray) -> Stability:
    if found.votes.shape[1] < 2 or not rows.any():
        return Stability(of=of, n_items=0, flip_rate=None, interval=None, reason="no item has two votes")
    rated = vote_repeatability(
        votes=found.votes[rows],
        n_first=None if found.even else 2,
        clusters=found.clusters[rows],
        confidence_level=CONFIDENCE_LEVEL,
    )
    if isinstance(rated, NotEstimable):
        return Stability(of=of, n_items=0, flip_rate=None, interval=None, reason=rated.reason)
    interval = rated.flip_rate_interval
    return Stability(
        of=of,
        n_items=rated.n_items,
        flip_rate=rated.flip_rate,
        interval=block_or_none(interval),
        reason=interval.reason if isinstance(interval, NotEstimable) else None,
    )


def _slices(plan: Plan, found: _Answers) -> Iterator[Stability]:
    """Yield the flip rate by arm and by tag of the case. People's labels are known of anchors alone."""
    arms = np.array(found.arms)
    for arm in sorted(set(found.arms)):
        yield _flips(f"answers: {arm}", found, arms == arm)
    tags = {case.id: case.tags for case in plan.cases}
    rows: dict[str, list[int]] = {}
    for row, case in enumerate(found.cases):
        for tag in tags[case]:
            rows.setdefault(tag, []).append(row)
    for tag in sorted(rows):
        mine = np.zeros(len(found.cases), dtype=np.bool_)
        mine[rows[tag]] = True
        yield _flips(f"answers, tag: {tag}", found, mine)


def _least_stable(names: Sequence[str], agreeing: IntArray, pairs: IntArray) -> tuple[tuple[str, float], ...]:
    wavering = np.flatnonzero(agreeing < pairs)
    listed = [(names[row], float(agreeing[row] / pairs[row])) for row in wavering.tolist()]
    return tuple(sorted(listed, key=lambda item: (item[1], item[0]))[:_MOST_LISTED])
