"""Plans and readings made by hand for the tests of the audits."""

from collections.abc import Mapping, Sequence

from harness.domain.calls import Subject
from harness.domain.cases import Anchor, Canary, Case, Review
from harness.domain.manifest import CheckedCanary, Reading
from harness.domain.plan import Plan, Template, Templates
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
from harness.domain.verdicts import AnswerNote, CallIdentity, CaseResult, Verdict, Vote


def endpoint(model: str, **changes: object) -> EndpointSpec:
    return EndpointSpec(backend="chat", model=model, base_url="http://127.0.0.1:9/v1", **changes)  # type: ignore[arg-type]


def plan(
    *,
    votes: int = 3,
    anchors: Sequence[Anchor] = (),
    canaries: Sequence[Canary] = (),
    gates: Gates | None = None,
    baseline: EndpointSpec | None = None,
    judge: EndpointSpec | None = None,
    cases: Sequence[Case] = (Case(id="c1", prompt="p"),),
    answers: int = 1,
) -> Plan:
    return Plan(
        experiment=Experiment(
            name="x",
            gold="gold/x",
            judge=JudgeUse(spec="judges/x", endpoint=judge or endpoint("j")),
            arm=ArmSpecs(baseline=baseline or endpoint("a"), candidate=endpoint("b")),
            repeats=Repeats(answers=answers, votes=votes),
            analysis=AnalysisSpec(margin=0.03, seed=1),
            gates=gates or Gates(),
        ),
        gold=GoldSpec(
            name="x", license="CC0", why="test", split=SplitSpec(salt="s", held_out=0.0, by="cluster")
        ),
        cases=tuple(cases),
        held_out=(),
        canaries=tuple(canaries),
        anchors=tuple(anchors),
        judge=JudgeSpec(
            name="x",
            version="1",
            mode="single",
            labels=("pass", "fail"),
            passing=("pass",),
            reply="json",
            field="verdict",
            prompt="prompt.md",
            prompt_sha256="0" * 64,
            why="test",
        ),
        judge_prompt="$answer",
        templates=Templates(baseline=Template(), candidate=Template()),
        inputs=(),
    )


def anchor(name: str, *labels: str, settled: str | None = None) -> Anchor:
    return Anchor(
        id=name,
        prompt="p",
        answer="a",
        reviews=tuple(Review(by=f"r{i}", label=label) for i, label in enumerate(labels)),
        label=settled,
        selection="random",
    )


def votes(kind: str, labels: Mapping[str, Sequence[str | None]]) -> tuple[Vote, ...]:
    return tuple(
        Vote(
            subject=Subject(kind=kind, id=name),  # type: ignore[arg-type]
            repeat=repeat,
            verdict=Verdict(label, None) if label else Verdict(None, "unreadable"),
            started_ms=1000 * repeat,
        )
        for name, found in labels.items()
        for repeat, label in enumerate(found)
    )


def reading(
    *,
    anchors: Mapping[str, Sequence[str | None]] | None = None,
    canaries: Mapping[str, Sequence[str | None]] | None = None,
    checked: Sequence[CheckedCanary] = (),
    identities: Sequence[CallIdentity] = (),
    cases: Sequence[CaseResult] = (),
    notes: Sequence[AnswerNote] = (),
) -> Reading:
    return Reading(
        cases=tuple(cases),
        case_votes=(),
        anchor_votes=votes("anchor", anchors or {}),
        canary_votes=votes("canary", canaries or {}),
        checked_canaries=tuple(checked),
        identities=tuple(identities),
        answers=tuple(notes),
    )


def call(endpoint_name: str, model: str | None, at: int, *, fingerprint: str | None = None) -> CallIdentity:
    return CallIdentity(
        endpoint=endpoint_name,
        subject=Subject(kind="case", id=f"c{at}", arm="baseline"),
        repeat=0,
        model=model,
        fingerprint=fingerprint,
        started_ms=at,
    )
