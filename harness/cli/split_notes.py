"""What a report says of its split: what was shown before, and what was not looked for."""

from collections.abc import Iterator

from harness.domain.exposure import Moved
from harness.domain.plan import Plan
from harness.domain.report import ExposureBlock

_N_NAMED = 20


def exposure_block(plan: Plan) -> ExposureBlock | None:
    """Return what had been shown of held-out cases before the plan was made; null where nothing had."""
    if plan.moved is None:
        return None
    shown, moved = plan.moved.shown, plan.moved.cases
    return ExposureBlock(
        ledger=plan.moved.ledger, n_shown=len(shown), n_moved=len(moved), shown=shown, moved=moved
    )


def split_notes(plan: Plan) -> Iterator[str]:
    """Yield what a reader must know of the split before the held-out numbers count."""
    if plan.moved is not None and plan.moved.cases:
        yield _moved_note(plan.moved)
    if plan.held_out and plan.gold.split.similarity is None:
        yield (
            "Near-duplicates on both sides of the split were not looked for: "
            "the gold set declares no split.similarity."
        )


def _moved_note(moved: Moved) -> str:
    rest = len(moved.cases) - _N_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return (
        f"{len(moved.shown)} cases that the split holds out were shown before this plan was made; they and "
        "what belongs with them are exploratory here, "
        f"{len(moved.cases)} in all: {', '.join(moved.cases[:_N_NAMED])}{more}."
    )
