"""A sequential plan, wired: when the runner stops paying, and what its report leaves out."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from harness.analysis import Anytime, is_enough, sequential_block
from harness.domain.batches import after_the_batches, asked_at_most, batches, only_cases
from harness.domain.cases import ARMS, Case
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.stopping import Asked, SequentialBlock
from harness.domain.verdicts import CaseResult
from harness.graders.reading import read_run
from harness.runner.collect import run_records
from harness.runner.requests import answer_requests, n_calls_planned
from harness.store.protocol import ResponseStore

NOTE = (
    "The plan is sequential: intervals and p-values of primary, majority, mean, guardrails and slices "
    "hold whenever the run ends; all others are of a fixed size and only describe. "
    "A difference that ended a run early is on average larger than the true one."
)

EARLY = "its sequential run ended by the evidence: tests and intervals of a fixed size do not hold for it"


def anytime_of(plan: Plan) -> Anytime | None:
    """Return the design of a sequential plan; null where the number of cases is fixed, or there are none."""
    if plan.experiment.sequential is None or not plan.cases:
        return None
    sizes = Counter(case.group for batch in batches(plan) for case in batch)
    return Anytime(largest_cluster=max(sizes.values(), default=1))


def terms(plan: Plan) -> dict[str, object] | None:
    """Return what a sequential plan promises, in numbers and in words; null where it is not one."""
    sequential = plan.experiment.sequential
    if sequential is None:
        return None
    planned, held_out = batches(plan), after_the_batches(plan)
    n_cases, alpha = sum(map(len, planned)), plan.experiment.analysis.alpha
    first = only_cases(plan, {case.id for case in (*planned[0], *held_out)})
    least, most = n_calls_planned(first).total, n_calls_planned(asked_at_most(plan)).total
    after = f"then the {len(held_out)} held-out cases" if held_out else "no held-out case is asked"
    return {
        "n_batches": len(planned),
        "n_cases_at_most": n_cases,
        "calls_at_least": least,
        "calls_at_most": most,
        "threshold": 1 / alpha,
        "means": [
            f"after any of {len(planned)} batches of {sequential.batch} exploratory cases in a seeded order, "
            f"at the latest after {n_cases} cases; {after}",
            f"once the e-value reaches {1 / alpha:g}: arms that do not differ are told apart in at most "
            f"{alpha:.1%} of runs, whenever they end",
            f"{least} calls at least and {most} at most, without retries",
        ],
    }


class Stopping:
    """Asked after each batch whether another is worth its price.

    It reads the batches as they end, each once. What was asked is never left
    out: where a call that had failed changes a decision that was passed over
    before, and the next batch has begun, the run goes on with it.
    """

    def __init__(self, plan: Plan, store: ResponseStore) -> None:
        """Start before the first batch."""
        self._plan = plan
        self._store = store
        self._batches = batches(plan)
        self._anytime = anytime_of(plan)
        self._results: list[CaseResult] = []

    def __call__(self, number: int) -> bool:
        """Return whether the run has seen enough once this batch, counted from 0, has ended."""
        if self._anytime is None or number + 1 == len(self._batches):
            return True
        self._results += _read(self._plan, self._batches[number], self._store)
        enough = is_enough(self._results, self._plan.experiment.analysis, self._anytime)
        return enough and not _has_begun(self._plan, self._batches[number + 1], self._store)


def _read(plan: Plan, cases: tuple[Case, ...], store: ResponseStore) -> tuple[CaseResult, ...]:
    # Read as a run that has these cases and nothing else.
    alone = plan.model_copy(update={"cases": cases, "held_out": (), "canaries": (), "anchors": ()})
    return read_run(alone, (record for record, _ in run_records(alone, store, {})), ()).cases


def _has_begun(plan: Plan, cases: tuple[Case, ...], store: ResponseStore) -> bool:
    return any(
        store.get(request.name) is not None
        for case in cases
        for arm in ARMS
        for request in answer_requests(plan, case, arm)
    )


class Followed(NamedTuple):
    """A run without the cases that its plan did not want. All else is null where it is not sequential."""

    plan: Plan
    reading: Reading
    anytime: Anytime | None
    block: SequentialBlock | None


def follow(plan: Plan, reading: Reading) -> Followed:
    """Return the run as far as its plan wanted it.

    A case behind the stop is no missing verdict: the plan did not want it. Where
    something else broke the run off, all that the plan may ask stays, and what was
    not asked is missing.
    """
    anytime = anytime_of(plan)
    if anytime is None:
        return Followed(plan, reading, None, None)
    planned = [frozenset(case.id for case in batch) for batch in batches(plan)]
    begun = _begun(reading)
    n_batches = max((number for number, batch in enumerate(planned, 1) if begun & batch), default=0)
    seen = frozenset[str]().union(*planned[:n_batches])
    results = [case for case in reading.cases if case.case in seen]
    asked = Asked(
        n_batches=n_batches,
        n_batches_planned=len(planned),
        n_cases=len(seen),
        n_cases_planned=sum(map(len, planned)),
        is_whole=n_batches > 0 and not _is_torn(reading, results),
    )
    block = sequential_block(results, plan.experiment.analysis, anytime, asked)
    wanted = frozenset[str]().union(*planned) if block.ended == "not_ended" else seen
    kept = wanted | {case.id for case in after_the_batches(plan)}
    return Followed(only_cases(plan, kept), reading.only(kept), anytime, block)


def _begun(reading: Reading) -> set[str]:
    return {
        case.case
        for case in reading.cases
        if any(answer.reason != "not_run" for answer in (*case.baseline, *case.candidate))
    }


def _is_torn(reading: Reading, results: Sequence[CaseResult]) -> bool:
    """Whether a call about these cases was never made: an answer, or a vote on an answer with text."""
    ids = {case.case for case in results}
    if any(answer.reason == "not_run" for case in results for answer in (*case.baseline, *case.candidate)):
        return True
    texts = {(note.case, note.arm, note.repeat) for note in reading.answers}
    return any(
        vote.verdict.no_verdict == "not_run"
        and vote.subject.id in ids
        and (vote.subject.id, vote.subject.arm, vote.subject.answer) in texts
        for vote in reading.case_votes
    )
