"""What a pairwise judge wants of the files, and what is refused around it."""

from hashlib import sha256

import pytest
from project import Project

from harness.inputs.spend import estimate_spend
from harness.runner.requests import n_calls_planned

PROMPT = "Question: $prompt\nReference: $reference\nOne: $first\nTwo: $second\nVerdict last."
JUDGE = """\
name = "versus"
version = "1"
mode = "pairwise"
labels = ["A", "B", "C"]
first = ["A"]
second = ["B"]
tie = ["C"]
reply = "last-line"
marker = ""
why = "tests"
prompt = "prompt.md"
"""
CANARY = {
    "id": "k1",
    "prompt": "Capital of France?",
    "reference": "Paris",
    "answer": "Rome",
    "other": "Paris",
    "expected": "loss",
    "grader": "judge",
    "why": "another country",
}
ANCHOR = {
    "id": "a1",
    "prompt": "Capital of Spain?",
    "reference": "Madrid",
    "answer": "Madrid",
    "other": "Rome",
    "reviews": [{"by": "r1", "label": "win"}, {"by": "r2", "label": "tie"}],
    "selection": "random",
}
CASES = (
    {"id": "c1", "prompt": "Capital of Norway?", "reference": "Oslo"},
    {"id": "c2", "prompt": "Capital of Sweden?", "reference": "Stockholm"},
)


@pytest.fixture
def pairs(project: Project) -> Project:
    """A project whose judge compares two answers."""
    project.write("judges/strict/prompt.md", PROMPT)
    digest = sha256(PROMPT.encode()).hexdigest()
    project.write("judges/strict/judge.toml", f'{JUDGE}prompt_sha256 = "{digest}"\n')
    project.rows("gold/small/canaries.jsonl", [CANARY])
    project.rows("anchors/small.jsonl", [ANCHOR])
    project.cases(*CASES)
    return project


def test_a_project_with_a_pairwise_judge_is_read(pairs: Project) -> None:
    plan = pairs.load()

    assert plan.is_pairwise
    assert (plan.canaries[0].other, plan.anchors[0].other) == ("Paris", "Rome")


def test_the_calls_of_both_orders_are_counted_and_paid_for(pairs: Project) -> None:
    pairs.replace("experiment.toml", "votes = 1", "votes = 3")
    plan = pairs.load()

    judge = next(endpoint for endpoint in estimate_spend(plan).endpoints if endpoint.endpoint == "judge")

    planned = n_calls_planned(plan)
    assert planned == (2 * 3 * 2, 2 * 3 * 3 * 2, 3 * 2, 3 * 2)
    assert judge.n_calls == planned.votes + planned.canary_votes + planned.anchor_votes


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('tie = ["C"]\n', 'tie = ["C"]\npassing = ["A"]\n', "passing: a pair passes nothing"),
        ('tie = ["C"]\n', 'tie = ["C"]\nscores = [1, 2, 3]\n', "scores: a preference has no score"),
        ('first = ["A"]\n', "", 'first: wanted with mode = "pairwise"'),
        ('second = ["B"]\n', "", 'second: wanted with mode = "pairwise"'),
        ('tie = ["C"]\n', "", "labels: 'C' stands 0 times in first, second and tie, wanted once"),
        ('tie = ["C"]\n', 'tie = ["C", "A"]\n', "labels: 'A' stands 2 times in first, second and tie"),
        ('tie = ["C"]\n', 'tie = ["D"]\n', "tie: 'D' is not one of the labels ['A', 'B', 'C']"),
        ('"pairwise"', '"single"', 'first: says what a pair comes to, and mode is "single"; wanted passing'),
    ],
)
def test_labels_that_do_not_say_who_is_preferred_are_refused(
    pairs: Project, old: str, new: str, wanted: str
) -> None:
    pairs.replace("judges/strict/judge.toml", old, new)

    assert wanted in pairs.complaint()


def test_a_judge_without_ties_is_a_judge(pairs: Project) -> None:
    pairs.replace("judges/strict/judge.toml", 'labels = ["A", "B", "C"]', 'labels = ["A", "B"]')
    pairs.replace("judges/strict/judge.toml", 'tie = ["C"]\n', "")

    assert pairs.load().is_pairwise


def test_single_judges_need_passing_labels(project: Project) -> None:
    project.replace("judges/strict/judge.toml", 'passing = ["good"]\n', "")

    assert 'passing: wanted with mode = "single"' in project.complaint()


