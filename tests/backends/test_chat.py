import asyncio
import base64
import json
import logging
import subprocess
import sys
from urllib.parse import quote

import httpcore2
import httpx
import pytest
import respx
from asking import ADDRESS, COMPLETION, KEY, an_answer, an_endpoint
from loopback import Fault, Settings, serve

from harness.backends.chat import ChatBackend, open_client
from harness.backends.protocol import Filtered
from harness.domain.calls import Response
from harness.domain.completion import read_response, response_bytes
from harness.domain.errors import CallError, InputError, Permanent, Transient
from harness.domain.specs import Limits

URL = f"{ADDRESS}/chat/completions"
NOW_S = 1_700_000_000.0


def ask(*, environ=None, **fields) -> Response:
    """Send one request through a backend of its own."""
    fields.setdefault("api_key_env", "A_KEY")

    async def once() -> Response:
        backend = ChatBackend(
            "judge", an_endpoint(**fields), environ=environ or {"A_KEY": KEY}, wall_s=lambda: NOW_S
        )
        try:
            return await backend.send(an_answer())
        finally:
            await backend.aclose()

    return asyncio.run(once())


def refused(**fields) -> CallError:
    with pytest.raises(CallError) as raised:
        ask(**fields)
    return raised.value


def answers(
    wire: respx.MockRouter, status: int = 200, body: object = COMPLETION, **headers: str
) -> respx.Route:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return wire.post(URL).mock(return_value=httpx.Response(status, content=content, headers=named))


def test_the_client_of_our_own_factory_is_intercepted(wire):
    route = wire.post("http://guard.test/v1/chat/completions").mock(
        return_value=httpx.Response(200, json=COMPLETION)
    )

    async def post() -> None:
        async with open_client("http://guard.test/v1", Limits(), headers={}) as client:
            await client.post("/chat/completions", content=b"{}", cast_to=object)

    asyncio.run(post())
    assert route.call_count == 1


def test_a_call_that_no_route_expects_fails_the_test(wire):
    with pytest.raises(respx.models.AllMockedAssertionError):
        ask()


def test_the_frozen_bytes_are_sent_as_they_are(wire):
    route = answers(wire)

    ask()

    assert route.calls.last.request.content == an_answer().body.encode()


def test_repeats_send_one_text_and_differ_in_their_idempotency_key_alone(wire):
    route = answers(wire)

    async def twice() -> None:
        backend = ChatBackend("judge", an_endpoint(), environ={})
        for repeat in range(2):
            await backend.send(an_answer(repeat=repeat))
        await backend.aclose()

    asyncio.run(twice())
    first, second = (call.request for call in route.calls)
    assert first.content == second.content
    assert first.headers["idempotency-key"] == an_answer(repeat=0).name
    assert second.headers["idempotency-key"] == an_answer(repeat=1).name
    assert {n: v for n, v in first.headers.items() if n != "idempotency-key"} == {
        n: v for n, v in second.headers.items() if n != "idempotency-key"
    }


def test_the_answer_is_kept_byte_for_byte(wire):
    body = b'{ "choices":[{"message":{"content":"caf\\u00e9  "},"finish_reason":"stop"}],\n "extra": 1.50}'
    answers(wire, body=body)

    assert response_bytes(ask()) == body


def test_bytes_that_are_not_utf8_are_kept_as_base64(wire):
    body = json.dumps(COMPLETION).encode("utf-16")
    answers(wire, body=body)

    response = ask()

    assert response.encoding == "base64"
    assert response_bytes(response) == body
    assert read_response(response).text == "yes"


def test_headers_that_tell_who_answered_are_kept_and_no_others(wire):
    answers(
        wire,
        x_request_id="req_1",
        openai_version="2020-10-01",
        openai_processing_ms="12",
        via="1.1 proxy",
        cf_ray="ray",
        x_ratelimit_remaining_tokens="99",
        set_cookie="session=1",
        date="Mon, 01 Jan 2024 00:00:00 GMT",
        x_echo="hello",
    )

    names = [name for name, _ in ask().headers]

    assert names == [
        "cf-ray",
        "openai-processing-ms",
        "openai-version",
        "via",
        "x-ratelimit-remaining-tokens",
        "x-request-id",
    ]


