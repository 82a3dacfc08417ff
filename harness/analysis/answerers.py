"""Who answered each call, and the answers of both arms paired again by who answered them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from harness.analysis.mean import Measure
from harness.analysis.table import FloatArray, IntArray, Table
from harness.domain.cases import ARMS, Arm
from harness.domain.verdicts import CallIdentity

SegmentName = tuple[str, str]


class Answerers(NamedTuple):
    """Who answered the arms' calls.

    Attributes:
        n_known: Calls of the arms whose answer named a model.
        steady: Whether each arm was answered by one and the same throughout, as far as is known.
        by_call: Who answered, by case, arm and repeat; null where that is unknown. Empty where steady.
    """

    n_known: int
    steady: bool
    by_call: Mapping[tuple[str, Arm, int], str | None]


NOBODY = Answerers(n_known=0, steady=True, by_call={})
"""Where who answered is not known."""


class RepairedPairs(NamedTuple):
    """Answers of the two arms with the same repeat, asked side by side, whose answerers are known.

    Attributes:
        segments: The segments in order of their names: who answered for the baseline, and for the candidate.
        differences: Candidate minus baseline of each pair, shape (n_pairs,).
        cases: Row of each pair's case in the table, shape (n_pairs,).
        clusters: Number of each pair's cluster, shape (n_pairs,).
        members: Number of each pair's segment, shape (n_pairs,).
        n_unknown: Pairs left out because nobody knows who answered one of the two.
    """

    segments: tuple[SegmentName, ...]
    differences: FloatArray
    cases: IntArray
    clusters: IntArray
    members: IntArray
    n_unknown: int

    @property
    def n_straddling(self) -> int:
        """Cases with pairs in more than one segment."""
        found = set(zip(self.cases.tolist(), self.members.tolist(), strict=True))
        return sum(n > 1 for n in Counter(case for case, _ in found).values())


def answerers(identities: Iterable[CallIdentity]) -> Answerers:
    """Return who answered for the arms: model id, provider and fingerprint, as far as they came back.

    A model id that did not come back is unknown. So is a fingerprint where
    other calls of the arm have one; where none has, the model is all that is
    known of it.
    """
    calls = [call for call in identities if call.endpoint in ARMS and call.subject.kind == "case"]
    seen = Counter([(call.endpoint, call.model, call.provider, call.fingerprint) for call in calls])
    n_known = sum(n for (_, model, _, _), n in seen.items() if model is not None)
    kinds = {arm: {who[1:] for who in seen if who[0] == arm} for arm in ARMS}
    if all(len(kinds[arm]) < 2 for arm in ARMS):
        return Answerers(n_known=n_known, steady=True, by_call={})
    has = {arm: tuple(any(kind[part] for kind in kinds[arm]) for part in range(3)) for arm in ARMS}
    by_call: dict[tuple[str, Arm, int], str | None] = {}
    for call in calls:
        arm: Arm = "baseline" if call.endpoint == "baseline" else "candidate"
        by_call[call.subject.id, arm, call.repeat] = _name(call, has[arm])
    return Answerers(n_known=n_known, steady=False, by_call=by_call)


def _name(call: CallIdentity, has: tuple[bool, ...]) -> str | None:
    parts = (call.model, call.provider, call.fingerprint)
    if call.model is None or any(wanted and not part for wanted, part in zip(has, parts, strict=True)):
        return None
    return " ".join(part for part in parts if part)


def repaired(table: Table, who: Answerers, *, of: Measure) -> RepairedPairs:
    """Pair the answers of both arms again, repeat by repeat, and say in which segment each pair is.

    The repeat is what was asked side by side in both arms: what drifted
    between two rounds cannot come between the two answers of a pair.
    """
    names: list[SegmentName] = []
    found: list[tuple[int, float]] = []
    n_unknown = 0
    for row, result in enumerate(table.results):
        for repeat in range(min(len(result.baseline), len(result.candidate))):
            was, now = _value(table, "baseline", row, repeat, of), _value(table, "candidate", row, repeat, of)
            if was is None or now is None:
                continue
            first = who.by_call.get((result.case, "baseline", repeat))
            second = who.by_call.get((result.case, "candidate", repeat))
            if first is None or second is None:
                n_unknown += 1
                continue
            names.append((first, second))
            found.append((row, now - was))
    segments = tuple(sorted(set(names)))
    numbers = {name: number for number, name in enumerate(segments)}
    rows = np.array([row for row, _ in found], dtype=np.int64)
    return RepairedPairs(
        segments=segments,
        differences=np.array([difference for _, difference in found], dtype=np.float64),
        cases=rows,
        clusters=rows if table.clusters is None else table.clusters[rows],
        members=np.array([numbers[name] for name in names], dtype=np.int64),
        n_unknown=n_unknown,
    )


def _value(table: Table, arm: Arm, row: int, repeat: int, of: Measure) -> float | None:
    result = table.results[row]
    answer = (result.baseline if arm == "baseline" else result.candidate)[repeat]
    if of == "score":
        return answer.score
    outcomes = (table.baseline if arm == "baseline" else table.candidate).outcomes
    if outcomes is None:
        return None if answer.outcome is None else float(answer.outcome == "pass")
    outcome = int(outcomes[row, repeat])
    return None if outcome < 0 else float(outcome)