def without(row: dict[str, object], key: str) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != key}


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (without(CANARY, "other"), "no other answer, and judge 'versus' compares two; wanted the key other"),
        ({**CANARY, "expected": "fail"}, "expected: found 'fail', wanted 'win', 'loss' or 'tie'"),
    ],
)
def test_a_canary_of_one_answer_is_refused(pairs: Project, row: dict[str, object], wanted: str) -> None:
    pairs.rows("gold/small/canaries.jsonl", [row])

    assert pairs.complaint() == f"gold/small/canaries.jsonl:1: canary 'k1': {wanted}"


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (without(ANCHOR, "other"), "no other answer, and judge 'versus' compares two; wanted the key other"),
        (
            {**ANCHOR, "label": "A"},
            "label 'A': wanted one of the labels of judge 'versus': win, loss, tie",
        ),
    ],
)
def test_an_anchor_of_one_answer_is_refused(pairs: Project, row: dict[str, object], wanted: str) -> None:
    pairs.rows("anchors/small.jsonl", [row])

    assert pairs.complaint() == f"anchors/small.jsonl:1: anchor 'a1': {wanted}"


def test_two_answers_for_a_judge_of_one_are_refused(project: Project) -> None:
    project.rows("gold/small/canaries.jsonl", [{**CANARY, "expected": "fail"}])

    assert project.complaint() == (
        "gold/small/canaries.jsonl:1: canary 'k1': other: found an answer, and 'strict' grades one at a time"
    )


def test_a_case_with_checks_is_no_preference(pairs: Project) -> None:
    pairs.cases(*CASES, {"id": "c3", "prompt": "2 + 2?", "checks": [{"kind": "exact", "expected": "4"}]})

    assert pairs.complaint() == (
        "gold/small/cases.jsonl:3: case 'c3' has checks, and judge 'versus' compares pairs: "
        "a pass is no preference"
    )


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("seed = 1\n", 'seed = 1\nmissing = "fail"\n', 'analysis.missing: found "fail"'),
        ("seed = 1\n", 'seed = 1\nprimary = "score"\n', 'analysis.primary: found "score"'),
        (
            "seed = 1\n",
            "seed = 1\n\n[gates]\njudge_sensitivity = 0.9\n",
            "gates.judge_sensitivity: a pairwise judge passes nothing; wanted gates.judge_agreement",
        ),
    ],
)
def test_settings_that_mean_nothing_of_preferences_are_refused(
    pairs: Project, old: str, new: str, wanted: str
) -> None:
    pairs.replace("experiment.toml", old, new)

    assert wanted in pairs.complaint()


def test_a_prompt_that_shows_one_answer_is_refused(pairs: Project) -> None:
    prompt = "$prompt $reference $first"
    pairs.write("judges/strict/prompt.md", prompt)
    digest = sha256(prompt.encode()).hexdigest()
    pairs.write("judges/strict/judge.toml", f'{JUDGE}prompt_sha256 = "{digest}"\n')

    assert "prompt.md: no $second: the judge would not see what it judges" in pairs.complaint()


def test_probes_stand_beside_the_reference_and_must_lose(pairs: Project) -> None:
    pairs.replace("experiment.toml", "seed = 1\n", "seed = 1\n\n[gates]\nprobes = true\n")
    pairs.rows(
        "anchors/small.jsonl",
        [ANCHOR, {**ANCHOR, "id": "a2", "answer": "Madrid!", "label": "win", "reviews": []}],
    )

    probes = [canary for canary in pairs.load().canaries if canary.id.startswith("probe:")]

    assert {probe.expected for probe in probes} == {"loss"}
    assert {probe.other for probe in probes if probe.kind != "fluent-wrong"} == {"Oslo"}
    assert [(p.answer, p.other) for p in probes if p.kind == "fluent-wrong"] == [("Rome", "Madrid!")]
    assert len(probes) == 9


SEAT = """\
[[panel]]
name = "{}"
spec = "judges/strict"

[panel.endpoint]
backend = "recorded"
model = "j"
replies = "replies.jsonl"

"""


def test_a_panel_is_of_judges_of_one_answer(pairs: Project) -> None:
    text = (
        (pairs.root / "experiment.toml").read_text("utf-8").replace('anchors = "anchors/small.jsonl"\n', "")
    )
    start, end = text.index("[judge]"), text.index("[repeats]")
    seats = "".join(SEAT.format(name) for name in ("one", "two", "three"))
    pairs.write("experiment.toml", text[:start] + seats + text[end:])

    assert "panel: judge 'versus' compares two answers, wanted judges of one answer" in pairs.complaint()


def test_a_run_that_may_end_early_is_of_a_judge_of_one_answer(pairs: Project) -> None:
    pairs.replace("experiment.toml", "[analysis]", "[sequential]\nbatch = 1\n\n[analysis]")

    assert "judge.spec: found a pairwise judge with [sequential], wanted a single one" in pairs.complaint()