def test_cookies_of_a_server_are_not_sent_back(wire):
    route = answers(wire, set_cookie="session=1")

    async def twice() -> None:
        backend = ChatBackend("judge", an_endpoint(), environ={})
        await backend.send(an_answer())
        await backend.send(an_answer())
        await backend.aclose()

    asyncio.run(twice())
    assert "cookie" not in route.calls.last.request.headers


def test_a_server_without_a_key_is_sent_no_authorization(wire, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    route = answers(wire)

    ask(api_key_env=None)

    assert "authorization" not in route.calls.last.request.headers


def test_variables_that_the_sdk_reads_change_nothing(wire, monkeypatch):
    route = answers(wire)
    ask()
    before = route.calls.last.request
    for name, value in {
        "OPENAI_BASE_URL": "http://elsewhere.test/v1",
        "OPENAI_API_KEY": "sk-other",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "OPENAI_ORG_ID": "org-1",
        "OPENAI_PROJECT_ID": "proj-1",
        "OPENAI_CUSTOM_HEADERS": "X-Extra: 1\nAuthorization: Bearer sk-third",
    }.items():
        monkeypatch.setenv(name, value)

    ask()
    after = route.calls.last.request

    assert after.url == before.url
    assert dict(after.headers) == dict(before.headers)
    assert after.headers["authorization"] == f"Bearer {KEY}"


def test_a_header_value_may_name_a_variable(wire):
    route = answers(wire)

    ask(
        api_key_env=None,
        headers={"api-key": "env:AZURE", "X-Title": "evaluation"},
        environ={"AZURE": "azure-secret-1"},
    )

    assert route.calls.last.request.headers["api-key"] == "azure-secret-1"
    assert route.calls.last.request.headers["x-title"] == "evaluation"


def test_the_api_version_of_the_address_is_sent_with_every_call(wire):
    route = wire.post(URL, params={"api-version": "2024-06-01"}).mock(
        return_value=httpx.Response(200, json=COMPLETION)
    )

    ask(base_url=f"{ADDRESS}?api-version=2024-06-01")

    assert route.called


@pytest.mark.parametrize("environ", [{}, {"A_KEY": ""}, {"A_KEY": "  "}])
def test_a_missing_key_variable_is_named_with_its_endpoint(environ):
    with pytest.raises(InputError, match=r"endpoint judge: api_key_env: .* A_KEY is not set"):
        ChatBackend("judge", an_endpoint(api_key_env="A_KEY"), environ=environ)


def test_a_missing_header_variable_is_named_with_its_endpoint():
    with pytest.raises(InputError, match=r"endpoint judge: headers.api-key: .* AZURE is not set"):
        ChatBackend("judge", an_endpoint(headers={"api-key": "env:AZURE"}), environ={})


@pytest.mark.parametrize("key", [f"{KEY}\n", f"sk-{chr(8211)}dash-key", f" {KEY}"])
def test_a_key_that_cannot_stand_in_a_header_is_refused_without_being_shown(key):
    with pytest.raises(InputError, match="A_KEY cannot stand in a header") as raised:
        ChatBackend("judge", an_endpoint(api_key_env="A_KEY"), environ={"A_KEY": key})

    assert key.strip() not in str(raised.value)


# What servers say, and what it amounts to.

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (408, {}, "timeout"),
        (409, {}, "conflict"),
        (425, {}, "too_early"),
        (429, {"error": {"code": "rate_limit_exceeded", "message": "slow"}}, "rate_limit"),
        (500, {"error": {"message": "oops"}}, "server_error"),
        (502, b"<html>Bad gateway</html>", "server_error"),
        (503, {"error": {"message": "The model is currently overloaded"}}, "overloaded"),
        (529, b"", "overloaded"),
        (529, OVERLOADED, "overloaded"),
        (500, OVERLOADED, "overloaded"),
        (200, OVERLOADED, "overloaded"),
        (200, {"error": {"message": "slow down"}}, "error_body"),
        (200, {"error": {"code": 502, "message": "upstream"}}, "server_error"),
        (200, {"error": {"code": 429, "message": "upstream"}}, "rate_limit"),
        (200, {"error": {"type": "rate_limit_error", "message": "slow"}}, "rate_limit"),
        (200, {"choices": [{"finish_reason": "error", "message": {"content": "hal"}}]}, "error_body"),
        (200, b"<html>Sign in</html>", "malformed_body"),
        (200, b'{"choices": [{"message"', "malformed_body"),
        (200, b"", "malformed_body"),
        (200, {"choices": []}, "malformed_body"),
        (200, {"choices": None}, "malformed_body"),
        (200, {"choices": [{"finish_reason": "stop"}]}, "malformed_body"),
        (200, [COMPLETION], "malformed_body"),
    ],
)
def test_troubles_that_pass_are_worth_asking_again(wire, status, body, kind):
    answers(wire, status, body)

    error = refused()

    assert isinstance(error, Transient)
    assert (error.kind, error.status) == (kind, status)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": {"message": "temperature too high"}}, "bad_request"),
        (401, {"error": {"message": "no such key"}}, "wrong_key"),
        (402, {"error": {"message": "no credits"}}, "no_quota"),
        (403, {}, "forbidden"),
        (404, {"object": "error", "message": "The model m-small does not exist."}, "not_found"),
        (413, b"too large", "bad_request"),
        (422, {"detail": "n must be 1"}, "bad_request"),
        (429, {"error": {"code": "insufficient_quota", "message": "quota"}}, "no_quota"),
        (200, {"error": {"type": "insufficient_quota", "message": "quota"}}, "no_quota"),
        (200, {"error": {"code": 401, "message": "no such key"}}, "wrong_key"),
    ],
)
def test_troubles_that_stay_are_never_asked_again(wire, status, body, kind):
    answers(wire, status, body)

    error = refused()

    assert isinstance(error, Permanent)
    assert (error.kind, error.status) == (kind, status)


