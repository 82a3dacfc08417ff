"""`harness audit-votes`: exit codes, complaints, and the page about it."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from harness.importers.votes import read_votes
from harness.report.schema import schemas

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recorded-votes.md").read_text("utf-8")
RUN = r"```sh\nharness (audit-votes docs/votes/[^\n]+)\n```\n\n```text\n(.*?)```"
RUNS = re.findall(RUN, PAGE, re.DOTALL)


def write(folder: Path, rows: list[dict], name: str = "votes.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rows(n: int = 80, *, judge: str = "right") -> list[dict]:
    found = []
    for number in range(n):
        truth = "pass" if number % 2 else "fail"
        said = truth if judge == "right" or number % 3 else "pass" if truth == "fail" else "fail"
        people = {"ann": truth, "bo": truth if number % 20 else "pass"}
        found.append({"item": f"k-{number}", "judge": "j", "repeat": 0, "label": said, "human": people})
        found.append({"item": f"k-{number}", "judge": "j", "repeat": 1, "label": said})
    return found


def test_a_fit_judge_exits_with_0_and_leads_with_the_verdict(harness, tmp_path):
    called = harness("audit-votes", write(tmp_path, rows()))

    assert called.code == 0
    assert called.out.splitlines()[0].endswith("votes.jsonl: FIT")


def test_an_unfit_judge_exits_with_1(harness, tmp_path):
    called = harness("audit-votes", write(tmp_path, rows(judge="wrong")))

    assert called.code == 1
    assert "people FAILS" in called.out


def test_a_single_rater_is_not_audited_and_exits_with_3(harness, tmp_path):
    alone = [row | {"human": {"ann": row["human"]["ann"]}} if "human" in row else row for row in rows()]
    called = harness("audit-votes", write(tmp_path, alone))

    assert called.code == 3
    assert "people not audited" in called.out
    assert harness("audit-votes", tmp_path / "votes.jsonl", "--min-agreement", "0.8").code == 0


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("", [], "FILE: found no row"),
        ("{", [], "FILE:1: not strict JSON"),
        ('{"item": "a", "judge": "j", "label": "x"}\n', ["--labels", "a,b"], "FILE:1: found the label 'x'"),
        ('{"item": "a", "judge": "j", "label": "x"}\n', ["--labels", "a"], "--labels: found 'a', wanted two"),
        (
            '{"item": "a", "judge": "j", "label": "x"}\n',
            ["--labels", "a,a"],
            "--labels: found 'a,a', wanted two",
        ),
        ('{"item": "a", "judge": "j", "label": "x"}\n', ["--tie", "t"], "--tie: found 't', wanted a label"),
        (
            '{"item": "a", "judge": "j", "score": 1}\n',
            ["--pass-at", "nan"],
            "Invalid value for '--pass-at': nan",
        ),
        (
            '{"item": "a", "rater": "r", "label": "x"}\n{"item": "a", "rater": "r", "label": "x"}\n',
            [],
            "FILE:2: item 'a': 'r' has rated it already, on line 1",
        ),
    ],
)
def test_bad_input_is_one_line_and_exits_with_2(harness, tmp_path, content, options, said):
    path = tmp_path / "votes.jsonl"
    path.write_text(content, encoding="utf-8")
    called = harness("audit-votes", path, *options)

    assert (called.code, called.out) == (2, "")
    assert called.err.count("\n") == 1
    assert called.err.replace(str(path), "FILE").startswith(f"harness: {said}")


def test_json_fits_its_published_schema(harness, tmp_path):
    path = write(tmp_path, rows())
    called = harness("audit-votes", path, "--against", path, "--json")
    found = json.loads(called.out)

    Draft202012Validator(json.loads(schemas()["vote-audit"])).validate(found)
    assert called.code == 0
    assert found["judges"][0]["drift"]["changed"]["n"] == 0


def test_a_judge_that_changed_since_the_earlier_file_is_unfit(harness, tmp_path):
    then = write(tmp_path, rows(judge="wrong"), "then.jsonl")
    called = harness("audit-votes", write(tmp_path, rows()), "--against", then)

    assert called.code == 1
    assert "drift FAILS" in called.out
    assert "changed since then" in called.out


def test_names_in_the_file_cannot_turn_the_text(harness, tmp_path):
    strange = [row | {"judge": "j‮‍"} for row in rows(4)]
    called = harness("audit-votes", write(tmp_path, strange))

    assert "‮" not in called.out
    assert "\\u202e" in called.out


def test_no_line_is_wider_than_the_terminal(harness, tmp_path):
    for name in ("mt-bench", "ja-vicuna", "pandalm"):
        out = harness("audit-votes", ROOT / "docs" / "votes" / f"{name}.jsonl", "--tie", "tie").out
        assert max(map(len, out.splitlines()[1:])) <= 96


def test_the_page_quotes_what_the_command_prints(harness, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert len(RUNS) == 3
    for command, quoted in RUNS:
        assert harness(*command.split()).out == quoted


def test_the_rows_of_the_page_are_read(tmp_path):
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "page.jsonl"
    path.write_text(block, encoding="utf-8")

    assert [item.id for item in read_votes(path).items] == ["k-1", "p-7"]


def test_the_page_names_every_key_and_every_limit():
    from harness.domain.vote_audit import VoteAuditSettings
    from harness.importers.vote_rows import KNOWN_KEYS, REASONS

    assert all(f"| `{key}` |" in PAGE for key in KNOWN_KEYS)
    assert all(f"`{reason}`" in PAGE for reason in REASONS)
    limits = VoteAuditSettings()
    for name in ("margin", "max_flips", "band", "min_verdicts"):
        assert f"`--{name.replace('_', '-')} {getattr(limits, name)}`" in PAGE
