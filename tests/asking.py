"""Requests and endpoints for tests."""

import json
from typing import Any

from harness.domain.body import chat_body
from harness.domain.calls import Request, Subject, make_request
from harness.domain.cases import Message
from harness.domain.specs import EndpointSpec

KEY = "FAKE-KEY-123/+abc"
ADDRESS = "http://model.test/v1"
COMPLETION = {
    "model": "m-small-2026",
    "system_fingerprint": "fp_1",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}],
}


def an_answer(prompt: str = "Is it so?", *, case: str = "c1", repeat: int = 0) -> Request:
    """A request for an answer of the baseline."""
    return make_request(
        role="answer",
        endpoint="baseline",
        address=ADDRESS,
        body=chat_body(model="m-small", messages=[Message(role="user", content=prompt)], sampling={}),
        subject=Subject(kind="case", id=case, arm="baseline"),
        repeat=repeat,
    )


def an_endpoint(base_url: str = ADDRESS, **fields: Any) -> EndpointSpec:
    """A chat endpoint, written as in an experiment file."""
    written = {"backend": "chat", "model": "m-small", "base_url": base_url, **fields}
    return EndpointSpec.from_json(json.dumps(written))
