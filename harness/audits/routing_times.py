"""Who answered when: every identity of every endpoint, by tenths of the run."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.domain.calls import Subject
from harness.domain.findings import RoutingRow
from harness.domain.order import interleaved, rounds
from harness.domain.plan import Plan
from harness.domain.verdicts import CallIdentity

N_PARTS = 10
_MOST_IDENTITIES = 50

_Identity = tuple[str | None, str | None, str | None]


class RoutingTimes(NamedTuple):
    """The cross table, and how many identities are not in it."""

    rows: tuple[RoutingRow, ...]
    n_left_out: int


def routing_times(plan: Plan, identities: Sequence[CallIdentity], endpoints: Iterable[str]) -> RoutingTimes:
    """Return the calls of each endpoint that more than one answered, by who and by tenth of the run.

    A call's place is the one it has in the seeded order of asking, which the
    plan alone decides: so the table follows from the evidence, at any
    concurrency and after any resume. Votes stand where the answer stands that
    they are about, anchors are spread over the run, and canaries come first.

    Args:
        plan: The plan of the run.
        identities: Who answered each call.
        endpoints: The endpoints, in the order of the table.
    """
    changing = [name for name in endpoints if len(_who(identities, name)) > 1]
    if not changing:
        return RoutingTimes((), 0)
    place = _places(plan)
    rows: list[RoutingRow] = []
    n_left_out = 0
    for endpoint in changing:
        counts: dict[_Identity, Counter[int]] = {}
        for call in identities:
            if call.endpoint == endpoint:
                who = (call.model, call.provider, call.fingerprint)
                counts.setdefault(who, Counter())[place(call.subject, call.repeat)] += 1
        # Most calls first: with a fingerprint a call, the table would be as long as the run.
        busiest = sorted(counts, key=lambda who: (-counts[who].total(), tuple(part or "" for part in who)))
        n_left_out += max(0, len(busiest) - _MOST_IDENTITIES)
        rows.extend(_row(endpoint, who, counts[who]) for who in busiest[:_MOST_IDENTITIES])
    return RoutingTimes(tuple(rows), n_left_out)


def _who(identities: Sequence[CallIdentity], endpoint: str) -> set[_Identity]:
    return {(call.model, call.provider, call.fingerprint) for call in identities if call.endpoint == endpoint}


def _row(endpoint: str, who: _Identity, counts: Counter[int]) -> RoutingRow:
    model, provider, fingerprint = who
    return RoutingRow(
        endpoint=endpoint,
        model=model,
        provider=provider,
        fingerprint=fingerprint,
        n_calls=counts.total(),
        by_tenth=tuple(counts[part] for part in range(N_PARTS)),
    )


def _places(plan: Plan) -> Callable[[Subject, int], int]:
    """Return what says in which tenth of the run a call was asked."""
    repeats, seed = plan.experiment.repeats, plan.experiment.analysis.seed
    n_answers = 2 * repeats.answers * len(plan.cases)
    answers = {
        (case.id, arm, repeat): N_PARTS * index // n_answers
        for index, (case, arm, repeat) in enumerate(
            interleaved(plan.cases, repeats=repeats.answers, seed=seed)
        )
    }
    ids = [anchor.id for anchor in plan.anchors]
    n_anchors = repeats.votes * len(ids)
    anchors = {
        (ids[index], repeat): N_PARTS * number // n_anchors
        for number, (index, repeat) in enumerate(
            rounds(ids, repeats=repeats.votes, seed=seed, purpose="anchors")
        )
    }

    def place(subject: Subject, repeat: int) -> int:
        if subject.kind == "case":
            answer = repeat if subject.answer is None else subject.answer
            return answers.get((subject.id, subject.arm or "baseline", answer), 0)
        return anchors.get((subject.id, repeat), 0) if subject.kind == "anchor" else 0

    return place
