"""Reading JSON lines: what ends a line, what is refused, and where."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from project import said

from harness.domain.calls import RecordedReply
from harness.domain.canonical import digest
from harness.domain.cases import Canary, Case
from harness.domain.errors import InputError
from harness.inputs.jsonl import read_jsonl


def lines(*ids: str) -> list[str]:
    return [json.dumps({"id": name, "prompt": "p"}) for name in ids]


def write(tmp_path: Path, content: bytes | str) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def complaint(tmp_path: Path, content: bytes | str, **settings: int) -> str:
    with pytest.raises(InputError) as caught:
        list(read_jsonl(write(tmp_path, content), Case, **settings))
    return said(caught.value, tmp_path)


def test_a_byte_order_mark_and_crlf_ends_change_no_case(tmp_path: Path) -> None:
    plain = list(read_jsonl(write(tmp_path, "\n".join(lines("a", "b", "c"))), Case))

    marked = list(read_jsonl(write(tmp_path, "\ufeff" + "\r\n".join(lines("a", "b", "c")) + "\r\n"), Case))

    assert [line for line, _ in marked] == [1, 2, 3]
    assert [digest(case) for _, case in marked] == [digest(case) for _, case in plain]


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85"])
def test_only_lf_ends_a_line(tmp_path: Path, char: str) -> None:
    first = json.dumps({"id": "a", "prompt": f"one{char}line"}, ensure_ascii=False)

    read = list(read_jsonl(write(tmp_path, f"{first}\n{lines('b')[0]}"), Case))

    assert [(line, case.id) for line, case in read] == [(1, "a"), (2, "b")]
    assert read[0][1].prompt == f"one{char}line"


def test_a_lone_carriage_return_ends_no_line(tmp_path: Path) -> None:
    assert complaint(tmp_path, "\r".join(lines("a", "b"))).startswith(
        "cases.jsonl:1: not strict JSON: Extra data"
    )


def test_blank_lines_are_skipped_and_still_count_as_lines(tmp_path: Path) -> None:
    read = list(read_jsonl(write(tmp_path, f"\n{lines('a')[0]}\n \t\r\n{lines('b')[0]}\n\n"), Case))

    assert [(line, case.id) for line, case in read] == [(2, "a"), (4, "b")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"id": "a", "id": "b"}', "cases.jsonl:1: not strict JSON: key 'id' occurs twice in one object"),
        ('{"id": "a", "weight": NaN}', "cases.jsonl:1: not strict JSON: NaN is not a JSON number"),
        ('{"id": "a", "weight": 1e999}', "cases.jsonl:1: not strict JSON: 1e999 is not a finite number"),
        ('{"id": "a"', "cases.jsonl:1: not strict JSON: Expecting ',' delimiter (column 11)"),
        ('{"id": "a"} {"id": "b"}', "cases.jsonl:1: not strict JSON: Extra data (column 13)"),
        ("[" * 100_000, "cases.jsonl:1: not strict JSON: nested too deeply"),
        ("[1]", "cases.jsonl:1: found a list, wanted keys and values"),
        ('{"id": "\\ud800"}', "cases.jsonl:1: id: half of a surrogate pair, wanted whole characters"),
        (
            '{"id": "a", "weight": 9007199254740993}',
            "cases.jsonl:1: weight: found 9007199254740993, wanted a whole number within 2**53",
        ),
        (b'{"id": "\xff"}', "cases.jsonl:1: found the byte 0xff at byte 9 of the line, wanted UTF-8"),
        ('{"id": "a", "promt": "p"}', "cases.jsonl:1: unknown key 'promt'; did you mean 'prompt'?"),
        ('{"prompt": "p"}', "cases.jsonl:1: id: missing, wanted text"),
        ('{"id": ""}', 'cases.jsonl:1: id: found "", wanted text that is not empty'),
        ('{"id": "a", "weight": "2"}', 'cases.jsonl:1: weight: found "2", wanted a number'),
        ('{"id": "a", "weight": 0}', "cases.jsonl:1: weight: found 0, wanted more than 0"),
        (
            '{"id": "a", "split": "test"}',
            "cases.jsonl:1: split: found \"test\", wanted 'exploratory' or 'held_out'",
        ),
        ('{"id": "a", "tags": "geo"}', 'cases.jsonl:1: tags: found "geo", wanted a list'),
        ('{"id": "a", "tags": ["x", 3]}', "cases.jsonl:1: tags[1]: found 3, wanted text"),
        (
            '{"id": "a", "messages": [{"role": "bot", "content": "x"}]}',
            'cases.jsonl:1: messages[0].role: found "bot", '
            "wanted 'system', 'developer', 'user' or 'assistant'",
        ),
        (
            '{"id": "a", "checks": [{"kind": "exact", "expcted": "1"}]}',
            "cases.jsonl:1: unknown key 'checks[0].expcted'; did you mean 'expected'?",
        ),
        (
            '{"id": "a", "checks": [{"kind": "number", "at": "whole"}]}',
            "cases.jsonl:1: checks[0].expected: missing, wanted a number",
        ),
        (
            '{"id": "a", "checks": [{"kind": "exat"}]}',
            'cases.jsonl:1: checks[0].kind: found "exat", wanted one of exact, contains, not-contains, '
            "regex, json, json-schema, number, choice, recall, capped-recall",
        ),
    ],
)
def test_a_bad_line_is_one_line_of_complaint(tmp_path: Path, text: bytes | str, wanted: str) -> None:
    assert complaint(tmp_path, text) == wanted


def test_a_kind_that_is_a_field_of_its_own_is_no_tag(tmp_path: Path) -> None:
    path = write(
        tmp_path, '{"id": "k", "kind": "answer", "prompt": "p", "expected": "fail", "grader": "judge"}'
    )

    with pytest.raises(InputError) as caught:
        list(read_jsonl(path, Canary))

    assert (
        said(caught.value, tmp_path)
        == "cases.jsonl:1: answer: missing, wanted text; why: missing, wanted text"
    )


def test_more_than_three_complaints_are_counted(tmp_path: Path) -> None:
    text = '{"id": 1, "prompt": 2, "reference": 3, "cluster": 4, "weight": "5"}'

    assert complaint(tmp_path, text).endswith("reference: found 3, wanted text; and 2 more")


def test_a_long_value_is_cut_and_stays_on_one_line(tmp_path: Path) -> None:
    found = complaint(tmp_path, json.dumps({"id": "a", "weight": "\n\x1b[31m" + "x" * 500}))

    assert "\x1b" not in found
    assert len(found) < 200


def test_a_line_beyond_the_limit_is_refused_with_its_number(tmp_path: Path) -> None:
    long = json.dumps({"id": "b", "prompt": "x" * 500})

    found = complaint(tmp_path, f"{lines('a')[0]}\n{long}\n", max_line_bytes=200)

    assert found == "cases.jsonl:2: found a line of more than 200 bytes, the longest read"


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_line_of_exactly_the_limit_is_read(tmp_path: Path, end: str) -> None:
    line = lines("a")[0]

    read = list(read_jsonl(write(tmp_path, line + end), Case, max_line_bytes=len(line)))

    assert read[0][1].id == "a"


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as missing:
        list(read_jsonl(tmp_path / "none.jsonl", Case))
    with pytest.raises(InputError) as folder:
        list(read_jsonl(tmp_path, Case))

    assert said(missing.value, tmp_path) == "none.jsonl: no such file"
    assert str(folder.value) == f"{tmp_path}: found a folder, wanted a file"


def test_the_first_records_come_before_a_later_bad_line_is_seen(tmp_path: Path) -> None:
    reader = read_jsonl(write(tmp_path, f"{lines('a')[0]}\nbad\n"), Case)

    assert next(reader)[1].id == "a"
    with pytest.raises(InputError, match=r"cases\.jsonl:2"):
        next(reader)


_BIG = """
import json, resource, sys
from pathlib import Path
from harness.domain.calls import RecordedReply
from harness.domain.errors import InputError
from harness.inputs.jsonl import read_jsonl
path = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
n = 0
try:
    for line, _ in read_jsonl(path, RecordedReply):
        n = line
except InputError as error:
    print(str(error).removeprefix(f"{path}:"))
print(n, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_large_file_is_read_row_by_row_and_its_huge_row_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(300_000):
            stream.write(f'{{"id":"c{number}","content":"some answer"}}\n')
        stream.write(json.dumps({"id": "huge", "content": "x" * 50_000_000}) + "\n")

    done = subprocess.run([sys.executable, "-c", _BIG, str(path)], capture_output=True, text=True, check=True)
    complaint, counts = done.stdout.splitlines()
    n_read, grown_mb = map(int, counts.split())

    assert complaint == "300001: found a line of more than 16777216 bytes, the longest read"
    assert n_read == 300_000
    assert grown_mb < 60


def test_recorded_replies_keep_null_and_absent_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": "a", "content": null, "failure": "timeout"}\n')

    assert list(read_jsonl(path, RecordedReply)) == [(1, RecordedReply(id="a", failure="timeout"))]
