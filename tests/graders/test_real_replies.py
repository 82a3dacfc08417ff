"""Six hundred replies of a real judge, against the score its own authors read from them."""

import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from judge_specs import a_scale

from harness.domain.calls import RecordedReply
from harness.domain.specs import JudgeSpec
from harness.graders.reply import judge_problem, reply_reader

ROOT = Path(__file__).parents[2]
MODELS = {"baseline": "gpt-3.5-turbo-1106", "candidate": "claude-2.1"}


def rows(path):
    return [json.loads(line) for line in (ROOT / path).read_text(encoding="utf-8").splitlines()]


def published():
    written = tomllib.loads((ROOT / "judges/arena-rating/judge.toml").read_text(encoding="utf-8"))
    return JudgeSpec.from_json(json.dumps(written))


def compared(spec):
    """Count, by arm, how the verdict read here stands to the score on record."""
    read = reply_reader(spec)
    scores = {(row["model"], row["id"]): row["score"] for row in rows("tests/data/arena_scores.jsonl")}
    counts = Counter()
    for row in rows("experiments/arena/replies-judge.jsonl"):
        reply = RecordedReply.from_json(json.dumps(row))
        if reply.kind != "case" or reply.content is None:
            continue
        score = scores[MODELS[reply.arm], reply.id]
        label = read(reply.content).label
        known = "no score" if score is None else "score"
        found = "unread" if label is None else "same" if label == str(score) else "other"
        counts[reply.arm, known, found] += 1
    return counts


def test_no_real_rating_is_read_as_another_one():
    counts = compared(a_scale(1, 10, marker="Rating:", open="[[", close="]]"))

    assert counts == {
        ("baseline", "score", "same"): 263,
        ("baseline", "score", "unread"): 36,
        ("baseline", "no score", "unread"): 1,
        ("candidate", "score", "same"): 262,
        ("candidate", "score", "unread"): 37,
        ("candidate", "no score", "unread"): 1,
    }


def test_without_a_marker_the_brackets_at_the_end_are_enough_for_nearly_all():
    counts = compared(a_scale(1, 10, marker="", open="[[", close="]]"))

    assert counts == {
        ("baseline", "score", "same"): 296,
        ("baseline", "score", "unread"): 3,
        ("baseline", "no score", "unread"): 1,
        ("candidate", "score", "same"): 296,
        ("candidate", "score", "unread"): 3,
        ("candidate", "no score", "unread"): 1,
    }


def test_the_published_judges_can_be_read_without_doubt():
    for path in sorted((ROOT / "judges").glob("*/judge.toml")):
        written = tomllib.loads(path.read_text(encoding="utf-8"))
        assert judge_problem(JudgeSpec.from_json(json.dumps(written))) is None


@pytest.mark.parametrize(
    ("end", "label"),
    [
        ("Therefore, there are no mistakes to correct in the assistant's response.\n\nRating: [[10]]", "10"),
        ("is incorrect. Rating: [[1]]", "1"),
        ('Therefore, I would rate it as follows: "Rating: [[8]]".', None),
        ("Overall, I would rate the assistant's response as a [[9.5]] out of 10.", None),
        ("The assistant's response: 9/10.", None),
        ("However, the code is incomplete.\n\nRating: [[1", None),
    ],
)
def test_the_ends_of_real_replies(end, label):
    assert reply_reader(published())(f"The assistant's answer is checked. {end}").label == label
