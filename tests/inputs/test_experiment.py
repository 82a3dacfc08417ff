"""Everything an experiment names, in one plan; what does not fit together is refused."""

import os
from hashlib import sha256
from pathlib import Path

import pytest
from project import EXPERIMENT, Project

from harness.cli.rules import GRADER_RULES
from harness.domain.plan import plan_digest
from harness.inputs.experiment import load_plan


def test_every_file_is_named_with_the_digest_that_sha256sum_prints(project: Project) -> None:
    inputs = {entry.path: entry.sha256 for entry in project.load().inputs}

    assert list(inputs) == [
        "experiment.toml",
        "gold/small/set.toml",
        "gold/small/cases.jsonl",
        "gold/small/canaries.jsonl",
        "judges/strict/judge.toml",
        "judges/strict/prompt.md",
        "candidate.md",
        "anchors/small.jsonl",
        "replies.jsonl",
    ]
    for path, digest in inputs.items():
        assert digest == sha256((project.root / path).read_bytes()).hexdigest()


def test_the_plan_holds_no_path_of_this_machine(project: Project) -> None:
    assert str(project.root) not in project.load().model_dump_json()


def test_files_outside_the_folder_are_named_as_written(project: Project) -> None:
    text = EXPERIMENT.replace('"gold/', '"../../gold/').replace('"anchors/', '"../../anchors/')
    text = text.replace('"judges/', '"../../judges/').replace('"replies', '"../../replies')
    project.write("experiments/one/experiment.toml", text.replace('"candidate.md"', '"../../candidate.md"'))

    plan = load_plan(project.root / "experiments/one/experiment.toml", rules=GRADER_RULES)

    assert [entry.path for entry in plan.inputs][:2] == ["experiment.toml", "../../gold/small/set.toml"]


def test_the_plan_is_the_same_from_every_folder_and_with_every_line_end(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plan_digest(project.load())

    monkeypatch.chdir(project.root)
    assert plan_digest(load_plan(Path("experiment.toml"), rules=GRADER_RULES)) == before

    for folder, _, files in os.walk(project.root):
        for name in files:
            path = Path(folder) / name
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert plan_digest(project.load()) == before


@pytest.mark.parametrize("written", ["/etc/gold", "C:\\\\gold", "gold\\\\small"])
def test_a_path_is_relative_and_has_forward_slashes(project: Project, written: str) -> None:
    project.replace("experiment.toml", '"gold/small"', f'"{written}"')

    found = project.complaint()

    assert found.startswith("experiment.toml:2: gold: found '")
    assert found.endswith("wanted a path from this file's folder, with /")


def test_a_case_that_nobody_grades_is_refused(project: Project) -> None:
    text = EXPERIMENT.replace('anchors = "anchors/small.jsonl"\n', "")
    start, end = text.index("[judge]"), text.index("[repeats]")
    project.write("experiment.toml", text[:start] + text[end:])

    found = project.complaint()
    assert found.startswith("gold/small/cases.jsonl:1: case 'c1' has no checks, and ")
    assert found.endswith("experiment.toml has no [judge]")

    project.cases({"id": "c3", "prompt": "2 + 2?", "checks": [{"kind": "exact", "expected": "4"}]})
    assert project.complaint().startswith("gold/small/canaries.jsonl:1: canary 'k1' is for the judge, and ")

    (project.root / "gold/small/canaries.jsonl").unlink()
    assert project.load().judge is None


@pytest.mark.parametrize(
    ("setting", "key"),
    [
        ('slices = ["geo", "sums"]', "slices"),
        ('guardrails = [{ name = "g", margin = 0.1, tag = "sums" }]', "guardrails"),
        ("weights = { geo = 0.5, sums = 0.5 }", "weights.sums"),
    ],
)
def test_a_tag_that_no_case_has_is_refused(project: Project, setting: str, key: str) -> None:
    project.replace("experiment.toml", "seed = 1", f"seed = 1\n{setting}")

    assert project.complaint() == (
        f"experiment.toml:31: analysis.{key}: no case of the gold set has the tag 'sums'; did you mean 'sum'?"
    )


def test_an_arm_template_that_stays_unfilled_is_refused(project: Project) -> None:
    project.write("candidate.md", "Answer $question")

    found = project.complaint()

    assert found.startswith("candidate.md: line 1: ")
    assert "question" in found


def test_an_arm_never_sees_the_reference(project: Project) -> None:
    project.write("candidate.md", "$prompt\nHint: $reference")

    assert project.complaint().startswith("candidate.md: line 2: ")


def test_a_template_that_fits_no_message_of_a_case_names_the_case(project: Project) -> None:
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    project.cases({"id": "m", "messages": messages, "reference": "r"})

    assert project.complaint().startswith("gold/small/cases.jsonl:1: case 'm': arm candidate: ")


@pytest.mark.parametrize("key", ["template", "system"])
def test_a_text_that_nobody_would_send_is_refused(project: Project, key: str) -> None:
    project.replace("experiment.toml", 'model = "j"', f'model = "j"\n{key} = "candidate.md"')

    assert project.complaint() == (
        f"experiment.toml:22: judge.endpoint.{key}: the judge's texts stand in its judge.toml; "
        "wanted no such key here"
    )


def test_a_cost_budget_that_no_price_can_keep_is_refused(project: Project) -> None:
    text = EXPERIMENT.replace(
        'backend = "recorded"', 'backend = "chat"\nbase_url = "http://localhost:1/v1"', 1
    )
    project.write("experiment.toml", text + "\n[budget]\ncost = 5\n")

    assert project.complaint() == (
        "experiment.toml:5: arm.baseline.price: found no price, wanted one: "
        "budget.cost cannot be kept without it"
    )


def test_a_bad_recorded_reply_is_told_before_any_call(project: Project) -> None:
    project.rows("replies.jsonl", [{"id": "c1", "content": "Oslo"}, {"id": "c1", "text": "Oslo"}])

    assert project.complaint().startswith("replies.jsonl:2: unknown key 'text'")


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("candidate.md", "candidate.md: no such file"),
        ("replies.jsonl", "replies.jsonl: no such file"),
        ("judges/strict/prompt.md", "judges/strict/prompt.md: no such file"),
        ("experiment.toml", "experiment.toml: no such file"),
        ("anchors/small.jsonl", "anchors/small.jsonl: no such file"),
    ],
)
def test_a_missing_file_is_named(project: Project, name: str, gone: str) -> None:
    (project.root / name).unlink()

    assert project.complaint() == gone


def test_held_out_ids_stand_in_file_order(project: Project) -> None:
    rows = [{"id": f"c{number}", "prompt": f"q{number}", "reference": "r"} for number in range(40)]
    project.cases(*rows)

    plan = project.load()

    assert plan.held_out == tuple(case.id for case in plan.cases if case.id in set(plan.held_out))
    assert 0 < len(plan.held_out) < 40