def test_a_redirect_is_not_followed(wire):
    answers(wire, 307, b"", location="http://elsewhere.test/v1")

    error = refused()

    assert isinstance(error, Permanent)
    assert error.kind == "redirect"


def test_a_refused_call_says_in_one_line_who_refused_what(wire):
    answers(wire, 404, {"error": {"message": "The model\n `m-small` does\x07 not exist"}})

    assert str(refused()) == (
        "not_found: 404 from judge (model m-small at http://model.test/v1): "
        "The model `m-small` does? not exist (are the model's name and base_url right?)"
    )


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": "Tue, 14 Nov 2023 22:13:49 GMT"}, 29.0),
        ({"retry_after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(wire, headers, wait_s):
    answers(wire, 429, {}, **headers)

    assert refused().retry_after_s == wait_s


# What is data, not trouble.


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        (
            {"finish_reason": "length", "message": {"content": None, "reasoning_content": "so PASS"}},
            "truncated",
        ),
        ({"finish_reason": "content_filter", "message": {"content": ""}}, "filtered"),
        ({"finish_reason": "stop", "message": {"content": None, "refusal": "I cannot"}}, "refused"),
        ({"finish_reason": "stop", "message": {"content": None}}, "unreadable"),
        ({"finish_reason": "stop", "message": {"content": [{"type": "image_url"}]}}, "unreadable"),
    ],
)
def test_an_answer_without_text_is_kept_with_its_reason(wire, choice, reason):
    answers(wire, body={"choices": [choice]})

    response = ask()

    assert read_response(response).no_text == reason
    assert read_response(response).text is None


def test_text_parts_are_joined(wire):
    parts = [{"type": "text", "text": '{"verdict":'}, {"type": "text", "text": '"PASS"}'}]
    answers(wire, body={"choices": [{"finish_reason": "stop", "message": {"content": parts}}]})

    assert read_response(ask()).text == '{"verdict":"PASS"}'


def test_missing_usage_is_unknown(wire):
    answers(wire)

    assert read_response(ask()).usage is None


