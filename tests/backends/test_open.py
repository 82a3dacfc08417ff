import asyncio
import subprocess
import sys
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


def test_a_chat_endpoint_that_is_asked_nothing_never_imports_the_sdk():
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from harness.backends.open import open_backend\n"
        "from harness.domain.specs import EndpointSpec\n"
        "endpoint = EndpointSpec(backend='chat', model='m', base_url='http://127.0.0.1:1/v1')\n"
        "backend = open_backend('judge', endpoint, root=Path(), environ={})\n"
        "asyncio.run(backend.aclose())\n"
        "sys.exit(str({'openai', 'httpx2'} & set(sys.modules)) "
        "if {'openai', 'httpx2'} & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
