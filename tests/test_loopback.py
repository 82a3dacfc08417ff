import json
import subprocess
import sys
import urllib.error
import urllib.request

import loopback
import pytest


def test_the_server_runs_as_a_script_and_counts_what_it_answered():
    faults = json.dumps([{"fault": "500", "at": [1]}])
    rules = json.dumps([{"contains": "grade", "texts": ["pass"]}])
    command = [sys.executable, loopback.__file__, "--faults", faults, "--rules", rules]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            started = json.loads(server.stdout.readline())
            statuses = [post(started["base_url"], key="a") for _ in range(3)]
            with opener().open(f"http://127.0.0.1:{started['port']}/stats") as answer:
                stats = json.load(answer)
        finally:
            server.terminate()

    assert [status for status, _ in statuses] == [500, 200, 200]
    assert statuses[1] == statuses[2]
    assert statuses[1][1] == "pass"
    assert (stats["n_requests"], stats["n_answered"], stats["answered_twice"]) == (3, 2, ["a"])


def opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(base_url: str, *, key: str) -> tuple[int, str | None]:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "grade it"}]}).encode()
    request = urllib.request.Request(f"{base_url}/chat/completions", body, {"Idempotency-Key": key})
    try:
        with opener().open(request) as answer:
            return answer.status, json.load(answer)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, None


def test_an_unknown_fault_is_refused():
    with pytest.raises(ValueError, match="unknown fault 'flood'"):
        loopback.read_faults('[{"fault": "flood"}]')


def test_the_share_of_tries_that_fail_is_drawn_by_digest():
    fault = loopback.Fault("500", share=0.25)
    asked = [loopback.Asked(n, f"key {n}", "", 1, b"", {}) for n in range(400)]

    n_failed = sum(fault.applies(one) for one in asked)

    assert 70 <= n_failed <= 130
    assert n_failed == sum(fault.applies(one) for one in asked)
