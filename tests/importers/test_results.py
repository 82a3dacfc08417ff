"""Plain results files: every row used or named, nothing guessed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.domain.errors import InputError
from harness.domain.verdicts import graded
from harness.importers.fields import PASSED_WORDS
from harness.importers.results import ResultFile, read_results

PASS, FAIL = graded("pass"), graded("fail")
SKIPPED, FAILED, NOT_RUN = (graded(None, reason) for reason in ("not_applicable", "failed", "not_run"))


def write(tmp_path: Path, *rows: object, name: str = "r.jsonl") -> Path:
    path = tmp_path / name
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    path.write_bytes(text.encode("utf-8"))
    return path


def read(tmp_path: Path, *rows: object, name: str = "r.jsonl", pass_at: float | None = None) -> ResultFile:
    return read_results(write(tmp_path, *rows, name=name), pass_at=pass_at)


def complaint(tmp_path: Path, *rows: object, name: str = "r.jsonl", pass_at: float | None = None) -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, *rows, name=name, pass_at=pass_at)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_a_row_says_whether_a_case_passed(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "passed": True}, {"id": "b", "passed": False})

    assert [(case.id, case.answers) for case in found.cases] == [("a", (PASS,)), ("b", (FAIL,))]
    assert (found.n_rows, found.repeats) == (2, (0,))


@pytest.mark.parametrize(
    ("written", "passed"),
    [(True, True), (False, False), (1, True), (0, False), (1.0, True), ("PASS", True), ("Failed", False)],
)
def test_passed_is_read_by_a_written_table(tmp_path: Path, written: object, passed: bool) -> None:
    assert read(tmp_path, {"id": "a", "passed": written}).cases[0].answers == (PASS if passed else FAIL,)


@pytest.mark.parametrize("word", sorted(PASSED_WORDS))
def test_every_word_of_the_table_is_read_from_csv(tmp_path: Path, word: str) -> None:
    found = read(tmp_path, "id,passed", f"a,{word.upper()}", name="r.csv")

    assert found.cases[0].answers == (PASS if PASSED_WORDS[word] else FAIL,)


@pytest.mark.parametrize("written", [-1, 2, 0.5, "maybe", "", "n/a", [], {}])
def test_what_is_not_in_the_table_is_refused(tmp_path: Path, written: object) -> None:
    found = complaint(tmp_path, {"id": "a", "passed": True}, {"id": "b", "passed": written})

    assert found.startswith("r.jsonl:2: passed: found ")
    assert found.endswith("wanted true or false, 1 or 0, pass or fail, yes or no")


def test_scores_of_0_and_1_need_no_pass_mark_and_others_do(tmp_path: Path) -> None:
    rows = [{"id": "a", "score": 1}, {"id": "b", "score": 0.0}]

    assert [case.answers[0].outcome for case in read(tmp_path, *rows).cases] == ["pass", "fail"]
    assert complaint(tmp_path, *rows, {"id": "c", "score": 0.37}) == (
        "r.jsonl:3: score: found 0.37, wanted 0 or 1, "
        "or a pass mark: the score from which an answer passes (--pass-at)"
    )


def test_a_score_passes_from_the_pass_mark_on_and_is_kept(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "score": 7}, {"id": "b", "score": 6.9}, pass_at=7)

    assert [case.answers[0] for case in found.cases] == [graded("pass", None, 7.0), graded("fail", None, 6.9)]


def test_passed_decides_beside_a_score_and_a_pass_mark_then_has_nothing_to_decide(tmp_path: Path) -> None:
    row = {"id": "a", "passed": False, "score": 0.9}

    assert read(tmp_path, row).cases[0].answers == (graded("fail", None, 0.9),)
    assert complaint(tmp_path, row, pass_at=0.5) == (
        "r.jsonl:1: found passed and score, so a pass mark has nothing to decide; leave one out"
    )


def test_a_null_score_is_skipped_and_counted_and_is_not_0(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "score": None}, {"id": "b", "score": 1})

    assert [case.answers[0] for case in found.cases] == [SKIPPED, graded("pass", None, 1.0)]
    scores = [case.answers[0].score for case in found.cases if case.answers[0].score is not None]
    assert (sum(scores) / len(scores), len(scores), found.n_skipped) == (1.0, 1, 1)
    assert "1 row without passed and score (line 1): no verdict, not 0" in found.notes


def test_an_empty_cell_is_skipped_too(tmp_path: Path) -> None:
    found = read(tmp_path, "id,score", "a,", "b,1", name="r.csv")

    assert [case.answers[0].reason for case in found.cases] == ["not_applicable", None]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "passed": True, "output": "[ERROR] connection reset"},
        {"id": "a", "passed": True, "output": " [ERROR] connection reset"},
        {"id": "a", "score": 1, "error": "timeout"},
    ],
)
def test_an_error_in_place_of_an_answer_is_flagged_and_kept_out(tmp_path: Path, row: object) -> None:
    found = read(tmp_path, {"id": "z", "passed": True}, row)

    assert found.cases[1].answers == (FAILED,)
    assert found.n_flagged == 1
    assert "1 row with an error for an answer (line 2): no verdict; review" in found.notes


@pytest.mark.parametrize("row", [{"output": "The log says [ERROR] here"}, {"error": None}, {"error": ""}])
def test_an_answer_that_speaks_of_errors_is_an_answer(tmp_path: Path, row: dict[str, object]) -> None:
    assert read(tmp_path, {"id": "a", "passed": True, **row}).cases[0].answers == (PASS,)


def test_a_marker_such_as_minus_1_is_a_score_and_is_pointed_at(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "score": -1}, {"id": "b", "score": 1}, pass_at=0.5)

    assert found.cases[0].answers == (graded("fail", None, -1.0),)
    assert "the only score below 0 is -1, on 1 row: read as a score; write null for none" in found.notes


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("NaN", "not strict JSON: NaN is not a JSON number"),
        ("1e999", "not strict JSON: 1e999 is not a finite number"),
        ('"0.5"', None),
        ('"high"', 'score: found "high", wanted a finite number'),
        ("true", "score: found true, wanted a finite number"),
        ("1" + "0" * 400, "score: found 1"),
    ],
)
def test_a_score_is_a_finite_number(tmp_path: Path, written: str, wanted: str | None) -> None:
    row = f'{{"id": "a", "score": {written}}}'

    if wanted is None:
        assert read(tmp_path, row, pass_at=0.5).cases[0].answers[0].score == 0.5
    else:
        assert complaint(tmp_path, row, pass_at=0.5).startswith(f"r.jsonl:1: {wanted}")


@pytest.mark.parametrize("cell", ["nan", "inf", "1_0", "0,5", " 1", "١"])
def test_a_cell_that_is_no_plain_number_is_no_score(tmp_path: Path, cell: str) -> None:
    found = complaint(tmp_path, "id,score", f'a,"{cell}"', name="r.csv", pass_at=0.5)

    assert found.startswith("r.csv:2: score: found ")


def test_number_like_ids_stay_as_written_and_apart(tmp_path: Path) -> None:
    found = read(tmp_path, "id,passed", "7,1", "007,1", "1e3,0", "1000,0", " 7,1", name="r.csv")

    assert [case.id for case in found.cases] == ["7", "007", "1e3", "1000", " 7"]


def test_a_number_and_a_text_of_one_id_are_one_answer_too_many(tmp_path: Path) -> None:
    assert complaint(tmp_path, {"id": 1, "passed": True}, {"id": "1", "passed": False}) == (
        "r.jsonl:2: case '1' is already on line 1; "
        "if it is another answer to the case, give every row its repeat"
    )


@pytest.mark.parametrize("name", [1.5, True, None, "", [], "a\nb"])
def test_an_id_is_text_or_a_whole_number(tmp_path: Path, name: object) -> None:
    assert complaint(tmp_path, {"id": name, "passed": True}).startswith("r.jsonl:1: id: ")


def test_the_same_answer_twice_is_refused_with_both_lines_and_never_averaged(tmp_path: Path) -> None:
    rows = [{"id": "a", "repeat": 0, "score": 1}, {"id": "b", "repeat": 0, "score": 1}]

    assert complaint(tmp_path, *rows, {"id": "a", "repeat": 0, "score": 0, "time": 2}) == (
        "r.jsonl:3: case 'a', repeat 0 is already on line 1"
    )


def test_repeats_stand_in_rising_order_and_a_missing_one_was_not_run(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"id": "a", "repeat": 7, "passed": False},
        {"id": "a", "repeat": 3, "passed": True},
        {"id": "b", "repeat": 3, "passed": True},
    )

    assert found.repeats == (3, 7)
    assert [case.answers for case in found.cases] == [(PASS, FAIL), (PASS, NOT_RUN)]
    assert "1 answers are missing: not every case has all 2 repeats" in found.notes


@pytest.mark.parametrize("repeat", [-1, 1.5, True, "two"])
def test_a_repeat_is_a_whole_number_from_0(tmp_path: Path, repeat: object) -> None:
    found = complaint(tmp_path, {"id": "a", "repeat": repeat, "passed": True})

    assert found.startswith("r.jsonl:1: repeat: found ")


def test_one_row_a_case_says_nothing_of_repeats(tmp_path: Path) -> None:
    note = "one row a case: the file does not say whether answers were repeated"

    assert note in read(tmp_path, {"id": "a", "passed": True}).notes
    assert note not in read(tmp_path, {"id": "a", "repeat": 0, "passed": True}).notes


@pytest.mark.parametrize("tags", ['["x", "y"]', '"x; y"', '"[\\"x\\", \\"y\\"]"'])
def test_tags_are_a_list_or_texts_with_semicolons(tmp_path: Path, tags: str) -> None:
    found = read(tmp_path, f'{{"id": "a", "passed": 1, "cluster": "doc", "weight": 2, "tags": {tags}}}')

    assert found.cases[0][1:4] == ("doc", ("x", "y"), 2.0)


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("tags", 3, "tags: found 3, wanted a list of texts, or texts with ; between them"),
        ("tags", ["a", ""], 'tags: found ["a", ""], wanted a list of texts, or texts with ; between them'),
        ("tags", "[broken", 'tags: found "[broken", wanted a list of texts, or texts with ; between them'),
        ("cluster", 1.5, "cluster: found 1.5, wanted text or a whole number"),
        ("weight", 0, "weight: found 0, wanted more than 0"),
        ("split", "test", 'split: found "test", wanted exploratory or held_out'),
    ],
)
def test_what_a_row_says_of_its_case_is_checked(
    tmp_path: Path, field: str, value: object, wanted: str
) -> None:
    assert complaint(tmp_path, {"id": "a", "passed": True, field: value}) == f"r.jsonl:1: {wanted}"


def test_rows_of_one_case_agree_about_it(tmp_path: Path) -> None:
    rows = [{"id": "a", "repeat": 0, "passed": 1, "cluster": "x"}, {"id": "a", "repeat": 1, "passed": 1}]

    assert read(tmp_path, *rows).cases[0].cluster == "x"
    assert complaint(tmp_path, *rows, {"id": "a", "repeat": 2, "passed": 1, "cluster": "y"}) == (
        "r.jsonl:3: case 'a': cluster 'y', and 'x' on an earlier row (the first is line 1)"
    )


def test_a_file_without_results_is_refused(tmp_path: Path) -> None:
    assert complaint(tmp_path) == "r.jsonl: found no row"
    assert complaint(tmp_path, "id,passed", name="r.csv") == "r.csv: found no row"
    assert (
        complaint(tmp_path, {"id": "a", "pased": 1})
        == "r.jsonl:1: found 'id', 'pased', wanted passed or score"
    )


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "passed": True, "clusters": "x", "model": "m", "latency": 3})

    assert "'clusters' is not read; did you mean 'cluster'?" in found.notes
    assert "not read: latency, model" in found.notes


def test_a_thousand_and_one_rows_are_a_thousand_and_one_cases(tmp_path: Path) -> None:
    found = read(tmp_path, *({"id": f"C{number}", "passed": True} for number in range(1001)))

    assert len(found.cases) == found.n_rows == 1001


def test_csv_with_mark_crlf_quotes_and_a_cell_of_two_lines(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(b'\xef\xbb\xbfid,passed,output\r\n"a,1",1,"two\r\nlines"\r\nb,0,x\r\nc,maybe,x\r\n')

    with pytest.raises(InputError) as caught:
        read_results(path)

    assert str(caught.value).startswith(f"{path}:5: passed: found ")
    path.write_bytes(path.read_bytes().replace(b"maybe", b"yes"))
    assert [case.id for case in read_results(path).cases] == ["a,1", "b", "c"]


def test_a_line_separator_inside_a_cell_or_a_text_ends_no_row(tmp_path: Path) -> None:
    assert len(read(tmp_path, "id,passed", "a\u2028b,1", "c,1", name="r.csv").cases) == 2
    assert len(read(tmp_path, '{"id": "a\u2028b", "passed": 1}', {"id": "c", "passed": 1}).cases) == 2


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (("id,passed", "a,1,2"), "r.csv:2: found 3 cells, wanted 2 as in the header"),
        (("id,passed", "a"), "r.csv:2: found 1 cells, wanted 2 as in the header"),
        (("id,id,passed", "a,b,1"), "r.csv:1: column 'id' occurs twice"),
        (("id,passed", 'a,"1'), "r.csv:2: not CSV: unexpected end of data"),
        (("id;passed", "a;1"), "r.csv:1: found semicolons between the columns, wanted commas"),
    ],
)
def test_what_is_no_csv_is_refused_with_its_line(tmp_path: Path, rows: tuple[str, ...], wanted: str) -> None:
    assert complaint(tmp_path, *rows, name="r.csv") == wanted


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("[1]", "r.jsonl:1: found list, wanted one JSON object a line"),
        ('{"id": "a"', "r.jsonl:1: not strict JSON: Expecting ',' delimiter (column 11)"),
        ('{"id": "a", "id": "b"}', "r.jsonl:1: not strict JSON: key 'id' occurs twice in one object"),
    ],
)
def test_what_is_no_json_line_is_refused_with_its_line(tmp_path: Path, row: str, wanted: str) -> None:
    assert complaint(tmp_path, row) == wanted


def test_a_cell_longer_than_the_module_s_own_limit_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, "id,passed,output", f"a,1,{'x' * 200_000}", name="r.csv").n_rows == 1


_BIG = """
import resource, sys
from pathlib import Path
from harness.domain.errors import InputError
from harness.importers.results import read_results
path = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(len(read_results(path).cases))
except InputError as error:
    print(str(error).removeprefix(f"{path}:"))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_huge_row_is_refused_with_its_number_and_memory_stays_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(300_000):
            stream.write(f'{{"id":"c{number}","passed":true,"output":"{"x" * 100}"}}\n')
        stream.write(f'{{"id":"huge","passed":true,"output":"{"x" * 50_000_000}"}}\n')

    done = subprocess.run([sys.executable, "-c", _BIG, str(path)], capture_output=True, text=True, check=True)
    said, grown_mb = done.stdout.splitlines()

    assert said == "300001: found a line of more than 16777216 bytes, the longest read"
    # 300,000 cases are held, their 30 MB of outputs are not.
    assert int(grown_mb) < 250