AZURE_BLOCK = {
    "error": {
        "code": "content_filter",
        "message": "The response was filtered",
        "innererror": {"code": "ResponsibleAIPolicyViolation"},
    }
}


def test_a_prompt_that_a_filter_blocks_with_400_is_a_filtered_response(wire):
    answers(wire, 400, AZURE_BLOCK)

    response = ask()

    assert response.status == 400
    assert read_response(response).no_text == "filtered"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, AZURE_BLOCK),
        (200, {"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]}),
    ],
)
def test_filtered_responses_are_asked_again_where_the_plan_says_so(wire, status, body):
    answers(wire, status, body)

    with pytest.raises(Filtered) as raised:
        ask(retry_filtered=True)

    assert read_response(raised.value.response).no_text == "filtered"


# Sockets.


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (httpcore2.ConnectTimeout("too slow"), "timeout"),
        (httpcore2.ReadTimeout("too slow"), "timeout"),
        (httpcore2.ReadError("torn"), "connection"),
        (httpcore2.RemoteProtocolError("peer closed"), "connection"),
    ],
)
def test_a_broken_connection_keeps_the_words_of_its_cause(wire, fault, kind):
    wire.post(URL).mock(side_effect=fault)

    error = refused()

    assert isinstance(error, Transient)
    assert error.kind == kind
    assert str(fault) in error.detail


def ask_loopback(*faults: Fault, timeout_s: float = 5.0) -> tuple[Response | CallError, int]:
    """Return what came of one call to a faulty server, and how many requests it saw."""

    async def once() -> tuple[Response | CallError, int]:
        async with serve(Settings(faults=faults)) as server:
            endpoint = an_endpoint(server.base_url, limits={"timeout_s": timeout_s})
            backend = ChatBackend("judge", endpoint, environ={})
            try:
                return await backend.send(an_answer()), server.counts.n_requests
            except CallError as error:
                return error, server.counts.n_requests
            finally:
                await backend.aclose()

    return asyncio.run(once())


@pytest.mark.parametrize("fault", ["reset", "close", "truncate"])
def test_a_connection_that_breaks_is_transient_and_asked_once(fault):
    error, n_requests = ask_loopback(Fault(fault))

    assert isinstance(error, Transient)
    assert error.kind == "connection"
    assert "Error" not in error.kind
    assert n_requests == 1


def test_a_server_that_never_answers_is_left_at_the_deadline():
    error, _ = ask_loopback(Fault("hang"), timeout_s=0.05)

    assert isinstance(error, Transient)
    assert error.kind == "timeout"


def test_a_server_that_drips_is_left_at_the_deadline_too():
    error, _ = ask_loopback(Fault("drip"), timeout_s=0.2)

    assert isinstance(error, Transient)
    assert error.kind == "timeout"
    assert "no whole answer" in error.detail


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("500", "server_error"),
        ("529", "overloaded"),
        ("overloaded-body", "overloaded"),
        ("error-body", "error_body"),
        ("malformed", "malformed_body"),
        ("html", "malformed_body"),
        ("empty-choices", "malformed_body"),
        ("quota", "no_quota"),
    ],
)
def test_every_fault_of_the_loopback_server_has_its_name(fault, kind):
    error, n_requests = ask_loopback(Fault(fault))

    assert isinstance(error, CallError)
    assert (error.kind, n_requests) == (kind, 1)


def test_an_unreachable_server_is_named():
    error = refused(base_url="http://127.0.0.1:9/v1")

    assert error.kind == "connection"
    assert "judge (model m-small at http://127.0.0.1:9/v1)" in error.detail
    assert "\n" not in str(error)


def test_two_event_loops_in_one_process_each_have_their_client():
    results = [ask_loopback() for _ in range(2)]

    assert [type(result) for result, _ in results] == [Response, Response]


def test_a_server_on_this_machine_is_never_asked_through_a_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    result, _ = ask_loopback()

    assert isinstance(result, Response)


def test_other_servers_are_asked_through_the_proxy_of_the_environment(monkeypatch):
    async def through_proxy() -> int:
        async with serve() as proxy:
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
            backend = ChatBackend("judge", an_endpoint(), environ={})
            await backend.send(an_answer())
            await backend.aclose()
            return proxy.counts.n_requests

    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert asyncio.run(through_proxy()) == 1


