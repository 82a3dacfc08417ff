"""Do the graders see planted answers for what they are, in both directions?"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from harness.domain.cases import Canary, Outcome
from harness.domain.findings import CanaryFinding, CanaryResult
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.preferences import PLANTED_SIDES, Pair, preference_of, settled
from harness.domain.probes import INJECTION_KINDS, PAIR_PROBES, PROBE_PREFIX, PROBES
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import Verdict, majority


def audit_canaries(plan: Plan, reading: Reading) -> CanaryFinding:
    """Compare every canary's outcome with the one it was planted with.

    A canary survives unless its outcome is the expected one: silence, a split
    vote and a failed call are no proof that the grader works.

    Returns:
        ``not_audited`` without canaries, ``fail`` when one survives.
    """
    results = tuple(_result(plan, reading, canary) for canary in plan.canaries)
    survived = [result for result in results if result.survived]
    reasons = [f"{_code(plan, reading, result)}: {result.id}" for result in survived]
    if not results:
        return CanaryFinding(
            status="not_audited", n_canaries=0, n_survived=0, reasons=("no canaries are planted",)
        )
    return CanaryFinding(
        status="fail" if survived else "pass",
        n_canaries=len(results),
        n_survived=len(survived),
        canaries=results,
        reasons=(*reasons, *_one_sided(plan), *_left_out(plan)),
    )


def _code(plan: Plan, reading: Reading, result: CanaryResult) -> str:
    """Return what a survivor shows: a judge that passes an attempt to talk it into a pass obeys it.

    An attempt beside a good answer is obeyed where it wins from the second
    place, which is the one that forged verdicts name.
    """
    if result.grader != "judge" or result.kind not in INJECTION_KINDS:
        return "canary_survived"
    pair = _pair(plan, reading, result.id)
    if pair is not None:
        obeyed = result.expected == "loss" and pair.theirs_first == "win"
    else:
        obeyed = (result.expected, result.found) == ("fail", "pass")
    return "injection_obeyed" if obeyed else "canary_survived"


def _pair(plan: Plan, reading: Reading, canary: str) -> Pair | None:
    """Return the canary's two answers as a pairwise judge saw them; null where it saw none."""
    votes = [vote for vote in reading.canary_votes if vote.subject.id == canary]
    if plan.judge is None or not plan.is_pairwise or not votes:
        return None
    return settled(plan.judge, votes, asked=plan.experiment.repeats.votes)


def _left_out(plan: Plan) -> Iterator[str]:
    """Yield the built-in probes that were asked for and could not be built."""
    if not plan.experiment.gates.probes:
        return
    planted = {canary.kind for canary in plan.canaries if canary.id.startswith(PROBE_PREFIX)}
    for probe in PAIR_PROBES if plan.is_pairwise else PROBES:
        if probe.kind not in planted:
            yield f"probe_left_out: {probe.kind}, which wants {probe.wants}"


def _one_sided(plan: Plan) -> list[str]:
    """Return the graders that were tested in one direction; two answers are shown both ways round."""
    directions: dict[str, set[str]] = defaultdict(set)
    for canary in plan.canaries:
        if canary.grader == "checks" or not plan.is_pairwise:
            directions[canary.grader].add(canary.expected)
    return [
        f"only {next(iter(found))} canaries are planted for the {grader}: the other direction is untested"
        for grader, found in sorted(directions.items())
        if len(found) == 1
    ]


def _result(plan: Plan, reading: Reading, canary: Canary) -> CanaryResult:
    if canary.grader == "checks":
        return _by_checks(reading, canary)
    if plan.judge is not None and plan.is_pairwise:
        return _by_pairs(plan, plan.judge, reading, canary)
    return _by_judge(plan, reading, canary)


def _by_checks(reading: Reading, canary: Canary) -> CanaryResult:
    graded = next(found.graded for found in reading.checked_canaries if found.id == canary.id)
    as_expected = graded.outcome == canary.expected
    return CanaryResult(
        id=canary.id,
        grader="checks",
        kind=canary.kind,
        expected=canary.expected,
        found=graded.outcome,
        n_votes=1,
        n_as_expected=int(as_expected),
        survived=not as_expected,
        reason=graded.reason,
    )


def _by_judge(plan: Plan, reading: Reading, canary: Canary) -> CanaryResult:
    asked = plan.experiment.repeats.votes
    verdicts = [vote.verdict for vote in reading.canary_votes if vote.subject.id == canary.id]
    outcomes = [_outcome(plan, verdict) for verdict in verdicts]
    found = majority(outcomes, asked=asked).label
    return CanaryResult(
        id=canary.id,
        grader="judge",
        kind=canary.kind,
        expected=canary.expected,
        found="pass" if found == "pass" else "fail" if found == "fail" else None,
        n_votes=sum(outcome is not None for outcome in outcomes),
        n_as_expected=sum(outcome == canary.expected for outcome in outcomes),
        survived=found != canary.expected,
        reason=None if found is not None else _why_none(verdicts),
    )


def _by_pairs(plan: Plan, judge: JudgeSpec, reading: Reading, canary: Canary) -> CanaryResult:
    """Hold the canary's two answers to what both orders say: preferred in one order is not preferred."""
    votes = [vote for vote in reading.canary_votes if vote.subject.id == canary.id]
    said = [
        preference_of(judge, vote.verdict.label, ours_first=vote.subject.first == PLANTED_SIDES.ours)
        for vote in votes
    ]
    pair = _pair(plan, reading, canary.id)
    found = pair.preference if pair else None
    return CanaryResult(
        id=canary.id,
        grader="judge",
        kind=canary.kind,
        expected=canary.expected,
        found=found,
        n_votes=sum(preference is not None for preference in said),
        n_as_expected=sum(preference == canary.expected for preference in said),
        survived=found != canary.expected,
        reason=None if found is not None else _why_none([vote.verdict for vote in votes]),
    )


def _outcome(plan: Plan, verdict: Verdict) -> Outcome | None:
    if verdict.label is None or plan.judge is None:
        return None
    return "pass" if verdict.label in plan.judge.passing else "fail"


def _why_none(verdicts: Sequence[Verdict]) -> str:
    missing = sorted({verdict.no_verdict for verdict in verdicts if verdict.no_verdict is not None})
    if not verdicts:
        return "not_run"
    return "no majority" + (f" ({', '.join(missing)})" if missing else "")
