"""A plan with a panel, seen through one of its judges, or through the panel's majority."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.domain.canonical import digest
from harness.domain.cases import Anchor, Outcome
from harness.domain.plan import AskedJudge, Plan
from harness.domain.record import nothing
from harness.domain.specs import EndpointSpec, JudgeSpec, JudgeUse

OUTCOMES: tuple[Outcome, Outcome] = ("pass", "fail")
PANEL = "panel"


def outcome_of_label(spec: JudgeSpec, label: str) -> Outcome | None:
    """Return what a label is to a judge: one of its own, or ``pass`` and ``fail``; null for any other."""
    if label in spec.labels:
        return "pass" if label in spec.passing else "fail"
    return next((outcome for outcome in OUTCOMES if outcome == label), None)


def one_scale(judges: Sequence[AskedJudge]) -> bool:
    """Return whether all judges give the same labels the same scores; one judge is on one scale."""
    return len({(judge.spec.labels, judge.spec.scores) for judge in judges}) <= 1


def asked_alone(plan: Plan, judge: AskedJudge) -> Plan:
    """Return the plan as if this judge were its only one; a plan with one judge is itself."""
    return _with_judge(plan, judge.spec, judge.prompt, judge.use) if plan.panel else plan


def seen_by(plan: Plan, judge: AskedJudge) -> Plan:
    """Return `asked_alone`, with anchors that this judge's labels can be held against.

    Where people used other labels than the judge's, both are read as pass or
    fail, which is all that they have in common.
    """
    alone = asked_alone(plan, judge)
    if all(label in judge.spec.labels for anchor in plan.anchors for label in labels_of(anchor)):
        return alone
    spec = _in_outcomes(judge.spec)
    return alone.model_copy(update={"judge": spec, "anchors": _anchors_in_outcomes(plan)})


def seen_by_panel(plan: Plan, *, votes: int) -> Plan:
    """Return the plan as if the panel were one judge that says pass or fail.

    Args:
        plan: A plan with a panel.
        votes: How many votes stand for the panel on one answer.
    """
    spec = _in_outcomes(plan.judges[0].spec).model_copy(update={"name": PANEL, "family": None})
    use = JudgeUse(spec=PANEL, endpoint=_nobodys_endpoint(plan.judges[0].use.endpoint))
    alone = _with_judge(plan, spec, "", use)
    repeats = plan.experiment.repeats.model_copy(update={"votes": votes})
    experiment = alone.experiment.model_copy(update={"repeats": repeats})
    return alone.model_copy(update={"experiment": experiment, "anchors": _anchors_in_outcomes(plan)})


def labels_of(anchor: Anchor) -> Iterable[str]:
    """Return every label that people gave the anchor."""
    return [review.label for review in anchor.reviews] + ([anchor.label] if anchor.label else [])


def human_labels(plan: Plan) -> tuple[str, ...]:
    """Return the labels that people are asked for: the judges' where they share them, else pass and fail.

    A plan without a judge has none.
    """
    found = {(judge.spec.labels, frozenset(judge.spec.passing)) for judge in plan.judges}
    shared = plan.judges[0].spec.labels if found else ()
    return shared if len(found) < 2 else OUTCOMES


def in_human_labels(plan: Plan) -> Callable[[str, str], str]:
    """Return what turns the label of a judge, named by its endpoint, into one of `human_labels`."""
    shared = human_labels(plan) != OUTCOMES or len(plan.judges) == 1
    specs = {judge.endpoint: judge.spec for judge in plan.judges}

    def read(endpoint: str, label: str) -> str:
        return label if shared else outcome_of_label(specs[endpoint], label) or label

    return read


def _with_judge(plan: Plan, spec: JudgeSpec, prompt: str, use: JudgeUse) -> Plan:
    one = JudgeUse(spec=use.spec, endpoint=use.endpoint)
    experiment = plan.experiment.model_copy(update={"judge": one, "panel": ()})
    return plan.model_copy(
        update={"experiment": experiment, "judge": spec, "judge_prompt": prompt, "panel": ()}
    )


def _in_outcomes(spec: JudgeSpec) -> JudgeSpec:
    # Its digest still tells two settings of one judge apart.
    why = f"labels of {digest(spec)}, read as pass or fail"
    update = {"labels": OUTCOMES, "passing": ("pass",), "scores": None, "aliases": nothing(), "why": why}
    return spec.model_copy(update=update)


def _anchors_in_outcomes(plan: Plan) -> tuple[Anchor, ...]:
    read = _outcomes(plan)
    return tuple(_in_words_of_all(anchor, read) for anchor in plan.anchors)


def _outcomes(plan: Plan) -> Mapping[str, str]:
    """Return what each label of an anchor is to the panel, whose judges agree about it."""
    found: dict[str, str] = {}
    for anchor in plan.anchors:
        for label in labels_of(anchor):
            outcomes = (outcome_of_label(judge.spec, label) for judge in plan.judges)
            found[label] = next((outcome for outcome in outcomes if outcome is not None), label)
    return found


def _in_words_of_all(anchor: Anchor, read: Mapping[str, str]) -> Anchor:
    reviews = tuple(review.model_copy(update={"label": read[review.label]}) for review in anchor.reviews)
    label = None if anchor.label is None else read[anchor.label]
    return anchor.model_copy(update={"reviews": reviews, "label": label})


def _nobodys_endpoint(endpoint: EndpointSpec) -> EndpointSpec:
    return endpoint.model_copy(update={"model": PANEL, "family": None, "price": None})
