import asyncio
from pathlib import Path

import pytest
from asking import an_answer, an_endpoint

from harness.backends.open import open_backend
from harness.domain.errors import InputError
from harness.domain.specs import EndpointSpec


def test_recorded_replies_stand_beside_the_experiment(tmp_path):
    (tmp_path / "replies.jsonl").write_text('{"id": "c1", "content": "yes"}\n')
    endpoint = EndpointSpec(backend="recorded", model="m", replies="replies.jsonl")

    backend = open_backend("baseline", endpoint, root=tmp_path, environ={})

    assert '"yes"' in asyncio.run(backend.send(an_answer())).body


def test_a_chat_endpoint_without_its_key_is_refused_before_any_call():
    with pytest.raises(InputError, match=r"endpoint candidate: api_key_env: .* NO_SUCH_KEY is not set"):
        open_backend("candidate", an_endpoint(api_key_env="NO_SUCH_KEY"), root=Path(), environ={})
