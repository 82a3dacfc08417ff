"""The plan: everything decided before any call, resolved and frozen by digest."""

from typing import Annotated, Literal
from weakref import finalize

from pydantic import Field

from harness.domain.canonical import digest
from harness.domain.cases import Anchor, Arm, Canary, Case, Split
from harness.domain.record import JsonObject, Positive, Record, Sha256, Text
from harness.domain.specs import EndpointSpec, Experiment, GoldSpec, JudgeSpec

PLAN_VERSION: Literal["1"] = "1"


class Template(Record):
    """The text an arm's prompts are built with; ``system`` is sent before it."""

    prompt: str | None = None
    system: str | None = None


class InputDigest(Record):
    """One file that the plan rests on. ``path`` is relative to the experiment."""

    path: Text
    sha256: Sha256


class Templates(Record):
    """The templates of both arms."""

    baseline: Template
    candidate: Template


class Plan(Record):
    """Everything decided before any call.

    It holds the inputs themselves, so that a run directory is complete: every
    request and every number can be made again from it and the evidence.
    ``held_out`` are the ids of the cases on that side of the split.
    """

    version: Literal["1"] = PLAN_VERSION
    experiment: Experiment
    gold: GoldSpec
    cases: tuple[Case, ...]
    held_out: tuple[Text, ...]
    canaries: tuple[Canary, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    judge: JudgeSpec | None = None
    judge_prompt: str | None = None
    templates: Templates
    inputs: tuple[InputDigest, ...]

    @property
    def endpoint_names(self) -> tuple[str, ...]:
        """The endpoints of the plan: both arms, and the judge where there is one."""
        return ("baseline", "candidate", *(("judge",) if self.experiment.judge else ()))

    def endpoint(self, name: str) -> EndpointSpec:
        """Return the endpoint called ``baseline``, ``candidate`` or ``judge``."""
        if name == "judge":
            if self.experiment.judge is None:
                raise KeyError(name)
            return self.experiment.judge.endpoint
        return {"baseline": self.experiment.arm.baseline, "candidate": self.experiment.arm.candidate}[name]

    def template(self, arm: Arm) -> Template:
        """Return the template of the arm."""
        return self.templates.baseline if arm == "baseline" else self.templates.candidate

    def split_of(self) -> dict[str, Split]:
        """Return the side of the split each case is on, by case id."""
        held_out = frozenset(self.held_out)
        return {case.id: "held_out" if case.id in held_out else "exploratory" for case in self.cases}


# The digests of the plans that are alive, by identity: a frozen plan of 100,000 cases takes seconds to write.
_DIGESTS: dict[int, str] = {}


def plan_digest(plan: Plan) -> str:
    """Return the plan's name: the SHA-256 of its canonical JSON."""
    known = _DIGESTS.get(id(plan))
    if known is not None:
        return known
    found = _DIGESTS[id(plan)] = digest(plan)
    # An identity is given again once its plan is gone.
    finalize(plan, _DIGESTS.pop, id(plan), None)
    return found


class LockedItem(Record):
    """One case, canary or anchor of a lock: what it held, key by key."""

    path: Text
    id: Text
    values: JsonObject


class Lock(Record):
    """``experiment.lock.json``: everything a run must still match.

    ``settings`` holds every resolved setting by dotted path, ``items`` every
    case, canary and anchor, ``rules`` what the code decides beside them; a long
    value stands there as ``{"sha256": ...}``. So a mismatch can be told key by
    key, with what was and what is. ``seal`` is the digest of all the rest.
    """

    version: Literal["1"] = "1"
    experiment: Text
    plan_sha256: Sha256
    inputs: tuple[InputDigest, ...]
    settings: JsonObject
    items: tuple[LockedItem, ...]
    rules: JsonObject
    harness_version: Text
    frozen_at: Text
    seal: Sha256


class Look(Record):
    """One opening of the held-out split, a line of ``looks.jsonl``.

    ``previous`` is the ``entry`` of the line before, and ``entry`` the digest of
    everything else on the line. ``alpha`` is what the look spends, where the
    plan has a budget of it.
    """

    number: Positive
    opened_at: Text
    gold: Text
    run: Sha256
    plan_sha256: Sha256
    released: Literal["numbers", "decision"]
    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None
    previous: Sha256 | None
    entry: Sha256
