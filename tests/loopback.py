"""A chat completions server on this machine, faulty on demand, which counts what it answers.

    python tests/loopback.py --port 0 --latency-ms 20 --faults '[{"fault": "500", "first": 1}]'

prints ``{"port": 40123, "base_url": "http://127.0.0.1:40123/v1"}`` and serves until it is
stopped. An answer is a function of the request body (and, with several ``texts``, of its
``Idempotency-Key``); nothing is random. ``GET /stats`` tells what was asked and answered.
"""

import argparse
import asyncio
import contextlib
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, NamedTuple

ReplyTo = Callable[[dict[str, Any], str], str]


@dataclass(frozen=True)
class Fault:
    """One rule of the fault script; the first rule that applies to a request wins.

    ``first``: the first so many tries of each request. ``at``: the requests with these
    ordinals, counted over all from 1. ``share``: that share of all tries, drawn by digest.
    With none of the three, every try. ``contains`` narrows to bodies that hold a text.
    ``fault`` is one of `FAULTS`, or any status from 400 on. ``retry_after`` is sent as it is;
    "date:N" is the HTTP date N seconds from now.
    """

    fault: str
    first: int | None = None
    at: tuple[int, ...] | None = None
    share: float | None = None
    contains: str | None = None
    retry_after: str | None = None
    body: str | None = None

    def applies(self, request: "Asked") -> bool:
        if self.contains is not None and self.contains not in request.body.decode("utf-8", "replace"):
            return False
        if self.first is not None:
            return request.try_number <= self.first
        if self.at is not None:
            return request.ordinal in self.at
        if self.share is not None:
            return _fraction(f"{request.key}/{request.try_number}") < self.share
        return True


@dataclass(frozen=True)
class Rule:
    """What is answered to a body that contains a text: one of ``texts``, by digest."""

    contains: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """How the server behaves. ``model`` null returns the model that was asked for."""

    latency_ms: float = 0.0
    faults: tuple[Fault, ...] = ()
    rules: tuple[Rule, ...] = ()
    model: str | None = None
    fingerprint: str | None = "fp_loopback"
    usage: bool = True
    reply: ReplyTo | None = None


class Asked(NamedTuple):
    """One request as it came. ``key`` is its Idempotency-Key, or the digest of its body."""

    ordinal: int
    key: str
    digest: str
    try_number: int
    body: bytes
    headers: Mapping[str, str]


@dataclass
class Counts:
    """What was asked and answered so far. Changed only on the event loop."""

    n_connections: int = 0
    n_requests: int = 0
    n_in_flight: int = 0
    most_in_flight: int = 0
    received_bodies: Counter[str] = field(default_factory=Counter)
    answered_bodies: Counter[str] = field(default_factory=Counter)
    received_keys: Counter[str] = field(default_factory=Counter)
    answered_keys: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    seen: list[Asked] = field(default_factory=list)

    def stats(self) -> dict[str, Any]:
        """Return the counts as JSON; ``answered_twice`` are keys answered more than once."""
        return {
            "n_connections": self.n_connections,
            "n_requests": self.n_requests,
            "n_answered": self.answered_bodies.total(),
            "n_in_flight": self.n_in_flight,
            "most_in_flight": self.most_in_flight,
            "received_bodies": dict(self.received_bodies),
            "answered_bodies": dict(self.answered_bodies),
            "received_keys": dict(self.received_keys),
            "answered_keys": dict(self.answered_keys),
            "answered_twice": sorted(key for key, n in self.answered_keys.items() if n > 1),
            "faults": dict(self.faults),
        }


def _fraction(text: str) -> float:
    return int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:12], 16) / 16**12


def _pick(texts: Sequence[str], key: str) -> str:
    return texts[int(_fraction(key) * len(texts))]