def test_cancellation_passes_through_a_call():
    async def cancelled() -> None:
        async with serve(Settings(faults=(Fault("hang"),))) as server:
            backend = ChatBackend("judge", an_endpoint(server.base_url), environ={})
            call = asyncio.ensure_future(backend.send(an_answer()))
            await asyncio.sleep(0.02)
            call.cancel()
            try:
                await call
            finally:
                await backend.aclose()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_connections_are_kept_and_bounded():
    async def many() -> tuple[int, int]:
        async with serve(Settings(latency_ms=2)) as server:
            backend = ChatBackend("judge", an_endpoint(server.base_url, limits={"in_flight": 4}), environ={})
            await asyncio.gather(*(backend.send(an_answer(repeat=repeat)) for repeat in range(20)))
            await backend.aclose()
            return server.counts.n_requests, server.counts.most_in_flight

    assert asyncio.run(many()) == (20, 4)


# Keys.


@pytest.mark.parametrize(
    "echo",
    [
        KEY,
        quote(KEY, safe=""),
        KEY.replace("/", "\\/"),
        KEY.replace("+", "\\u002B"),
        base64.b64encode(KEY.encode()).decode(),
        f"{KEY[:7]}********{KEY[-3:]}",
    ],
)
def test_a_key_that_the_server_repeats_is_masked(wire, echo):
    answers(wire, 401, f'{{"error": {{"message": "wrong key {echo}."}}}}'.encode())

    error = refused()

    assert "wrong key [key]" in error.detail
    assert KEY not in str(error)
    assert echo not in str(error)


def test_a_key_in_an_answer_or_a_header_is_masked(wire):
    body = {"choices": [{"finish_reason": "stop", "message": {"content": f"you sent {KEY}"}}]}
    answers(wire, body=body, x_request_id=f"req-{KEY}", via=KEY)

    response = ask()

    assert read_response(response).text == "you sent [key]"
    assert dict(response.headers)["x-request-id"] == "req-[key]"
    assert KEY.encode() not in response.to_json()


def test_the_value_of_a_header_variable_is_masked_like_a_key(wire):
    answers(wire, 403, {"error": {"message": "secret-abc-1 may not"}})

    error = refused(
        api_key_env=None,
        headers={"Authorization": "env:LOGIN"},
        environ={"LOGIN": "Custom secret-abc-1"},
    )

    assert "secret-abc-1" not in str(error)


def test_a_placeholder_key_rewrites_no_answer(wire):
    answers(wire, body={"choices": [{"finish_reason": "stop", "message": {"content": "ollama is EMPTY"}}]})

    assert read_response(ask(environ={"A_KEY": "ollama"})).text == "ollama is EMPTY"


def test_no_key_reaches_the_log_at_its_most_detailed_level(caplog):
    key = "FAKE-KEY-123-abcdef"
    caplog.set_level(logging.DEBUG)

    async def refused_by_a_server() -> BaseException:
        body = json.dumps({"error": {"message": f"wrong key {key}"}})
        # The header repeats the key, and the transport would log it.
        fault = Fault("401", body=body, retry_after=key)
        async with serve(Settings(faults=(fault,))) as server:
            endpoint = an_endpoint(server.base_url, api_key_env="A_KEY")
            backend = ChatBackend("judge", endpoint, environ={"A_KEY": key})
            try:
                await backend.send(an_answer())
            except Permanent as error:
                return error
            finally:
                await backend.aclose()
        raise AssertionError("answered")

    error = asyncio.run(refused_by_a_server())
    link: BaseException | None = error
    while link is not None:
        assert key not in str(link) + repr(link)
        link = link.__cause__ or link.__context__
    assert key not in caplog.text
    assert "authorization" not in caplog.text.lower()


def test_opening_a_recorded_endpoint_does_not_import_the_sdk():
    code = (
        "import sys, harness.backends.open, harness.backends.scripted, harness.runner.retry;"
        "print([name for name in ('openai', 'httpx2') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
