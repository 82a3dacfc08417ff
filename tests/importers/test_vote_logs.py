"""Logs of votes by other tools, against a direct count of the files."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.domain.errors import InputError
from harness.domain.recorded_votes import VoteItem
from harness.importers.votes import read_votes

LOGS = Path(__file__).parents[1] / "data" / "tool_logs"
PAIR = {
    "question_id": 1,
    "turn": 1,
    "model_1": "a",
    "model_2": "b",
    "judge": ["gpt-4", "pair-v2"],
    "g1_winner": "model_1",
    "g2_winner": "model_1",
    "g1_user_prompt": "p",
}


def pairs(tmp_path: Path, *rows: dict[str, Any]) -> tuple[VoteItem, ...]:
    path = tmp_path / "pair.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return read_votes(path).items


def test_swapped_games_are_two_votes_in_two_orders() -> None:
    path = LOGS / "fastchat_gpt-4_pair.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    found = read_votes(path).items

    # The same five questions twice, with other answers: ten items in five clusters.
    assert (len(found), len({item.cluster for item in found})) == (len(rows), 5) == (10, 5)
    assert [[(vote.first, vote.label) for vote in item.votes] for item in found] == [
        [("model_1", row["g1_winner"]), ("model_2", row["g2_winner"])] for row in rows
    ]


def test_the_same_answers_again_are_a_repeat(tmp_path: Path) -> None:
    (item,) = pairs(tmp_path, PAIR, PAIR | {"g2_winner": "tie"})

    assert [(vote.first, vote.repeat, vote.label) for vote in item.votes] == [
        ("model_1", 0, "model_1"),
        ("model_1", 1, "model_1"),
        ("model_2", 0, "model_1"),
        ("model_2", 1, "tie"),
    ]


def test_a_game_that_is_missing_or_unreadable_is_no_vote(tmp_path: Path) -> None:
    one, two = pairs(tmp_path, PAIR | {"g2_winner": None}, PAIR | {"question_id": 2, "g1_winner": "error"})

    assert [(vote.first, vote.label) for vote in one.votes] == [("model_1", "model_1")]
    assert [(vote.label, vote.reason) for vote in two.votes] == [(None, "unreadable"), ("model_1", None)]


def test_a_winner_that_is_no_answer_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pair\.jsonl:1: g1_winner: Input should be 'model_1'"):
        pairs(tmp_path, PAIR | {"g1_winner": "A"})


def test_an_accepted_verdict_is_what_the_person_says_too() -> None:
    path = LOGS / "ragas_annotated_helpfulness.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["helpfulness"]

    found = read_votes(path).items

    agreed = [item.votes[0].label == item.ratings[0].label for item in found]
    assert agreed == [row["is_accepted"] for row in rows]
    assert (len(agreed), sum(agreed)) == (21, 16)
    assert [item.votes[0].label for item in found] == [str(row["metric_output"]) for row in rows]
