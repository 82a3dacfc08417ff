"""What the plan's policy makes of a run that other models answered: a gate, and what the headline says."""

from typing import NamedTuple

from harness.domain.case_blocks import SegmentsBlock
from harness.domain.findings import RoutingFinding
from harness.domain.report import GateBlock
from harness.domain.specs import RoutingPolicy

_SEGMENTED = ("baseline", "candidate")


class RoutingNotes(NamedTuple):
    """What the headline must say: what stands against any claim, and what is merely told."""

    against: tuple[str, ...]
    told: tuple[str, ...]


NOTHING_TO_SAY = RoutingNotes((), ())


def routing_gate(routing: RoutingFinding, policy: RoutingPolicy) -> GateBlock:
    """Return the gate: drift fails it, unless the plan accepts drift or segments what drifted.

    Only the arms can be segmented. A judge that changed has judged some pairs
    with one measure and some with another.
    """
    gate = GateBlock(name="routing", status=routing.status, reason="; ".join(routing.reasons))
    if routing.status != "fail" or policy == "fail":
        return gate
    if policy == "segment" and (others := _drifted(routing) - set(_SEGMENTED)):
        reason = f"{', '.join(sorted(others))} cannot be segmented; {gate.reason}"
        return gate.model_copy(update={"reason": reason})
    return gate.model_copy(update={"status": "pass"})


def routing_notes(
    routing: RoutingFinding, policy: RoutingPolicy, segments: SegmentsBlock, *, alpha: float
) -> RoutingNotes:
    """Return what the headline says of drift that did not fail the run.

    Args:
        routing: What the audit found.
        policy: Of the plan.
        segments: Of the side of the split that decides.
        alpha: Level of the test that the segments are alike.
    """
    if routing.status != "fail" or policy == "fail":
        return NOTHING_TO_SAY
    drifted = ", ".join(sorted(_drifted(routing))) or "an endpoint"
    if policy == "accept":
        return RoutingNotes((), (f"routing_accepted: {drifted} drifted, and the plan accepts it",))
    told = f"routing_segmented: {drifted} drifted; {_size(segments)}"
    test = segments.homogeneity
    if test is None or test.pvalue is None:
        reason = segments.reason if test is None else test.reason
        return RoutingNotes((), (f"{told}, not compared: {reason}",))
    if test.pvalue < alpha:
        differ = f"segments_differ: the difference is another by who answered (p = {test.pvalue:.2g})"
        return RoutingNotes((differ,), (told,))
    return RoutingNotes((), (f"{told}, not shown to differ (p = {test.pvalue:.2g})",))


def _size(segments: SegmentsBlock) -> str:
    return f"{len(segments.segments)} segments, {segments.n_straddling} cases in more than one"


def _drifted(routing: RoutingFinding) -> set[str]:
    return {e.endpoint for e in routing.endpoints if e.drifted}
