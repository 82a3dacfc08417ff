"""A file of recorded votes: what it may say, and the one line for everything else."""

import json
from pathlib import Path

import pytest

from harness.domain.errors import InputError
from harness.importers.votes import read_votes


def write(folder: Path, *rows: dict, name: str = "votes.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def vote(item: str = "a", label: str | None = "pass", **more: object) -> dict:
    return {"item": item, "judge": "j", "label": label, **more}


def complaint(path: Path, **options: object) -> str:
    with pytest.raises(InputError) as refused:
        read_votes(path, **options)
    text = str(refused.value)
    assert "\n" not in text
    return text.replace(str(path), "FILE")


def test_rows_of_one_item_come_together(tmp_path):
    path = write(
        tmp_path,
        vote(repeat=0, cluster="c", human={"r2": "fail", "r1": "pass"}),
        vote(repeat=1, label=None, reason="unreadable"),
        {"item": "a", "rater": "r3", "label": "pass"},
        {"item": "a", "final": "pass", "arm": "baseline", "tags": ["t"]},
    )
    (item,) = read_votes(path).items

    assert (item.group, item.arm, item.final, item.tags) == ("c", "baseline", "pass", ("t",))
    assert [rating.rater for rating in item.ratings] == ["r1", "r2", "r3"]
    assert [(v.label, v.reason) for v in item.votes] == [("pass", None), (None, "unreadable")]


def test_a_null_label_is_no_category(tmp_path):
    assert read_votes(write(tmp_path, vote(label=None), vote("b"))).labels == ("pass",)


def test_a_csv_says_the_same_as_json_lines(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(
        "item,judge,rater,repeat,label,score,first,both_orders\n"
        "a,j,,0,2,,x,\n"
        "a,j,,1,,7.5,,\n"
        "a,j,,2,,,,true\n"
        "a,,r1,,10,,,\n",
        encoding="utf-8",
    )
    file = read_votes(path, labels=None)
    (item,) = file.items

    assert file.labels == ("10", "2", "x")
    assert [(v.label, v.score, v.first, v.both_orders) for v in item.votes] == [
        (None, 7.5, None, False),
        (None, None, None, True),
        ("2", None, "x", False),
    ]


def test_labels_that_are_numbers_stand_by_size(tmp_path):
    assert read_votes(write(tmp_path, vote(label="10"), vote("b", 9), vote("c", "0"))).labels == (
        "0",
        "9",
        "10",
    )


def test_a_score_becomes_a_label_only_with_a_pass_mark(tmp_path):
    path = write(tmp_path, {"item": "a", "judge": "j", "score": 7}, {"item": "b", "judge": "j", "score": 6.5})

    assert [item.votes[0].label for item in read_votes(path).items] == [None, None]
    assert [item.votes[0].label for item in read_votes(path, pass_at=7).items] == ["pass", "fail"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([vote(lable="x")], "FILE:1: found the key 'lable'; did you mean 'label'?"),
        ([{"judge": "j", "label": "pass"}], "FILE:1: item: missing, wanted text or a whole number"),
        (
            [{"item": "a", "judge": "j"}],
            "FILE:1: a vote needs label or score; null says that there is no verdict",
        ),
        (
            [vote(rater="r1")],
            "FILE:1: found judge and rater, wanted one of them: a row is a vote or a rating",
        ),
        (
            [vote(), vote()],
            "FILE:2: item 'a': vote 0 of 'j' is already on line 1; if it is another call, "
            "give every row its repeat",
        ),
        (
            [vote(human={"r1": "pass"}), {"item": "a", "rater": "r1", "label": "fail"}],
            "FILE:2: item 'a': 'r1' has rated it already, on line 1",
        ),
        (
            [vote(cluster="c"), vote(repeat=1, cluster="d")],
            "FILE:2: item 'a': cluster is 'd', and 'c' on line 1",
        ),
        (
            [{"item": "a", "final": "pass"}, {"item": "a", "final": "fail"}],
            "FILE:2: item 'a': final is 'fail', and 'pass' on line 1",
        ),
        ([vote(reason="refused")], "FILE:1: reason: found 'refused' beside a verdict"),
        ([vote(label=None, reason="bored")], "FILE:1: reason: found 'bored', wanted one of unreadable"),
        (
            [vote(label=None, reason="inconsistent")],
            "FILE:1: reason: found 'inconsistent', wanted both_orders",
        ),
        ([vote(first="x", both_orders=True)], "FILE:1: found first and both_orders"),
        ([vote(label=True)], "FILE:1: label: found true, wanted text or a whole number"),
        ([vote(label=1.5)], "FILE:1: label: found 1.5, wanted text or a whole number"),
        ([vote(repeat=-1)], "FILE:1: repeat: found -1, wanted a whole number from 0"),
        ([vote(human=["pass"])], 'FILE:1: human: found ["pass"], wanted an object'),
        (
            [{"item": "a", "judge": "j", "score": "high"}],
            'FILE:1: score: found "high", wanted a finite number',
        ),
        ([{"item": "a", "rater": "r", "label": "pass", "repeat": 1}], "FILE:1: a rating has no repeat"),
        ([{"item": "a", "label": "pass"}], "FILE:1: a row without judge and rater has no label"),
        ([vote(label="p\u0007ass")], "FILE:1: label: found a control character"),
        (
            [vote(label="pass"), vote("b", "Pass")],
            "FILE:2: labels 'pass' and 'Pass' are alike; declare the right ones (--labels)",
        ),
        (
            [vote(first="x"), vote(first="y"), vote(first="z")],
            "FILE:3: item 'a': first is 'z', and already ['x', 'y']: a pair has two",
        ),
        ([], "FILE: found no row"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_place(tmp_path, rows, said):
    assert complaint(write(tmp_path, *rows)).startswith(said)


@pytest.mark.parametrize(
    "row",
    [vote(label="garbage"), vote(human={"r1": "garbage"}), {"item": "a", "final": "garbage"}],
)
def test_a_label_that_is_not_declared_is_refused(tmp_path, row):
    path = write(tmp_path, vote("first"), row)

    assert complaint(path, labels=("pass", "fail")) == (
        "FILE:2: found the label 'garbage', wanted one of fail, pass"
    )
