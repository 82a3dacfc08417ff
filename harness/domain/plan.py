"""The plan: everything decided before any call, resolved and frozen by digest."""

from typing import Annotated, Literal, NamedTuple
from weakref import finalize

from pydantic import Field

from harness.domain.canonical import digest
from harness.domain.cases import Anchor, Arm, Canary, Case, Split
from harness.domain.exposure import Moved, nothing_known
from harness.domain.record import Chained, JsonObject, Record, Sha256, Text
from harness.domain.specs import EndpointSpec, Experiment, GoldSpec, JudgeSpec, JudgeUse, nobody

PLAN_VERSION: Literal["1"] = "1"
PANEL_PREFIX = "judge:"


def is_judge(endpoint: str) -> bool:
    """Return whether an endpoint is the judge, or one of a panel."""
    return endpoint == "judge" or endpoint.startswith(PANEL_PREFIX)


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


class PanelJudge(Record):
    """One judge of a panel, read: its settings and its prompt, under its name in the experiment."""

    name: Text
    spec: JudgeSpec
    prompt: str


class AskedJudge(NamedTuple):
    """A judge as the plan asks it. ``endpoint`` is ``judge``, or ``judge:NAME`` in a panel."""

    name: str
    endpoint: str
    spec: JudgeSpec
    prompt: str
    use: JudgeUse

    @property
    def family(self) -> str | None:
        """The declared model family: the endpoint's, else the spec's."""
        return self.use.endpoint.family or self.spec.family


class Plan(Record):
    """Everything decided before any call.

    It holds the inputs themselves, so that a run directory is complete: every
    request and every number can be made again from it and the evidence.
    ``held_out`` are the ids of the cases on that side of the split; ``moved``
    tells which others the split holds out, and who had seen them.
    """

    version: Literal["1"] = PLAN_VERSION
    experiment: Experiment
    gold: GoldSpec
    cases: tuple[Case, ...]
    held_out: tuple[Text, ...]
    moved: Annotated[Moved | None, Field(exclude_if=nothing_known)] = None
    canaries: tuple[Canary, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    judge: JudgeSpec | None = None
    judge_prompt: str | None = None
    panel: Annotated[tuple[PanelJudge, ...], Field(exclude_if=nobody)] = ()
    templates: Templates
    inputs: tuple[InputDigest, ...]

    @property
    def endpoint_names(self) -> tuple[str, ...]:
        """The endpoints of the plan: both arms, and every judge."""
        return ("baseline", "candidate", *(judge.endpoint for judge in self.judges))

    @property
    def judges(self) -> tuple[AskedJudge, ...]:
        """Every judge, in the order of the experiment: one, those of the panel, or none."""
        use, spec = self.experiment.judge, self.judge
        if use is not None and spec is not None:
            return (AskedJudge(spec.name, "judge", spec, self.judge_prompt or "", use),)
        seats = zip(self.panel, self.experiment.panel, strict=True)
        return tuple(
            AskedJudge(judge.name, f"{PANEL_PREFIX}{judge.name}", judge.spec, judge.prompt, seat)
            for judge, seat in seats
        )

    @property
    def has_one_arm(self) -> bool:
        """Whether both arms are one, called alike: an A/A run. Recorded replies are of one arm each."""
        arm, templates = self.experiment.arm, self.templates
        called = arm.baseline.backend != "recorded"
        return called and arm.baseline == arm.candidate and templates.baseline == templates.candidate

    @property
    def is_pairwise(self) -> bool:
        """Whether the judge compares two answers; every case is then a preference."""
        return self.judge is not None and self.judge.mode == "pairwise"

    def endpoint(self, name: str) -> EndpointSpec:
        """Return the endpoint called ``baseline``, ``candidate``, ``judge`` or ``judge:NAME``."""
        if name == "judge":
            if self.experiment.judge is None:
                raise KeyError(name)
            return self.experiment.judge.endpoint
        if name.startswith(PANEL_PREFIX):
            return {f"{PANEL_PREFIX}{judge.name}": judge.endpoint for judge in self.experiment.panel}[name]
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


class Look(Chained):
    """One opening of the held-out split, a line of ``looks.jsonl``.

    ``previous`` is the ``entry`` of the line before, and ``entry`` the digest of
    everything else on the line. ``alpha`` is what the look spends, where the
    plan has a budget of it and something of that was left. A look that released
    the decision alone leaves the cases closed.
    """

    opened_at: Text
    gold: Text
    run: Sha256
    plan_sha256: Sha256
    released: Literal["numbers", "decision"]
    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None

    @property
    def shows_numbers(self) -> bool:
        """Whether the look opened the cases themselves, and every number of them."""
        return self.released == "numbers"

    def is_past(self, budget: int | None) -> bool:
        """Return whether more looks came before it than the budget allows; null is no budget."""
        return budget is not None and self.number > budget
