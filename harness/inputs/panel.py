"""What the judges of a panel must have in common, and the canaries that are built for each."""

from collections.abc import Sequence

from harness.domain.cases import Canary
from harness.domain.panel import OUTCOMES, outcome_of_label
from harness.domain.specs import JudgeSpec
from harness.inputs.pairs import labels_of


def label_problem(label: str, judges: Sequence[JudgeSpec]) -> str | None:
    """Return why people's label cannot be held against the judges, or null.

    A single judge wants one of its own labels. To a panel a label is a pass or
    a fail, and the same to all: one of a judge's own, or ``pass`` or ``fail``.
    """
    if len(judges) == 1:
        labels = labels_of(judges[0])
        wanted = f"wanted one of the labels of judge {judges[0].name!r}: {', '.join(labels)}"
        return None if label in labels else wanted
    outcomes = [outcome_of_label(judge, label) for judge in judges]
    stranger = next((judge for judge, found in zip(judges, outcomes, strict=True) if found is None), None)
    if stranger is not None:
        return (
            f"judge {stranger.name!r} has no such label, wanted one that all judges of the panel have, "
            f"or {' or '.join(OUTCOMES)}"
        )
    return None if len(set(outcomes)) == 1 else "it passes for one judge of the panel and fails for another"


def merged_probes(built: Sequence[tuple[str, Sequence[Canary]]]) -> tuple[Canary, ...]:
    """Return the built-in probes of all judges; one that forges another form is that judge's own.

    Every judge is asked about all of them. A probe that comes out the same for
    all has the name of its kind, any further one ends in ``:JUDGE``.

    Args:
        built: The probes built for each judge, by its name.
    """
    found: dict[str, Canary] = {}
    for name, probes in built:
        for probe in probes:
            known = [canary for canary in found.values() if canary.kind == probe.kind]
            if not known:
                found[probe.id] = probe
            elif all(canary.answer != probe.answer for canary in known):
                found[f"{probe.id}:{name}"] = probe.model_copy(update={"id": f"{probe.id}:{name}"})
    return tuple(found.values())