def answer_text(settings: Settings, asked: Asked) -> str:
    """Return the deterministic answer to a request."""
    body = asked.body.decode("utf-8", "replace")
    if settings.reply is not None:
        return settings.reply(json.loads(body), asked.key)
    for rule in settings.rules:
        if rule.contains in body:
            return _pick(rule.texts, asked.digest + asked.key)
    return f"answer {asked.digest[:12]}"


def completion(settings: Settings, asked: Asked) -> bytes:
    """Return the chat completion that answers a request."""
    text = answer_text(settings, asked)
    document: dict[str, Any] = {
        "id": f"chatcmpl-{asked.digest[:16]}",
        "object": "chat.completion",
        "created": 1700000000,
        "model": settings.model or json.loads(asked.body).get("model", "unknown"),
        "system_fingerprint": settings.fingerprint,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }
    if settings.usage:
        prompt, said = len(asked.body) // 4, len(text) // 4 + 1
        document["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": said,
            "total_tokens": prompt + said,
        }
    return json.dumps(document).encode("utf-8")


FAULTS = {
    "error-body": '{"error": {"message": "slow down"}}',
    "overloaded-body": '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
    "quota": '{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}',
    "malformed": '{"choices": [{"message": {"content": "hal',
    "html": "<html><body>Bad gateway</body></html>",
    "empty-choices": '{"choices": []}',
    "truncate": "",
    "reset": "",
    "close": "",
    "hang": "",
    "drip": "",
}
_WITH_STATUS_200 = {"error-body", "overloaded-body", "malformed", "html", "empty-choices"}
_REASONS = {200: "OK", 429: "Too Many Requests", 500: "Internal Server Error", 529: "Overloaded"}


def _http(status: int, body: bytes, *, headers: Sequence[str] = (), length: int | None = None) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}",
        "content-type: application/json",
        f"content-length: {len(body) if length is None else length}",
        "server: loopback",
        *headers,
    ]
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body


