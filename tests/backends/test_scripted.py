import asyncio

import pytest
from asking import an_answer

from harness.backends.bodies import completion_response
from harness.backends.scripted import ScriptedBackend
from harness.domain.calls import Request, Response, Usage
from harness.domain.completion import read_response
from harness.domain.errors import Transient


def test_a_text_becomes_a_completion_of_the_scripted_model():
    backend = ScriptedBackend(lambda request: f"about {request.subject.id}", model="m-1")

    completion = read_response(asyncio.run(backend.send(an_answer(case="c7"))))

    assert (completion.text, completion.identity.model) == ("about c7", "m-1")


def test_a_response_is_returned_as_it_is():
    response = Response(status=200, body="anything")

    assert asyncio.run(ScriptedBackend(lambda _: response).send(an_answer())) is response


def test_an_exception_is_raised():
    backend = ScriptedBackend(lambda _: Transient("overloaded", "scripted"))

    with pytest.raises(Transient):
        asyncio.run(backend.send(an_answer()))


def test_the_script_may_wait():
    async def script(request: Request) -> str:
        await asyncio.sleep(0)
        return request.endpoint

    assert read_response(asyncio.run(ScriptedBackend(script).send(an_answer()))).text == "baseline"


def test_calls_are_counted_by_request_and_in_flight():
    waiting: list[Request] = []

    async def pause(request: Request) -> None:
        waiting.append(request)
        while len(waiting) < 3:
            await asyncio.sleep(0)

    async def three() -> ScriptedBackend:
        backend = ScriptedBackend(lambda _: "x", pause=pause)
        await asyncio.gather(*(backend.send(an_answer(repeat=repeat)) for repeat in (0, 0, 1)))
        await backend.aclose()
        return backend

    backend = asyncio.run(three())

    assert (backend.n_calls, backend.most_in_flight, backend.closed) == (3, 3, True)
    assert backend.calls[an_answer(repeat=0).name] == 2


def test_usage_that_is_not_given_is_unknown_and_not_zero():
    assert read_response(completion_response("x", model="m")).usage is None


def test_a_made_completion_reads_as_what_it_was_made_of():
    made = completion_response(
        "x",
        model="m",
        fingerprint="fp",
        finish_reason="content_filter",
        usage=Usage(prompt_tokens=3, completion_tokens=4),
    )

    completion = read_response(made)

    assert completion.no_text == "filtered"
    assert completion.identity.fingerprint == "fp"
    assert completion.usage == Usage(prompt_tokens=3, completion_tokens=4)
