"""Judge specs for tests."""

import json
from typing import Any

from harness.domain.specs import JudgeSpec


def a_judge(*labels: str, **fields: Any) -> JudgeSpec:
    """A judge; the first label passes."""
    words = list(labels or ("PASS", "FAIL"))
    written = {
        "name": "j",
        "version": "1",
        "mode": "single",
        "labels": words,
        "passing": words[:1],
        "reply": "last-line",
        "marker": "VERDICT:",
        "prompt": "prompt.md",
        "prompt_sha256": "0" * 64,
        "why": "a test",
        **fields,
    }
    return JudgeSpec.from_json(json.dumps(written))


def a_json_judge(*labels: str, field: str = "verdict", **fields: Any) -> JudgeSpec:
    """A judge that replies with a JSON object."""
    return a_judge(*labels, reply="json", field=field, marker=None, **fields)


def a_scale(lowest: int, highest: int, **fields: Any) -> JudgeSpec:
    """A judge with whole numbers for labels; only the highest passes."""
    labels = [str(value) for value in range(highest, lowest - 1, -1)]
    return a_judge(*labels, **fields)
