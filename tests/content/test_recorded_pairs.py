"""The recorded comparisons, run as a user runs them, give the numbers counted from their source."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.cli.rules import GRADER_RULES
from harness.cli.run import make_report, run_experiment
from harness.domain.calls import RecordedReply
from harness.domain.report import Report
from harness.graders.reply import read_reply
from harness.inputs.experiment import load_plan

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "experiments" / "ja-vicuna"
BASELINE = "openai--text-davinci-003"
CANDIDATES = {
    "calm2": "cyberagent--calm2-7b-chat",
    "llm-jp": "llm-jp--llm-jp-13b-instruct-lora-jaster-dolly-oasst-v1.0",
    "rinna": "rinna--japanese-gpt-neox-3.6b-instruction-ppo",
}
SOURCE: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "tests/data/votes/ja_vicuna.jsonl").read_text("utf-8").splitlines()
]


def source_of(name: str) -> dict[str, tuple[str, str]]:
    """By case, which arm the source's judge preferred with each of both models first."""
    arms = {BASELINE: "baseline", CANDIDATES[name]: "candidate"}
    return {
        f"q{row['question_id']}": (_arm(row, "g1_winner", arms), _arm(row, "g2_winner", arms))
        for row in SOURCE
        if {row["model_1"], row["model_2"]} == set(arms)
    }


def _arm(row: dict[str, Any], call: str, arms: dict[str, str]) -> str:
    return arms.get(row.get(row[call], ""), "tie")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    root = tmp_path_factory.mktemp("ja-vicuna")
    return {
        name: make_report(run_experiment(PLACE / f"{name}.toml", root / name, locked=False))
        for name in CANDIDATES
    }


@pytest.mark.parametrize("name", CANDIDATES)
def test_an_experiment_asks_both_orders_of_eighty_pairs(name: str) -> None:
    plan = load_plan(PLACE / f"{name}.toml", rules=GRADER_RULES)
    lines = (PLACE / f"replies-judge-{name}.jsonl").read_bytes().decode("utf-8").split("\n")[:-1]
    replies = [RecordedReply.from_json(line) for line in lines]

    assert plan.is_pairwise
    assert Counter((reply.id, reply.first) for reply in replies) == Counter(
        (case.id, arm) for case in plan.cases for arm in ("baseline", "candidate")
    )
    assert set(plan.experiment.analysis.slices) == {tag for case in plan.cases for tag in case.tags}


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_judge_text_is_read_as_its_source_read_it(name: str) -> None:
    judge = load_plan(PLACE / f"{name}.toml", rules=GRADER_RULES).judge
    assert judge is not None
    other = {"baseline": "candidate", "candidate": "baseline"}
    found: dict[str, list[str]] = {}
    for line in (PLACE / f"replies-judge-{name}.jsonl").read_bytes().decode("utf-8").split("\n")[:-1]:
        reply = RecordedReply.from_json(line)
        label = read_reply(judge, str(reply.content)).label
        first = str(reply.first)
        found.setdefault(reply.id, []).append({"A": first, "B": other[first], "C": "tie"}[str(label)])

    assert {case: tuple(arms) for case, arms in found.items()} == source_of(name)


def test_the_order_turns_as_many_pairs_as_the_source_counts(reports: dict[str, Report]) -> None:
    position = [report.audits.bias.position[0] for report in reports.values()]
    inconsistent = sum(each.n_pairs - each.consistent.n for each in position)
    n_reversed = sum(each.reversed.n for each in position)
    to_second = sum(each.reversed.n - each.to_first.n for each in position)

    turned = [row for row in SOURCE if {row["g1_winner"], row["g2_winner"]} == {"model_1", "model_2"}]
    counted = (
        sum(row["g1_winner"] != row["g2_winner"] for row in SOURCE),
        len(turned),
        sum(row["g1_winner"] == "model_2" for row in turned),
    )
    assert sum(each.n_pairs for each in position) == len(SOURCE) == 240
    assert (inconsistent, n_reversed, to_second) == counted == (28, 17, 14)


@pytest.mark.parametrize("name", CANDIDATES)
def test_gains_and_losses_are_the_pairs_that_both_orders_give_to_one_arm(
    reports: dict[str, Report], name: str
) -> None:
    section = reports[name].exploratory
    counted = Counter(first if first == second else "tie" for first, second in source_of(name).values())

    found = section.majority
    assert (found.gain, found.loss, found.both_fail) == (
        counted["candidate"],
        counted["baseline"],
        counted["tie"],
    )
    assert section.preferences is not None
    assert section.preferences.ties == counted["tie"]


def test_the_three_models_stand_where_the_source_has_them(reports: dict[str, Report]) -> None:
    tables = {
        name: (report.exploratory.majority.gain, report.exploratory.majority.loss)
        for name, report in reports.items()
    }

    assert tables == {"calm2": (56, 12), "llm-jp": (22, 48), "rinna": (11, 60)}
    assert {name: report.decision.verdict for name, report in reports.items()} == {
        "calm2": "improvement",
        "llm-jp": "regression",
        "rinna": "regression",
    }


def test_nobody_has_shown_that_this_judge_is_fit(reports: dict[str, Report]) -> None:
    for report in reports.values():
        assert report.audits.judge.status == "not_audited"
        assert "same_family" in " ".join(report.audits.bias.reasons)
