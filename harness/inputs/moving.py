"""Held-out cases that were shown are exploratory in every later plan, and so is what belongs with them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from harness.domain.cases import Case, Split
from harness.domain.exposure import Exposure, Moved
from harness.domain.plan import Plan
from harness.domain.specs import SplitSpec
from harness.inputs.content import prompt_digest
from harness.inputs.similar import near_duplicates


def moved_plan(plan: Plan, exposures: Sequence[Exposure]) -> Plan:
    """Return the plan as it is once these exposures are known.

    Args:
        plan: The plan as the split deals its cases, nothing moved.
        exposures: What was shown before the plan is made, in order.
    """
    if not exposures:
        return plan
    held_out = frozenset(plan.held_out)
    shown = shown_ids(plan.cases, held_out, exposures)
    moved = must_move(plan.cases, held_out, shown, plan.gold.split)
    return plan.model_copy(
        update={
            "held_out": tuple(name for name in plan.held_out if name not in moved),
            "moved": Moved(
                ledger=exposures[-1].entry,
                shown=tuple(name for name in plan.held_out if name in shown),
                cases=tuple(name for name in plan.held_out if name in moved),
            ),
        }
    )


def unmoved_plan(plan: Plan) -> Plan:
    """Return the plan as the split deals its cases, whatever was shown of them."""
    if plan.moved is None:
        return plan
    back = frozenset((*plan.held_out, *plan.moved.cases))
    held_out = tuple(case.id for case in plan.cases if case.id in back)
    return plan.model_copy(update={"held_out": held_out, "moved": None})


def shown_ids(
    cases: Iterable[Case], held_out: Collection[str], exposures: Iterable[Exposure]
) -> frozenset[str]:
    """Return the held-out cases that were shown, under their id, or under another one with their prompt."""
    known = [case for exposure in exposures for case in exposure.cases]
    ids, prompts = {case.id for case in known}, {case.prompt for case in known}
    return frozenset(
        case.id
        for case in cases
        if case.id in held_out and (case.id in ids or prompt_digest(case) in prompts)
    )


def must_move(
    cases: Sequence[Case], held_out: Collection[str], shown: Iterable[str], split: SplitSpec
) -> frozenset[str]:
    """Return the held-out cases that cannot stay behind the shown ones.

    Those are all that must stand on one side with one of them, or with one
    that moves along: of one cluster, with an equal prompt, or near-duplicates.
    """
    mates = _Mates([case for case in cases if case.id in held_out])
    moved = mates.reached(shown)
    while moved and split.similarity is not None:
        sides: list[Split] = [
            "held_out" if case.id in held_out and case.id not in moved else "exploratory" for case in cases
        ]
        apart = near_duplicates(cases, sides, at_least=split.similarity)
        behind = {cases[place].id for pair in apart for place in pair if sides[place] == "held_out"}
        if not behind:
            break
        moved = mates.reached((*moved, *behind))
    return moved


class _Mates:
    """Cases, with those that share their cluster or their prompt."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._names: dict[str, tuple[tuple[str, str], ...]] = {}
        self._bearers: dict[tuple[str, str], list[str]] = defaultdict(list)
        for case in cases:
            names = (("cluster", case.group), ("prompt", prompt_digest(case)))
            self._names[case.id] = names
            for name in names:
                self._bearers[name].append(case.id)

    def reached(self, first: Iterable[str]) -> frozenset[str]:
        """Return these cases, their mates, the mates of these, and so on."""
        found: set[str] = set()
        ahead, bearers = list(first), dict(self._bearers)
        while ahead:
            case = ahead.pop()
            if case not in found:
                found.add(case)
                # Popped, so that a large cluster is walked through once and not once a member.
                ahead += (mate for name in self._names[case] for mate in bearers.pop(name, ()))
        return frozenset(found)
