"""What `harness check` remarks of anchors that repeat held-out cases: they are shown before any look."""

from collections.abc import Iterator

from harness.domain.plan import Plan
from harness.graders.arm_prompt import prompt_text
from harness.inputs.rows import folded
from harness.report.inert import inert

_N_NAMED = 5


def anchor_remarks(plan: Plan) -> Iterator[str]:
    """Yield which anchors repeat the prompt of a held-out case, or are tied to one."""
    found = list(_repeats(plan))
    if not found:
        return
    named = ", ".join(f"{inert(anchor)} repeats {inert(case)}" for anchor, case in found[:_N_NAMED])
    more = f", and {len(found) - _N_NAMED} more" if len(found) > _N_NAMED else ""
    yield (
        f"anchors of held-out cases, {len(found)}: {named}{more}; their prompts, and the judge's verdicts "
        "on these answers, are shown before any look"
    )


def _repeats(plan: Plan) -> Iterator[tuple[str, str]]:
    closed = set(plan.held_out)
    asked = {folded(prompt_text(case)): case.id for case in plan.cases if case.id in closed}
    for anchor in plan.anchors:
        case = anchor.case if anchor.case in closed else asked.get(folded(anchor.prompt))
        if case is not None:
            yield anchor.id, case
