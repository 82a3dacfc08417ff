"""A judge's files: its prompt is the frozen one, and every placeholder is filled."""

from hashlib import sha256

import pytest
from project import CASES, PROMPT, Project

CHANGED = PROMPT + " Be kind."


def test_a_changed_prompt_is_refused_with_both_digests(project: Project) -> None:
    project.write("judges/strict/prompt.md", CHANGED)
    wanted, found = (sha256(text.encode()).hexdigest() for text in (PROMPT, CHANGED))

    assert project.complaint() == (
        f"judges/strict/judge.toml:10: prompt_sha256: prompt.md has {found}, wanted {wanted}; "
        "a changed prompt is a new judge version with its own digest and its own why"
    )


def test_line_ends_and_a_mark_change_no_prompt(project: Project) -> None:
    before = project.load()

    project.write("judges/strict/prompt.md", "\ufeff" + PROMPT.replace("\n", "\r\n"))

    assert project.load() == before


@pytest.mark.parametrize("placeholder", ["{{expected}}", "{{ expected }}", "$expected", "${expected}"])
def test_a_placeholder_that_nothing_fills_is_refused_with_the_case_and_the_field(
    project: Project, placeholder: str
) -> None:
    project.judge(f"{PROMPT}\nThe answer must match {placeholder}")

    found = project.complaint()

    assert found.startswith("judges/strict/prompt.md: line 5: ")
    assert "expected" in found
    assert found.endswith("(case 'c1' is the first to be judged with it)")


def test_a_prompt_without_the_answer_is_refused(project: Project) -> None:
    project.judge("Is $prompt a good question?")

    assert "no $answer" in project.complaint()


def test_a_case_without_the_reference_that_the_prompt_shows_is_named(project: Project) -> None:
    project.cases(*CASES, {"id": "c4", "prompt": "Capital of Denmark?"})

    found = project.complaint()

    assert found.startswith("gold/small/cases.jsonl:4: case 'c4': ")
    assert "$reference" in found


@pytest.mark.parametrize("name", ["gold/small/canaries.jsonl", "anchors/small.jsonl"])
def test_a_canary_and_an_anchor_need_the_reference_too(project: Project, name: str) -> None:
    text = (project.root / name).read_text("utf-8")
    row = text.split("\n")[0]
    without = ", ".join(part for part in row.split(", ") if not part.startswith('"reference"'))
    project.write(name, text.replace(row, without))

    found = project.complaint()

    assert found.startswith(f"{name}:1: ")
    assert "$reference" in found


def test_a_case_with_checks_needs_no_reference(project: Project) -> None:
    assert "reference" not in CASES[2]
    assert project.load().cases[2].reference is None


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (
            'passing = ["good"]',
            'passing = ["fine"]',
            "passing: 'fine' is not one of the labels ['good', 'bad']",
        ),
        (
            'passing = ["good"]',
            'passing = ["good", "bad"]',
            "passing: every label passes, so nothing can fail",
        ),
        ('version = "1"', "version = 1", "judge.toml:2: version: found 1, wanted text"),
        ('why = "tests"', "", "judge.toml: why: missing, wanted text"),
        (
            'mode = "single"',
            'mode = "score"',
            "judge.toml:3: mode: found \"score\", wanted 'single' or 'pairwise'",
        ),
    ],
)
def test_a_judge_that_cannot_be_read_is_refused(project: Project, old: str, new: str, wanted: str) -> None:
    project.replace("judges/strict/judge.toml", old, new)

    assert wanted in project.complaint()


def test_the_judge_may_be_named_by_its_file(project: Project) -> None:
    before = project.load()

    project.replace("experiment.toml", '"judges/strict"', '"judges/strict/judge.toml"')

    assert project.load().judge == before.judge
