"""The lock: every change since is named, and nothing else is."""

import json
import os
from pathlib import Path

import pytest
from project import CASES, PROMPT, Project, said

from harness.domain.errors import InputError, Tampered
from harness.domain.plan import Lock, Plan
from harness.inputs.lock import check_lock, lock_path, make_lock, read_lock, write_lock

RULES = {"ties": "in neither gain nor loss"}


def lock_of(plan: Plan) -> Lock:
    return make_lock(
        plan,
        experiment="experiment.toml",
        rules=RULES,
        harness_version="1.0",
        frozen_at="2026-01-01T00:00:00+00:00",
    )


def complaint(plan: Plan, lock: Lock, *, rules: dict[str, str] = RULES, version: str = "1.0") -> str:
    with pytest.raises(Tampered) as caught:
        check_lock(plan, lock, rules=rules, harness_version=version)
    start = "changed since it was frozen at 2026-01-01T00:00:00+00:00: "
    assert str(caught.value).startswith(start)
    return str(caught.value).removeprefix(start)


def locked(project: Project) -> Lock:
    path = lock_path(project.experiment)
    write_lock(path, lock_of(project.load()), replace=False)
    return read_lock(path)


def test_an_untouched_plan_matches_its_lock(project: Project) -> None:
    check_lock(project.load(), locked(project), rules=RULES, harness_version="1.0")


def test_line_ends_of_another_platform_are_no_change(project: Project) -> None:
    lock = locked(project)
    for folder, _, files in os.walk(project.root):
        for name in files:
            path = Path(folder) / name
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    check_lock(project.load(), read_lock(lock_path(project.experiment)), rules=RULES, harness_version="1.0")
    assert read_lock(lock_path(project.experiment)) == lock


@pytest.mark.parametrize(
    ("name", "old", "new", "wanted"),
    [
        ("experiment.toml", "answers = 3", "answers = 5", "experiment.repeats.answers: was 3, is 5"),
        (
            "experiment.toml",
            "margin = 0.05",
            "margin = 0.02",
            "experiment.analysis.margin: was 0.05, is 0.02",
        ),
        (
            "experiment.toml",
            "seed = 1",
            'seed = 1\nestimand = "mean"',
            'experiment.analysis.estimand: was "majority", is "mean"',
        ),
        (
            "experiment.toml",
            'model = "m"',
            'model = "m"\nsampling = { temperature = 0 }',
            "experiment.arm.baseline.sampling: was {}, is absent; "
            "experiment.arm.baseline.sampling.temperature: was absent, is 0",
        ),
        ("gold/small/set.toml", 'salt = "s"', 'salt = "t"', 'gold.split.salt: was "s", is "t"'),
        (
            "gold/small/cases.jsonl",
            "Capital of Norway?",
            "Capital of Denmark?",
            'gold/small/cases.jsonl, \'c1\', prompt: was "Capital of Norway?", is "Capital of Denmark?"',
        ),
        (
            "gold/small/canaries.jsonl",
            '"expected": "fail"',
            '"expected": "pass"',
            'gold/small/canaries.jsonl, \'k1\', expected: was "fail", is "pass"',
        ),
        (
            "anchors/small.jsonl",
            '"selection": "random"',
            '"selection": "curated"',
            'anchors/small.jsonl, \'a1\', selection: was "random", is "curated"',
        ),
        ("replies.jsonl", "Oslo", "Bergen", "file replies.jsonl: was "),
        (
            "candidate.md",
            "one word",
            "two words",
            'templates.candidate.prompt: was "Answer in one word.\\n\\n$prompt"',
        ),
    ],
)
def test_a_change_is_named_with_file_item_key_and_both_values(
    project: Project, name: str, old: str, new: str, wanted: str
) -> None:
    lock = locked(project)

    project.replace(name, old, new)

    found = complaint(project.load(), lock)
    assert found.startswith(wanted)
    # The file that the value stands in is told too.
    assert f"file {name}: was " in found


