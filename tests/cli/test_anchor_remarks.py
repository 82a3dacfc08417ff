"""Anchors of held-out cases show before any look: `harness check` says which."""

import json

import pytest

from harness.cli.anchor_remarks import anchor_remarks
from harness.cli.project import load
from harness.domain.cases import Anchor
from tests.cli.small_project import write_project, write_rows


@pytest.fixture
def plan(tmp_path):
    return load(write_project(tmp_path, judged=True))


def anchor(name: str, prompt: str, *, case: str | None = None) -> Anchor:
    return Anchor(id=name, prompt=prompt, answer="I do it.", label="good", selection="random", case=case)


def remarks(plan, *anchors: Anchor) -> list[str]:
    return list(anchor_remarks(plan.model_copy(update={"anchors": anchors})))


def test_an_anchor_with_the_prompt_of_a_held_out_case_is_named_however_it_is_spelled(plan):
    closed = plan.held_out[0]
    (remark,) = remarks(plan, anchor("mine", f"Do\u00a0 {closed}?"))

    assert remark.startswith(f"anchors of held-out cases, 1: mine repeats {closed}; their prompts")
    assert "before any look" in remark


def test_so_is_one_that_is_tied_to_such_a_case_by_name(plan):
    (remark,) = remarks(plan, anchor("mine", "Something else?", case=plan.held_out[1]))

    assert f"mine repeats {plan.held_out[1]}" in remark


def test_anchors_of_exploratory_cases_and_of_none_are_in_order(plan):
    shown = next(case for case in plan.cases if case.id not in plan.held_out)

    assert remarks(plan, anchor("a", shown.prompt, case=shown.id), anchor("b", "Capital of Spain?")) == []


def test_many_are_counted_and_the_first_ones_named(plan):
    assert len(plan.held_out) > 6
    (remark,) = remarks(plan, *(anchor(f"a-{case}", f"Do {case}?") for case in plan.held_out))

    assert remark.startswith(f"anchors of held-out cases, {len(plan.held_out)}: ")
    assert f"and {len(plan.held_out) - 5} more" in remark


def test_anchors_that_label_makes_bring_no_remark_and_check_names_the_others(harness, tmp_path, plan):
    experiment, sheet = tmp_path / "experiment.toml", tmp_path / "sheet.jsonl"
    anchors, closed = tmp_path / "anchors" / "small.jsonl", plan.held_out[0]
    harness("run", experiment, "--dir", tmp_path / "run")
    harness("label", tmp_path / "run", "--for", "human-scale", "-n", "99", "--out", sheet)
    rows = [json.loads(line) | {"label": "good", "by": "r1"} for line in sheet.read_text().splitlines()]
    write_rows(sheet, rows)
    harness("label", tmp_path / "run", "--read", sheet, "--into", anchors)

    def found():
        return json.loads(harness("check", experiment, "--json").out)["remarks"]

    assert len(anchors.read_text().splitlines()) == 1 + len(rows) > 10
    assert not any("anchors of held-out cases" in remark for remark in found())
    repeated = anchor("mine", f"Do {closed}?").model_dump(mode="json", exclude_defaults=True)
    anchors.write_text(f"{anchors.read_text()}{json.dumps(repeated)}\n")
    assert any(f"mine repeats {closed}" in remark for remark in found())
