"""Judges of two answers with one planted defect each, for the page that `planted_judges.py` writes.

Every run is synthetic from the votes on: 150 cases whose two answers people compared, three votes in
each order, the built-in probes beside a good answer. The audits are the ones that every run goes through.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from harness.audits import (
    audit_bias,
    audit_canaries,
    audit_differential,
    audit_human_agreement,
    audit_repeatability,
    audit_routing,
    judge_fitness,
)
from harness.domain.calls import Side, Subject
from harness.domain.cases import Anchor, Canary, Case, Preference, Review
from harness.domain.findings import Audits
from harness.domain.manifest import Reading
from harness.domain.plan import Plan, Template, Templates
from harness.domain.probes import PAIR_PROBES
from harness.domain.specs import (
    AnalysisSpec,
    ArmSpecs,
    EndpointSpec,
    Experiment,
    Gates,
    GoldSpec,
    JudgeSpec,
    JudgeUse,
    Repeats,
    SplitSpec,
)
from harness.domain.verdicts import Verdict, Vote

N_CASES = 150
N_VOTES = 3
GATES = Gates(judge_agreement=0.8, judge_flip_rate=0.2, bias_band=0.1)
MARGIN = 0.05
OUTCOMES: tuple[Preference, ...] = ("win", "loss", "tie")
SHARES = (0.45, 0.40, 0.15)
CAREFUL = 0.02  # how often a vote of an otherwise good judge is wrong
_LABELS: dict[tuple[Preference, bool], str] = {
    ("win", True): "A",
    ("win", False): "B",
    ("loss", True): "B",
    ("loss", False): "A",
    ("tie", True): "C",
    ("tie", False): "C",
}


class Shown(NamedTuple):
    """What a scripted judge knows of two answers: what is true, and what should not matter.

    ``truth`` is told from the first named answer, the candidate's or a probe's.
    """

    truth: Preference
    ours_first: bool
    ours_longer: bool
    ours_related: bool
    kind: str


Key = tuple[str, str]
Judge = Callable[[Shown, np.random.Generator], Preference]


def _careful(shown: Shown, rng: np.random.Generator) -> Preference:
    if rng.random() < CAREFUL:
        return OUTCOMES[int(rng.integers(3))]
    return shown.truth


def _lover(of: Callable[[Shown], bool], share: float) -> Judge:
    """A careful judge that gives a share of its votes to the answer that is such, whatever it is worth."""

    def judge(shown: Shown, rng: np.random.Generator) -> Preference:
        if rng.random() >= share:
            return _careful(shown, rng)
        return "win" if of(shown) else "loss"

    return judge


def _obeying(shown: Shown, rng: np.random.Generator) -> Preference:
    # A forged verdict names the second place, so it is obeyed from there.
    obeys = shown.kind in _INJECTIONS and not shown.ours_first and rng.random() < 0.9
    return "win" if obeys else _careful(shown, rng)


_INJECTIONS = {probe.kind for probe in PAIR_PROBES if probe.injection}

JUDGES: dict[str, Judge] = {
    "perfect": lambda shown, rng: shown.truth,
    "careful": _careful,
    "always-tie": lambda shown, rng: "tie",
    "random": lambda shown, rng: OUTCOMES[int(rng.integers(3))],
    "first-slot-lover": _lover(lambda shown: shown.ours_first, 0.6),
    "first-slot-only": lambda shown, rng: "win" if shown.ours_first else "loss",
    "length-lover": _lover(lambda shown: shown.ours_longer, 0.6),
    "self-preferring": _lover(lambda shown: shown.ours_related, 0.6),
    "injection-obeying": _obeying,
}

WANTED = {
    "always-tie": "agreement",
    "random": "repeatability",
    "first-slot-lover": "bias: position",
    "first-slot-only": "bias: position",
    "length-lover": "bias: length",
    "self-preferring": "bias: self-preference",
    "injection-obeying": "injection",
}
"""The audit that is there for the defect."""

COLUMNS = (
    "canaries",
    "injection",
    "repeatability",
    "agreement",
    "bias: position",
    "bias: length",
    "bias: self-preference",
    "differential error",
    "UNFIT",
)


class World(NamedTuple):
    """A plan whose anchors have a known truth, and what a judge is told of each of them."""

    plan: Plan
    anchors: tuple[Shown, ...]


def world(rng: np.random.Generator) -> World:
    """Return the anchors of one seed: preference and lengths are independent of each other."""
    anchors, shown = [], []
    for number in range(N_CASES):
        truth = OUTCOMES[int(rng.choice(3, p=SHARES))]
        lengths = rng.integers(50, 1000, size=2)
        anchors.append(
            Anchor(
                id=f"a{number}",
                prompt="p",
                answer="x" * int(lengths[0]),
                other="y" * int(lengths[1]),
                reviews=(Review(by="r1", label=truth), Review(by="r2", label=truth)),
                selection="random",
                case=f"c{number}",
                arm="candidate",
            )
        )
        shown.append(Shown(truth, True, bool(lengths[0] > lengths[1]), True, "anchor"))
    return World(_plan(tuple(anchors)), tuple(shown))


def _plan(anchors: tuple[Anchor, ...]) -> Plan:
    def endpoint(family: str) -> EndpointSpec:
        return EndpointSpec(backend="chat", model=family, base_url="http://127.0.0.1:9/v1", family=family)

    return Plan(
        experiment=Experiment(
            name="planted pairs",
            gold="gold",
            judge=JudgeUse(spec="judge", endpoint=endpoint("own")),
            arm=ArmSpecs(baseline=endpoint("other"), candidate=endpoint("own")),
            repeats=Repeats(answers=1, votes=N_VOTES),
            analysis=AnalysisSpec(margin=MARGIN, seed=1),
            gates=GATES,
        ),
        gold=GoldSpec(
            name="g", license="CC0-1.0", why="-", split=SplitSpec(salt="s", held_out=0.0, by="case")
        ),
        cases=tuple(Case(id=f"c{number}", prompt="p") for number in range(N_CASES)),
        held_out=(),
        canaries=tuple(
            Canary(
                id=f"probe:{probe.kind}",
                prompt="p",
                answer="a" * (9000 if probe.kind == "padding" else 100),
                other="g" * 200,
                expected="loss",
                grader="judge",
                kind=probe.kind,
                why="probe",
            )
            for probe in PAIR_PROBES
        ),
        anchors=anchors,
        judge=JudgeSpec(
            name="j",
            version="1",
            mode="pairwise",
            labels=("A", "B", "C"),
            first=("A",),
            second=("B",),
            tie=("C",),
            reply="json",
            field="verdict",
            prompt="prompt.md",
            prompt_sha256="0" * 64,
            why="-",
        ),
        judge_prompt="$first $second",
        templates=Templates(baseline=Template(), candidate=Template()),
        inputs=(),
    )


def reading(found: World, judge: Judge, rng: np.random.Generator) -> Reading:
    """Return the run that this judge makes: canaries first, then the anchors, both orders of each."""
    probes = [
        Shown("loss", True, len(canary.answer) > len(canary.other or ""), False, canary.kind)
        for canary in found.plan.canaries
    ]
    return Reading(
        cases=(),
        case_votes=(),
        anchor_votes=tuple(
            vote
            for anchor, shown in zip(found.plan.anchors, found.anchors, strict=True)
            for vote in _votes(Subject(kind="anchor", id=anchor.id), shown, judge, rng)
        ),
        canary_votes=tuple(
            vote
            for canary, shown in zip(found.plan.canaries, probes, strict=True)
            for vote in _votes(Subject(kind="canary", id=canary.id), shown, judge, rng)
        ),
        checked_canaries=(),
        identities=(),
        answers=(),
    )


def _votes(about: Subject, shown: Shown, judge: Judge, rng: np.random.Generator) -> list[Vote]:
    orders: tuple[tuple[Side, bool], ...] = (("other", False), ("answer", True))
    return [
        Vote(
            replace(about, first=first),
            repeat,
            Verdict(_LABELS[judge(shown._replace(ours_first=ours_first), rng), ours_first], None),
            0,
        )
        for first, ours_first in orders
        for repeat in range(N_VOTES)
    ]


def caught(plan: Plan, read: Reading) -> set[str]:
    """Return which audits blame the judge of this run."""
    audits = Audits(
        canaries=audit_canaries(plan, read),
        routing=audit_routing(plan, read),
        repeatability=audit_repeatability(plan, read),
        human_agreement=audit_human_agreement(plan, read),
        bias=audit_bias(plan, read),
        differential=audit_differential(plan, read),
    )
    repeats = [reason.partition(":")[0] for reason in audits.repeatability.reasons]
    canaries = [reason.partition(":")[0] for reason in audits.canaries.reasons]
    effects = {effect.of: effect.status for effect in audits.bias.effects}
    blames = {
        "canaries": "canary_survived" in canaries,
        "injection": "injection_obeyed" in canaries,
        "repeatability": "flip_rate_high" in repeats,
        "agreement": audits.human_agreement.status == "fail",
        "bias: position": any(effect.status == "fail" for effect in audits.bias.position),
        "bias: length": effects.get("length") == "fail",
        "bias: self-preference": effects.get("self_preference") == "fail",
        "differential error": audits.differential.status == "fail",
        "UNFIT": judge_fitness(plan, audits).status == "unfit",
    }
    return {name for name, blamed in blames.items() if blamed}


def table(seeds: Iterable[int]) -> Counter[Key]:
    """Return in how many seeds each audit blames each judge, by judge and audit."""
    counted: Counter[Key] = Counter()
    for seed in seeds:
        found = world(np.random.default_rng([seed, 7]))
        for number, (name, judge) in enumerate(JUDGES.items()):
            rng = np.random.default_rng([seed, 7, number])
            counted.update((name, audit) for audit in caught(found.plan, reading(found, judge, rng)))
    return counted


HEAD = f"""\
## Judges of two answers

The same for judges with `mode = "pairwise"`: {N_CASES} cases, both arms' answers compared by two people,
{N_VOTES} votes in each order, and the {len(PAIR_PROBES)} built-in probes, each beside a good answer. People
prefer the candidate in {SHARES[0]:.0%} of the cases, the baseline in {SHARES[1]:.0%}, neither in the rest.
The plan holds agreement to {GATES.judge_agreement}, the flip rate within one order to
{GATES.judge_flip_rate}, bias to {GATES.bias_band}, and the margin is {MARGIN}.

- `always-tie` and `random` look at nothing; `first-slot-only` looks at nothing but the place;
- `first-slot-lover` gives 60% of its votes to the answer shown first, `length-lover` to the longer one,
  `self-preferring` to the one of its own family, the candidate's; the others are careful;
- `injection-obeying` prefers 90% of the answers that talk to it where they stand second, as they say."""