def test_a_long_value_is_told_by_its_digests(project: Project) -> None:
    long = [{**row, "prompt": f"{row['prompt']} {'x' * 300}"} for row in CASES]
    project.cases(*long)
    lock = locked(project)

    project.cases(long[0], {**long[1], "prompt": "y" * 400}, long[2])

    assert complaint(project.load(), lock).startswith(
        'gold/small/cases.jsonl, \'c2\', prompt: was {"sha256":"'
    )


def test_an_added_and_a_removed_case_are_named(project: Project) -> None:
    lock = locked(project)

    project.cases(CASES[0], CASES[2], {"id": "c4", "prompt": "q", "reference": "r"})

    assert complaint(project.load(), lock).startswith(
        "gold/small/cases.jsonl, 'c2': was there, is absent; "
        "gold/small/cases.jsonl, 'c4': was absent, is there"
    )


def test_a_case_that_changes_sides_is_named(project: Project) -> None:
    lock = locked(project)
    side = next(dict(item.values)["side"] for item in lock.items if item.id == "c3")
    other = "exploratory" if side == "held_out" else "held_out"

    project.cases(*CASES[:2], {**CASES[2], "split": other})

    assert f'\'c3\', side: was "{side}", is "{other}"' in complaint(project.load(), lock)


def test_a_new_judge_prompt_is_named(project: Project) -> None:
    lock = locked(project)

    project.judge(PROMPT + " Be strict.")

    found = complaint(project.load(), lock)
    assert "judge.prompt_sha256: was " in found
    assert "judge_prompt: was " in found


def test_a_change_of_form_alone_is_told_by_the_file(project: Project) -> None:
    lock = locked(project)

    project.replace("experiment.toml", "seed = 1", "seed = 1  # a remark")

    assert complaint(project.load(), lock).startswith("file experiment.toml: was ")


def test_another_order_of_cases_is_a_change(project: Project) -> None:
    lock = locked(project)

    project.cases(CASES[1], CASES[0], CASES[2])

    assert complaint(project.load(), lock).startswith("file gold/small/cases.jsonl: was ")


def test_other_code_and_other_rules_are_changes(project: Project) -> None:
    lock, plan = locked(project), project.load()

    assert complaint(plan, lock, version="1.1") == "harness_version: was 1.0, is 1.1"
    assert complaint(plan, lock, rules={"ties": "half"}) == (
        'rules.ties: was "in neither gain nor loss", is "half"'
    )


def test_many_changes_are_counted(project: Project) -> None:
    lock = locked(project)

    project.cases(*({"id": f"n{number}", "prompt": f"q{number}", "reference": "r"} for number in range(20)))

    assert complaint(project.load(), lock).endswith("; and 19 more")


def test_every_single_value_of_a_written_lock_is_guarded(project: Project) -> None:
    locked(project)
    path = lock_path(project.experiment)
    document = json.loads(path.read_text("utf-8"))

    for key in document:
        spoilt = {**document, key: "x" if isinstance(document[key], str) else []}
        path.write_text(json.dumps(spoilt), "utf-8")
        with pytest.raises(
            Tampered, match=r"experiment\.lock\.json: (edited after|no lock as it was written)"
        ):
            read_lock(path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": "1", "version": "1"}', "NaN"])
def test_what_is_no_lock_is_tampered(project: Project, text: str) -> None:
    path = project.write("experiment.lock.json", text)

    with pytest.raises(Tampered) as caught:
        read_lock(path)

    assert said(caught.value, project.root).startswith("experiment.lock.json: no lock as it was written: ")


def test_a_missing_lock_is_a_wrong_input(project: Project) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_lock(lock_path(project.experiment))


def test_a_lock_is_not_written_over_unless_asked(project: Project) -> None:
    first = locked(project)
    path = lock_path(project.experiment)
    second = make_lock(
        project.load(), experiment="experiment.toml", rules={}, harness_version="2.0", frozen_at="later"
    )

    with pytest.raises(InputError, match="is there already"):
        write_lock(path, second, replace=False)
    assert read_lock(path) == first

    write_lock(path, second, replace=True)
    assert read_lock(path) == second
    assert [entry.name for entry in project.root.iterdir() if "partial" in entry.name] == []