class Connection(asyncio.Protocol):
    """One connection: requests are read and answered one after the other."""

    def __init__(self, settings: Settings, counts: Counts) -> None:
        self.settings = settings
        self.counts = counts
        self.buffer = b""
        self.busy = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self.counts.n_connections += 1

    def data_received(self, chunk: bytes) -> None:
        self.buffer += chunk
        self._next()

    def _next(self) -> None:
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if self.busy or not blank:
            return
        start, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        method, target, _ = start.split(" ")
        self._serve(method, target, headers, rest[:length])

    def _serve(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        path = target.partition("?")[0]
        if method == "GET" and path == "/stats":
            self.transport.write(_http(200, json.dumps(self.counts.stats()).encode("utf-8")))
        elif method == "POST" and path.endswith("/chat/completions"):
            self._chat(headers, body)
        else:
            self.transport.write(_http(404, b'{"error": {"message": "no such path"}}'))

    def _chat(self, headers: Mapping[str, str], body: bytes) -> None:
        counts = self.counts
        digest = hashlib.sha256(body).hexdigest()
        key = headers.get("idempotency-key", digest)
        counts.n_requests += 1
        counts.received_bodies[digest] += 1
        counts.received_keys[key] += 1
        asked = Asked(counts.n_requests, key, digest, counts.received_keys[key], body, headers)
        counts.seen.append(asked)
        counts.n_in_flight += 1
        counts.most_in_flight = max(counts.most_in_flight, counts.n_in_flight)
        self.busy = True
        delay_s = self.settings.latency_ms / 1000
        asyncio.get_running_loop().call_later(delay_s, self._answer, asked)

    def _answer(self, asked: Asked) -> None:
        self.counts.n_in_flight -= 1
        self.busy = False
        if self.transport.is_closing():
            return
        fault = next((fault for fault in self.settings.faults if fault.applies(asked)), None)
        if fault is not None:
            self.counts.faults[fault.fault] += 1
            self._fail(fault, asked)
        else:
            self.transport.write(_http(200, completion(self.settings, asked)))
            self.counts.answered_bodies[asked.digest] += 1
            self.counts.answered_keys[asked.key] += 1
        self._next()

    def _fail(self, fault: Fault, asked: Asked) -> None:
        if fault.fault == "hang":
            self.busy = True
        elif fault.fault == "reset":
            self.transport.abort()
        elif fault.fault == "close":
            self.transport.close()
        elif fault.fault == "truncate":
            body = completion(self.settings, asked)
            self.transport.write(_http(200, body[: len(body) // 2], length=len(body)))
            self.transport.close()
        elif fault.fault == "drip":
            self.busy = True
            self.transport.write(_http(200, b"", length=1_000_000))
            self._drip(n_left=300)
        else:
            self.transport.write(self._refusal(fault))

    def _drip(self, n_left: int) -> None:
        if n_left == 0:
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.write(b" ")
            asyncio.get_running_loop().call_later(0.01, self._drip, n_left - 1)

    def _refusal(self, fault: Fault) -> bytes:
        usual = {"quota": 429}.get(fault.fault, 200)
        status = int(fault.fault) if fault.fault.isdigit() else usual
        body = fault.body if fault.body is not None else FAULTS.get(fault.fault)
        if body is None:
            body = json.dumps({"error": {"message": f"scripted {status}"}})
        return _http(status, body.encode("utf-8"), headers=_retry_after(fault.retry_after))


def _retry_after(text: str | None) -> list[str]:
    if text is None:
        return []
    if text.startswith("date:"):
        return [f"retry-after: {formatdate(time.time() + float(text[5:]), usegmt=True)}"]
    return [f"retry-after: {text}"]


class Running(NamedTuple):
    """A server that runs in this event loop."""

    port: int
    counts: Counts

    @property
    def base_url(self) -> str:
        """The address to put into an endpoint."""
        return f"http://127.0.0.1:{self.port}/v1"


@contextlib.asynccontextmanager
async def serve(settings: Settings = Settings(), *, port: int = 0) -> AsyncIterator[Running]:
    """Serve on 127.0.0.1 while the context lasts."""
    counts = Counts()
    connections: list[Connection] = []

    def connect() -> Connection:
        connections.append(Connection(settings, counts))
        return connections[-1]

    server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", port)
    try:
        yield Running(server.sockets[0].getsockname()[1], counts)
    finally:
        server.close()
        for connection in connections:
            connection.transport.abort()
        await server.wait_closed()
        # Aborted transports call back once more before they are gone.
        await asyncio.sleep(0)


def read_faults(text: str) -> tuple[Fault, ...]:
    """Read a fault script: a JSON list of objects with the fields of `Fault`."""
    faults = tuple(
        Fault(**{**fault, "at": tuple(fault["at"]) if "at" in fault else None}) for fault in json.loads(text)
    )
    unknown = [fault.fault for fault in faults if fault.fault not in FAULTS and not fault.fault.isdigit()]
    if unknown:
        raise ValueError(f"unknown fault {unknown[0]!r}; known: {sorted(FAULTS)} and statuses")
    return faults


def read_rules(text: str) -> tuple[Rule, ...]:
    """Read answers: a JSON list of ``{"contains": ..., "texts": [...]}``."""
    return tuple(Rule(rule["contains"], tuple(rule["texts"])) for rule in json.loads(text))


async def _main(port: int, settings: Settings) -> None:
    async with serve(settings, port=port) as server:
        print(json.dumps({"port": server.port, "base_url": server.base_url}), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--faults", type=read_faults, default=())
    parser.add_argument("--rules", type=read_rules, default=())
    parser.add_argument("--model", default=None)
    parser.add_argument("--fingerprint", default="fp_loopback")
    parser.add_argument("--no-usage", action="store_true")
    arguments = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(
            _main(
                arguments.port,
                Settings(
                    latency_ms=arguments.latency_ms,
                    faults=arguments.faults,
                    rules=arguments.rules,
                    model=arguments.model,
                    fingerprint=arguments.fingerprint or None,
                    usage=not arguments.no_usage,
                ),
            )
        )
    sys.exit(0)
