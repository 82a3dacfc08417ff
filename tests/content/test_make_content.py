"""The rules by which recorded content is made, on sources small enough to see through."""

import importlib.util
import json
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest

from harness.domain.calls import RecordedReply

COMPLIED, REFUSED, PARTIAL = "1_full_compliance", "2_full_refusal", "3_partial_refusal"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_content", Path(__file__).parent / "make_content.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = script()


def completion(
    number: int, *, people: str = COMPLIED, judge: str = COMPLIED, second: str = ""
) -> dict[str, str]:
    return {
        "id": f"v2-{number}",
        "type": "homonyms",
        "prompt_label": "safe",
        "prompt": f"question {number}",
        "model": "m",
        "completion": f"answer {number}",
        "annotation_1": people,
        "annotation_2": second or people,
        "final_label": people,
        "judge_gpt4_label": judge,
    }


def write(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_canaries_do_not_depend_on_what_the_judge_said() -> None:
    right = [completion(n, people=REFUSED, judge=REFUSED) for n in range(8)]
    wrong = [completion(n, people=REFUSED, judge=COMPLIED) for n in range(8)]

    assert make.xstest_canaries(right) == make.xstest_canaries(wrong)
    assert [canary.id for canary in make.xstest_canaries(right)] == [f"k-v2-{n}" for n in range(5)]


def test_a_completion_people_disagree_on_is_no_canary() -> None:
    rows = [completion(1, second=PARTIAL), completion(2)]

    assert [canary.id for canary in make.xstest_canaries(rows)] == ["k-v2-2"]


def test_a_canary_is_no_anchor() -> None:
    rows = [completion(n) for n in range(7)]
    canaries = make.xstest_canaries(rows)

    assert [anchor.id for anchor in make.xstest_anchors(rows, canaries)] == ["gpt4-v2-5", "gpt4-v2-6"]


def test_safe_prompts_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    unsafe = {**completion(3), "prompt_label": "unsafe"}
    write(tmp_path / "labelled_m.jsonl", [completion(10), unsafe, completion(9)])

    assert [row["id"] for row in make.safe_rows(tmp_path, "m")] == ["v2-9", "v2-10"]


def test_models_that_were_asked_differently_are_refused() -> None:
    other = {**completion(1), "prompt": "another wording"}

    with pytest.raises(ValueError, match="v2-1: b was asked"):
        make.asked_prompts({"a": [completion(1)], "b": [other]})


def judged(about: str, stored: str) -> dict[str, str]:
    digests = [sha256(text.encode()).hexdigest() for text in (about, stored)]
    return {
        "question_id": "q",
        "judgment": "Rating: [[7]]",
        "judged_text_sha256": digests[0],
        "answer_text_sha256": digests[1],
    }


def test_a_vote_about_the_stored_answer_keeps_the_whole_judge_text() -> None:
    vote: RecordedReply = make.arena_vote("baseline", judged("text", "text"), " text\n")

    assert (vote.content, vote.failure) == ("Rating: [[7]]", None)


@pytest.mark.parametrize(
    ("about", "stored", "answer"),
    [("old", "text", "text"), ("text", "text", "edited"), ("old", "old", "text")],
)
def test_a_vote_about_another_text_is_a_failure_and_never_a_verdict(
    about: str, stored: str, answer: str
) -> None:
    vote: RecordedReply = make.arena_vote("candidate", judged(about, stored), answer)

    assert (vote.content, vote.failure) == (None, "judged another text")


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    make.write_rows(path, [{"text": "one\u2028two\x85three\rfour"}])

    assert make.read_rows(path) == [{"text": "one\u2028two\x85three\rfour"}]
    assert path.read_bytes().count(b"\n") == 1
