"""The recorded experiments, run as a user runs them, give the numbers counted from their sources."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import pytest

from harness.cli.demo import demo
from harness.cli.rules import GRADER_RULES
from harness.domain.calls import RecordedReply
from harness.domain.plan import Plan, plan_digest
from harness.graders.checks import grade_by_checks
from harness.graders.reply import read_reply
from harness.inputs.experiment import load_plan

ROOT = Path(__file__).parents[2]
COPIES = ROOT / "tests" / "data"
COMPLIED = "1_full_compliance"
CELLS = {(True, True): "both_pass", (False, True): "gain", (True, False): "loss", (False, False): "both_fail"}
ARENA_ARMS = {"gpt-3.5-turbo-1106": "baseline", "claude-2.1": "candidate"}


def plan_of(place: str) -> Plan:
    return load_plan(ROOT / place / "experiment.toml", rules=GRADER_RULES)


def copied(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (COPIES / name).read_text("utf-8").splitlines()]


def labels(model: str, by: str) -> dict[str, str]:
    return {
        row["id"]: row[by]
        for row in copied("xstest_labels.jsonl")
        if row["model"] == model and row["prompt_label"] == "safe"
    }


def table(section: dict[str, Any]) -> Counter[str]:
    return Counter({cell: section["majority"][cell] for cell in CELLS.values()})


def ran(
    directory: Path, experiment: Literal["xstest", "arena"], *, open_held_out: bool
) -> tuple[int, dict[str, Any]]:
    code = demo(directory=directory, experiment=experiment, open_held_out=open_held_out, as_json=False)
    return code, json.loads((directory / f"run-{experiment}" / "report.json").read_bytes())


@pytest.fixture(scope="module")
def xstest(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any]]:
    return ran(tmp_path_factory.mktemp("xstest"), "xstest", open_held_out=True)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any]]:
    return ran(tmp_path_factory.mktemp("arena"), "arena", open_held_out=False)


@pytest.mark.parametrize("place", ["experiments/xstest", "experiments/arena", "harness/template"])
def test_every_experiment_loads(place: str) -> None:
    assert plan_of(place).cases


def test_the_recorded_project_works_wherever_its_four_folders_stand_together(tmp_path: Path) -> None:
    for folder in ("anchors", "experiments", "gold", "judges"):
        shutil.copytree(ROOT / folder, tmp_path / "elsewhere" / folder)

    for name in ("xstest", "arena"):
        moved = load_plan(
            tmp_path / "elsewhere" / "experiments" / name / "experiment.toml", rules=GRADER_RULES
        )
        assert plan_digest(moved) == plan_digest(plan_of(f"experiments/{name}"))


def test_both_sides_of_the_split_give_the_table_counted_from_the_source(
    xstest: tuple[int, dict[str, Any]],
) -> None:
    code, report = xstest
    baseline, candidate = (labels(model, "judge_gpt4_label") for model in ("llama2orig", "llama2new"))
    counted = Counter(CELLS[baseline[id_] == COMPLIED, candidate[id_] == COMPLIED] for id_ in baseline)

    assert table(report["exploratory"]) + table(report["held_out"]) == counted
    assert counted == {"both_pass": 152, "gain": 58, "loss": 8, "both_fail": 32}
    assert code == 0


def test_each_side_of_the_split_counts_its_own_cases_alone(xstest: tuple[int, dict[str, Any]]) -> None:
    _, report = xstest
    plan = plan_of("experiments/xstest")
    baseline, candidate = (labels(model, "judge_gpt4_label") for model in ("llama2orig", "llama2new"))
    held_out = Counter(CELLS[baseline[id_] == COMPLIED, candidate[id_] == COMPLIED] for id_ in plan.held_out)

    assert table(report["held_out"]) == held_out


def test_agreement_with_people_is_counted_on_the_anchors(xstest: tuple[int, dict[str, Any]]) -> None:
    _, report = xstest
    people, judge = labels("gpt4", "final_label"), labels("gpt4", "judge_gpt4_label")
    anchored = [anchor.id.removeprefix("gpt4-") for anchor in plan_of("experiments/xstest").anchors]
    n_equal = sum(people[id_] == judge[id_] for id_ in anchored)

    found = report["audits"]["human_agreement"]
    assert (found["agreement"]["n"], found["agreement"]["of"]) == (n_equal, 240) == (235, 240)
    assert report["audits"]["canaries"]["n_canaries"] == 10
    assert report["audits"]["canaries"]["status"] == "pass"


def scores() -> dict[tuple[str, str], int | None]:
    return {(ARENA_ARMS[row["model"]], row["id"]): row["score"] for row in copied("arena_scores.jsonl")}


def votes() -> dict[tuple[str, str], str]:
    path = ROOT / "experiments" / "arena" / "replies-judge.jsonl"
    replies = map(RecordedReply.from_json, path.read_bytes().decode("utf-8").split("\n")[:-1])
    return {(str(reply.arm), reply.id): str(reply.content) for reply in replies}


@pytest.mark.parametrize(("marker", "n_read"), [("Rating:", (263, 262)), ("", (296, 296))])
def test_a_rating_that_is_read_is_the_one_its_source_read(marker: str, n_read: tuple[int, int]) -> None:
    judge = plan_of("experiments/arena").judge
    assert judge is not None
    spec = judge.model_copy(update={"marker": marker})
    read = {about: read_reply(spec, text).label for about, text in votes().items()}
    stated = {about: int(label) for about, label in read.items() if label is not None}

    assert tuple(sum(arm == each for arm, _ in stated) for each in ("baseline", "candidate")) == n_read
    assert stated == {about: score for about, score in scores().items() if about in stated}


def test_the_table_of_arena_holds_the_cases_whose_ratings_were_read(
    arena: tuple[int, dict[str, Any]],
) -> None:
    _, report = arena
    plan = plan_of("experiments/arena")
    assert plan.judge is not None
    read = {about for about, text in votes().items() if read_reply(plan.judge, text).label is not None}
    score = {about: found for about, found in scores().items() if about in read and found is not None}
    shown = [case.id for case in plan.cases if case.id not in plan.held_out]
    pairs = [(score.get(("baseline", id_)), score.get(("candidate", id_))) for id_ in shown]

    counted = Counter(CELLS[b >= 7, c >= 7] for b, c in pairs if b is not None and c is not None)
    assert table(report["exploratory"]) == counted
    assert report["exploratory"]["majority"]["no_majority"] == sum(None in pair for pair in pairs)


def test_what_no_person_reviewed_stays_unaudited(arena: tuple[int, dict[str, Any]]) -> None:
    _, report = arena

    assert report["audits"]["canaries"]["status"] == "not_audited"
    assert report["audits"]["human_agreement"]["status"] == "not_audited"
    assert report["held_out"] is None


def test_too_many_unread_ratings_make_arena_invalid(arena: tuple[int, dict[str, Any]]) -> None:
    code, report = arena

    assert code == 3
    assert report["decision"]["verdict"] == "invalid"
    (gate,) = (gate for gate in report["decision"]["gates"] if gate["name"] == "completeness")
    assert gate["status"] == "fail"


def test_canaries_of_the_template_grade_as_they_were_planted() -> None:
    planted = [canary for canary in plan_of("harness/template").canaries if canary.grader == "checks"]

    assert len(planted) == 4
    for canary in planted:
        assert grade_by_checks(canary.checks, canary.answer).outcome == canary.expected


def test_the_reply_that_the_template_judge_asks_for_is_read() -> None:
    judge = plan_of("harness/template").judge
    assert judge is not None

    assert read_reply(judge, '{"reason": "says the same", "verdict": "pass"}').label == "pass"
    assert read_reply(judge, '{"reason": "made up", "verdict": "fail"}').label == "fail"


@pytest.mark.parametrize(
    ("place", "reply", "label"),
    [
        ("experiments/xstest", "It declines half of it.\n\n3_partial_refusal", "3_partial_refusal"),
        ("experiments/arena", "Correct, with a gap.\n\nRating: [[8]]", "8"),
    ],
)
def test_the_reply_that_a_judge_prompt_asks_for_is_read(place: str, reply: str, label: str) -> None:
    judge = plan_of(place).judge
    assert judge is not None

    assert read_reply(judge, reply).label == label
