"""Two files become pairs; what has no partner stays and is named."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.errors import InputError
from harness.domain.verdicts import graded
from harness.importers.pairing import Pairing, pair_results
from harness.importers.results import read_results

DATA = Path(__file__).parents[1] / "data"
PASS, FAIL, NOT_RUN = graded("pass"), graded("fail"), graded(None, "not_run")

Row = dict[str, object]


def pair(tmp_path: Path, baseline: list[Row], candidate: list[Row]) -> Pairing:
    files = []
    for name, rows in (("a.jsonl", baseline), ("b.jsonl", candidate)):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        files.append(read_results(path))
    return pair_results(baseline=files[0], candidate=files[1])


def rows(*ids: str, **fields: object) -> list[Row]:
    return [{"id": name, "passed": True, **fields} for name in ids]


def test_equal_ids_are_paired_whatever_the_order(tmp_path: Path) -> None:
    found = pair(tmp_path, rows("a", "b"), [{"id": "b", "passed": False}, {"id": "a", "passed": True}])

    assert [(case.case, case.baseline, case.candidate) for case in found.cases] == [
        ("a", (PASS,), (PASS,)),
        ("b", (PASS,), (FAIL,)),
    ]
    assert found.notes[0] == "2 of 2 cases are in both files"


def test_files_of_unequal_length_are_never_cut_to_what_they_share(tmp_path: Path) -> None:
    many, few = [f"c{number}" for number in range(300)], ["c0", "c1", "c2", "c3"]

    found = pair(tmp_path, rows(*many), rows(*few))

    assert len(found.cases) == 300
    assert found.notes[0] == "4 of 300 cases are in both files"
    assert found.n_paired == 4
    assert len(found.only_in_baseline) == 296
    assert found.cases[299].candidate == (NOT_RUN,)


def test_what_only_the_second_file_has_comes_after_the_first_s_cases(tmp_path: Path) -> None:
    found = pair(tmp_path, rows("a", "b"), rows("x", "b", "y"))

    assert [case.case for case in found.cases] == ["a", "b", "x", "y"]
    assert (found.only_in_baseline, found.only_in_candidate) == (("a",), ("x", "y"))
    assert found.cases[2].baseline == (NOT_RUN,)
    assert found.notes[1].startswith("1 cases are only in ")


def test_ids_that_are_alike_are_pointed_at_and_not_paired(tmp_path: Path) -> None:
    found = pair(tmp_path, rows("caf\u00e9", "B "), rows("cafe\u0301", "b"))

    assert found.n_paired == 0
    assert any(
        note.startswith("2 ids are alike and another text, such as 'caf\u00e9'") for note in found.notes
    )


def test_number_like_ids_pair_by_their_text_alone(tmp_path: Path) -> None:
    assert pair(tmp_path, [{"id": 7, "passed": 1}], rows("7")).n_paired == 1
    assert pair(tmp_path, rows("7"), rows("007")).n_paired == 0


def test_what_one_file_says_of_a_case_holds_for_both(tmp_path: Path) -> None:
    found = pair(tmp_path, rows("a", cluster="doc", weight=2, split="held_out"), rows("a", tags=["x"])).cases[
        0
    ]

    assert (found.cluster, found.tags, found.weight, found.split) == ("doc", ("x",), 2.0, "held_out")


def test_a_case_of_which_nothing_is_said_counts_alone_and_once(tmp_path: Path) -> None:
    found = pair(tmp_path, rows("a"), rows("a")).cases[0]

    assert (found.cluster, found.tags, found.weight, found.split) == ("a", (), 1.0, "exploratory")


@pytest.mark.parametrize(
    ("field", "first", "second"),
    [("cluster", "x", "y"), ("weight", 1, 2), ("split", "held_out", "exploratory")],
)
def test_files_that_disagree_about_a_case_are_refused(
    tmp_path: Path, field: str, first: object, second: object
) -> None:
    with pytest.raises(InputError, match=f"case 'a': {field} is .* in the first file and .* in the second"):
        pair(tmp_path, rows("a", **{field: first}), rows("a", **{field: second}))


def test_other_tags_are_kept_together_and_said(tmp_path: Path) -> None:
    found = pair(tmp_path, rows("a", tags=["x", "y"]), rows("a", tags=["y", "z"]))

    assert found.cases[0].tags == ("x", "y", "z")
    assert "1 cases have other tags in the second file: both are kept" in found.notes


def test_another_number_of_repeats_is_said(tmp_path: Path) -> None:
    twice = [{"id": "a", "repeat": repeat, "passed": True} for repeat in range(2)]

    found = pair(tmp_path, twice, rows("a"))

    assert (len(found.cases[0].baseline), len(found.cases[0].candidate)) == (2, 1)
    assert "2 answers a case in the first file, 1 in the second" in found.notes


ids = st.sets(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=3), min_size=1
)


@given(ids, ids)
def test_cases_in_are_cases_paired_and_cases_named(
    tmp_path_factory: pytest.TempPathFactory, first: set[str], second: set[str]
) -> None:
    found = pair(tmp_path_factory.mktemp("pair"), rows(*first), rows(*second))

    assert {case.case for case in found.cases} == first | second
    assert found.n_paired + len(found.only_in_baseline) + len(found.only_in_candidate) == len(found.cases)
    assert set(found.only_in_baseline) == first - second
    assert set(found.only_in_candidate) == second - first


def test_two_published_agents_differ_on_34_and_76_of_500_tasks() -> None:
    found = pair_results(
        baseline=read_results(DATA / "swebench_haiku.jsonl"),
        candidate=read_results(DATA / "swebench_sonnet.jsonl"),
    )
    outcomes = [(case.baseline[0].outcome, case.candidate[0].outcome) for case in found.cases]

    assert (len(outcomes), found.n_paired) == (500, 500)
    assert (outcomes.count(("fail", "pass")), outcomes.count(("pass", "fail"))) == (76, 34)
