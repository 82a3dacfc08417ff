"""`harness compare` on real and on broken files."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data"
SONNET, HAIKU = DATA / "swebench_sonnet.jsonl", DATA / "swebench_haiku.jsonl"


@pytest.mark.parametrize(
    ("first", "second", "gain", "loss"), [(SONNET, HAIKU, 34, 76), (HAIKU, SONNET, 76, 34)]
)
def test_swebench_sonnet_tools_against_haiku_tools(harness, first, second, gain, loss):
    called = harness("compare", first, second, "--json")
    block = json.loads(called.out)["exploratory"]["majority"]

    assert (block["n_cases"], block["gain"], block["loss"]) == (500, gain, loss)
    assert block["pvalue_exact"] == pytest.approx(7.7e-5, abs=5e-7)
    assert called.code == (1 if loss > gain else 0)


def rows(path: Path, passed: dict[str, bool]) -> Path:
    path.write_text("".join(json.dumps({"id": name, "passed": ok}) + "\n" for name, ok in passed.items()))
    return path


def test_few_shared_ids_give_no_figure_but_the_count(harness, tmp_path):
    first = rows(tmp_path / "a.jsonl", {f"c{i}": True for i in range(300)})
    second = rows(tmp_path / "b.jsonl", {f"c{i}": False for i in range(4)})
    called = harness("compare", first, second, "--json")
    report = json.loads(called.out)

    assert called.err.splitlines()[0] == "4 of 300 cases are in both files"
    assert report["decision"]["verdict"] == "invalid"
    assert report["exploratory"]["majority"]["difference"] is None
    assert report["exploratory"]["majority"]["pvalue_exact"] is None
    assert called.code == 3


def test_unequal_id_sets_are_named_and_never_intersected(harness, tmp_path):
    first = rows(tmp_path / "a.jsonl", {f"c{i}": True for i in range(100)})
    second = rows(tmp_path / "b.jsonl", {f"c{i}": True for i in range(1, 101)})
    report = json.loads(harness("compare", first, second, "--json").out)

    assert report["completeness"]["unpaired_cases"] == ["c0", "c100"]
    assert report["exploratory"]["majority"]["no_majority"] == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"id": "a", "passed": true}\n{"id": "a", "passed": false}\n', "already on line 1"),
        ('{"id": "a", "score": NaN}\n', "a.jsonl:1"),
        ("not json\n", "a.jsonl:1"),
    ],
)
def test_a_bad_row_is_one_line_with_its_place(harness, tmp_path, text, wanted):
    bad = tmp_path / "a.jsonl"
    bad.write_text(text)
    called = harness("compare", bad, SONNET)

    assert called.code == 2
    assert wanted in called.err
    assert len(called.err.splitlines()) == 1
    assert called.out == ""


def test_a_missing_file_is_one_line(harness, tmp_path):
    called = harness("compare", tmp_path / "nowhere.jsonl", SONNET)

    assert called.code == 2
    assert "nowhere.jsonl" in called.err
    assert len(called.err.splitlines()) == 1


def test_a_tag_that_no_case_has_is_refused(harness):
    called = harness("compare", SONNET, HAIKU, "--slice", "nothing")

    assert called.code == 2
    assert "'nothing'" in called.err
