"""The project that a new user starts from fits the domain's records and shows what it should."""

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import TypeVar

import pytest

from harness.domain.canonical import sha256_hex, strict_json
from harness.domain.cases import Anchor, Canary, Case
from harness.domain.plan import Plan, Template, Templates
from harness.domain.record import Record
from harness.domain.specs import Experiment, GoldSpec, JudgeSpec
from harness.graders.arm_prompt import answer_messages
from harness.graders.judge_request import judge_messages, judge_prompt_problem

TEMPLATE = Path(__file__).parents[2] / "harness" / "template"
JUDGE = TEMPLATE / "judges" / "answer-quality"
JUDGES = [JUDGE, *sorted((Path(__file__).parents[2] / "judges").iterdir())]

R = TypeVar("R", bound=Record)


def records(place: str, kind: type[R]) -> list[R]:
    lines = (TEMPLATE / place).read_text("utf-8").splitlines()
    for line in lines:
        strict_json(line)
    return [kind.from_json(line) for line in lines]


def written(place: Path, kind: type[R]) -> R:
    return kind.from_json(json.dumps(tomllib.loads(place.read_text("utf-8"))))


def plan() -> Plan:
    arms = {arm: (TEMPLATE / "prompts" / f"{arm}.md").read_text("utf-8") for arm in ("baseline", "candidate")}
    return Plan(
        experiment=written(TEMPLATE / "experiment.toml", Experiment),
        gold=written(TEMPLATE / "gold" / "example" / "set.toml", GoldSpec),
        cases=tuple(records("gold/example/cases.jsonl", Case)),
        held_out=(),
        judge=written(JUDGE / "judge.toml", JudgeSpec),
        judge_prompt=(JUDGE / "prompt.md").read_text("utf-8"),
        templates=Templates(
            baseline=Template(prompt=arms["baseline"]), candidate=Template(prompt=arms["candidate"])
        ),
        inputs=(),
    )


def test_every_file_the_template_names_is_there() -> None:
    spec = written(TEMPLATE / "experiment.toml", Experiment)

    assert spec.judge is not None
    assert spec.anchors is not None
    named = (
        spec.gold,
        spec.anchors,
        spec.judge.spec,
        spec.arm.baseline.template,
        spec.arm.candidate.template,
    )
    assert [place for place in named if place is None or not (TEMPLATE / place).exists()] == []


def test_the_arms_of_the_template_differ_in_their_prompt_alone() -> None:
    arm = written(TEMPLATE / "experiment.toml", Experiment).arm

    assert arm.baseline.template != arm.candidate.template
    assert arm.baseline.model_copy(update={"template": None}) == arm.candidate.model_copy(
        update={"template": None}
    )


def test_the_template_shows_both_ways_of_grading() -> None:
    cases = records("gold/example/cases.jsonl", Case)

    assert Counter(bool(case.checks) for case in cases) == {True: 5, False: 4}
    assert len({case.group for case in cases}) < len(cases)


def test_canaries_are_planted_both_ways_for_checks_and_for_the_judge() -> None:
    canaries = records("gold/example/canaries.jsonl", Canary)

    assert {(canary.grader, canary.expected) for canary in canaries} == {
        (grader, expected) for grader in ("checks", "judge") for expected in ("pass", "fail")
    }
    assert all(bool(canary.checks) == (canary.grader == "checks") for canary in canaries)


def test_anchors_have_two_reviews_and_a_settled_label() -> None:
    anchors = records("anchors/example.jsonl", Anchor)

    assert {len(anchor.reviews) for anchor in anchors} == {2}
    assert Counter(anchor.label for anchor in anchors) == {"pass": 3, "fail": 3}


def test_ids_of_the_template_are_unique() -> None:
    ids = [record.id for record in records("gold/example/cases.jsonl", Case)]
    ids += [record.id for record in records("gold/example/canaries.jsonl", Canary)]
    ids += [record.id for record in records("anchors/example.jsonl", Anchor)]

    assert len(ids) == len(set(ids))


def test_the_judge_prompt_is_the_one_its_digest_names() -> None:
    spec = written(JUDGE / "judge.toml", JudgeSpec)

    assert spec.prompt_sha256 == sha256_hex((JUDGE / spec.prompt).read_bytes())


@pytest.mark.parametrize("folder", JUDGES, ids=lambda folder: folder.name)
def test_a_judge_prompt_can_be_filled_and_names_the_delimiter(folder: Path) -> None:
    prompt = (folder / "prompt.md").read_text("utf-8")

    assert judge_prompt_problem(prompt, mode=written(folder / "judge.toml", JudgeSpec).mode) is None
    assert "$delimiter" in prompt


def test_the_judge_is_shown_question_reference_and_fenced_answer() -> None:
    (message,) = judge_messages(plan(), prompt="What time?", reference="Noon.", answer="At noon, $prompt.")

    assert "\nWhat time?\n" in message.content
    assert "\nNoon.\n" in message.content
    assert "\nAt noon, $prompt.\n</answer-" in message.content


@pytest.mark.parametrize("arm", ["baseline", "candidate"])
def test_an_arm_is_asked_the_question_under_the_facts_of_the_shop(arm: str) -> None:
    whole = plan()
    case = whole.cases[0]

    (message,) = answer_messages(whole, case, "baseline" if arm == "baseline" else "candidate")

    assert message.content.endswith(f"\n{case.prompt}\n")
    assert "within 30 days" in message.content
