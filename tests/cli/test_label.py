"""Answers handed to people, and their labels read back into anchors."""

import csv
import json
from pathlib import Path

import pytest

from harness.domain.panel import human_labels, in_human_labels
from tests.cli.panel_project import right, write_panel
from tests.cli.small_project import write_project
from tests.panels import as_panel
from tests.runs import a_plan


@pytest.fixture
def run(harness, tmp_path):
    """A judged run whose answers would be formulas in a spreadsheet."""
    experiment = write_project(tmp_path / "p", judged=True, answer="=HYPERLINK({id}) {verb}")
    harness("run", experiment, "--dir", tmp_path / "run")
    return tmp_path / "run"


def sheet_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def fill(path: Path, *, label: str, by: str) -> None:
    rows = [row | {"label": label, "by": by} for row in sheet_of(path)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_is_blind_and_no_cell_is_a_formula(harness, run, tmp_path):
    called = harness("label", run, "--for", "human-scale", "-n", "5", "--out", tmp_path / "sheet.csv")
    rows = sheet_of(tmp_path / "sheet.csv")

    assert called.code == 0
    assert len(rows) == 10
    assert set(rows[0]) == {"id", "prompt", "reference", "answer", "label", "by"}
    assert all(row["answer"].startswith("'=HYPERLINK") for row in rows)
    text = (tmp_path / "sheet.csv").read_text()
    assert not any(word in text for word in ("baseline", "candidate", "good", "bad", "m-judge"))


def test_labels_come_back_as_anchors_drawn_at_random_on_both_arms(harness, run, tmp_path):
    sheet, anchors = tmp_path / "sheet.csv", tmp_path / "anchors.jsonl"
    harness("label", run, "--for", "human-scale", "-n", "5", "--out", sheet)
    fill(sheet, label="good", by="Zoë")
    called = harness("label", run, "--read", sheet, "--into", anchors)
    found = [json.loads(line) for line in anchors.read_text(encoding="utf-8").splitlines()]

    assert called.code == 0
    assert len(found) == 10
    assert {anchor["selection"] for anchor in found} == {"random"}
    assert sorted(anchor["arm"] for anchor in found) == ["baseline"] * 5 + ["candidate"] * 5
    assert all(anchor["answer"].startswith("=HYPERLINK") for anchor in found)
    assert found[0]["reviews"] == [{"by": "Zoë", "label": "good"}]


@pytest.mark.parametrize("kept", ["sheet.csv", "sheet.csv.key.jsonl"])
def test_a_sheet_that_people_may_have_filled_in_is_never_written_over(harness, run, tmp_path, kept):
    sheet = tmp_path / "sheet.csv"
    (tmp_path / kept).write_text("labels", encoding="utf-8")
    called = harness("label", run, "--for", "human-scale", "--out", sheet)

    assert called.code == 2
    assert (
        called.err == f"harness: {sheet}: is there already, maybe with people's labels; wanted a new file\n"
    )
    assert [path.name for path in tmp_path.glob("sheet*")] == [kept]
    assert (tmp_path / kept).read_text(encoding="utf-8") == "labels"


def test_a_second_person_is_added_and_the_same_one_twice_is_refused(harness, run, tmp_path):
    sheet, anchors = tmp_path / "sheet.csv", tmp_path / "anchors.jsonl"
    harness("label", run, "--for", "human-scale", "-n", "2", "--out", sheet)
    for by in ("a", "b"):
        fill(sheet, label="bad", by=by)
        harness("label", run, "--read", sheet, "--into", anchors)
    again = harness("label", run, "--read", sheet, "--into", anchors)
    first = json.loads(anchors.read_text().splitlines()[0])

    assert [review["by"] for review in first["reviews"]] == ["a", "b"]
    assert again.code == 2
    assert "'b' reviewed" in again.err


@pytest.mark.parametrize(
    ("label", "by", "complaint"),
    [("great", "a", "found 'great', wanted one of good, bad"), ("good", "", "wanted the rater's name")],
)
def test_a_wrong_row_is_told_with_its_line(harness, run, tmp_path, label, by, complaint):
    sheet = tmp_path / "sheet.csv"
    harness("label", run, "--for", "human-scale", "-n", "2", "--out", sheet)
    fill(sheet, label=label, by=by)
    called = harness("label", run, "--read", sheet, "--into", tmp_path / "anchors.jsonl")

    assert called.code == 2
    assert complaint in called.err
    assert "sheet.csv:2" in called.err
    assert not (tmp_path / "anchors.jsonl").exists()


def test_no_held_out_case_is_handed_out(harness, run, tmp_path):
    plan = json.loads((run / "plan.json").read_text())
    harness("label", run, "--for", "human-scale", "-n", "99", "--out", tmp_path / "sheet.jsonl")
    keys = [json.loads(line) for line in (tmp_path / "sheet.jsonl.key.jsonl").read_text().splitlines()]

    assert plan["held_out"]
    assert not {key["case"] for key in keys} & set(plan["held_out"])


def test_a_judge_that_never_wavers_leaves_nothing_to_adjudicate(harness, run, tmp_path):
    called = harness("label", run, "--for", "adjudication", "--out", tmp_path / "sheet.csv")

    assert called.code == 2
    assert "holds no answer to hand out for adjudication" in called.err


def test_half_of_the_options_are_refused(harness, run, tmp_path):
    assert harness("label", run, "--for", "human-scale").code == 2
    assert harness("label", run, "--read", tmp_path / "sheet.csv").code == 2


def test_answers_on_which_the_judges_of_a_panel_differ_are_handed_out_for_adjudication(harness, tmp_path):
    def lenient(kind, name, arm):
        return "good" if name in ("c00", "c02") else right(kind, name, arm)

    experiment = write_panel(tmp_path / "p", {"x": right, "y": lenient, "z": right}, held_out=False)
    harness("run", experiment, "--dir", tmp_path / "run")
    sheet, anchors = tmp_path / "sheet.csv", tmp_path / "anchors.jsonl"
    said = harness("label", tmp_path / "run", "--for", "adjudication", "-n", "9", "--out", sheet).out
    keys = [json.loads(line) for line in (tmp_path / "sheet.csv.key.jsonl").read_text().splitlines()]
    fill(sheet, label="bad", by="Ann")
    read = harness("label", tmp_path / "run", "--read", sheet, "--into", anchors)

    assert "labels good, bad" in said
    assert {(key["case"], key["arm"]) for key in keys} == {("c00", "baseline"), ("c02", "baseline")}
    assert read.code == 0
    assert "2 labels read" in read.out


def test_people_are_asked_for_pass_or_fail_where_judges_have_labels_of_their_own():
    scale = {"labels": ("1", "2", "3"), "passing": ("3",)}
    plan = as_panel(a_plan(), "x", "y", specs={"y": scale})
    read = in_human_labels(plan)

    assert human_labels(plan) == ("pass", "fail")
    assert (read("judge:y", "3"), read("judge:y", "1"), read("judge:x", "fail")) == ("pass", "fail", "fail")
    assert human_labels(a_plan(judge=False)) == ()
