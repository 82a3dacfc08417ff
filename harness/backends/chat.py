"""Chat completions over HTTP, through the openai SDK, from any compatible server.

This module imports the SDK, which is slow: import it where a call is made.
"""

import asyncio
import logging
import ssl
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2
import openai

from harness.backends.connections import open_transport
from harness.backends.credentials import read_credentials
from harness.backends.masking import mask_bytes
from harness.backends.reading import Place, Reply, read_reply
from harness.domain.body import public_address
from harness.domain.calls import Request, Response
from harness.domain.errors import InputError, Permanent, Transient
from harness.domain.specs import EndpointSpec, Limits

# Never a proxy between us and a server on this machine.
_LOOPBACK = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}
# What the HTTP layer itself must say; everything else on the wire is ours.
_WIRE_HEADERS = ("host", "content-length", "idempotency-key")
_OUR_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "gzip, deflate",
    "content-type": "application/json",
    "user-agent": "judge-harness",
}
# Their debug lines hold addresses, headers and reprs of requests.
_TALKATIVE = ("openai", "httpx2", "httpcore2", "httpcore2.connection", "httpcore2.http11", "httpcore2.proxy")

RequestHook = Callable[[httpx2.Request], Awaitable[None]]


class ChatBackend:
    """One endpoint, asked over HTTP.

    Proxies and ``SSL_CERT_FILE`` are taken from the environment as other tools
    do, except that a server on this machine is never asked through a proxy.
    No other variable changes what is sent, whatever the SDK would read. Open it
    in the event loop that uses it, and close it there.
    """

    def __init__(
        self,
        name: str,
        endpoint: EndpointSpec,
        *,
        environ: Mapping[str, str],
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        """Open the client of the endpoint; nothing is sent yet.

        Args:
            name: What the endpoint is called in messages.
            endpoint: Where it is and how hard it may be asked.
            environ: Where ``api_key_env`` and ``env:NAME`` headers are looked up.
            wall_s: Unix time in seconds, for a Retry-After that is a date.

        Raises:
            InputError: No ``base_url``, or a variable that is not set.
        """
        if not endpoint.base_url:
            raise InputError(f"endpoint {name}: base_url: found nothing, wanted an address")
        credentials = read_credentials(name, endpoint, environ=environ)
        self._mask = credentials.mask
        self._place = Place(endpoint=name, model=endpoint.model, address=public_address(endpoint.base_url))
        self._retry_filtered = endpoint.retry_filtered
        self._timeout_s = endpoint.limits.timeout_s
        self._wall_s = wall_s
        headers = {**_OUR_HEADERS, **dict(credentials.headers)}
        self._url = chat_url(endpoint.base_url)
        self._client = open_client(endpoint.base_url, endpoint.limits, headers=headers)

    async def send(self, request: Request) -> Response:
        """Send the frozen body once, and return the response as it came.

        Raises:
            Transient: Connection, time-out, rate limit, overload, a broken body.
            Permanent: A wrong key, a wrong model, no quota, a request refused.
        """
        try:
            # The client's own limits are for each read; a server that drips outlives them.
            async with asyncio.timeout(self._timeout_s):
                reply = await self._post(request)
        except TimeoutError as cause:
            detail = f"no whole answer from {self._place} within {self._timeout_s:g} s"
            raise Transient("timeout", detail) from cause
        return read_reply(reply, self._place, retry_filtered=self._retry_filtered, now_s=self._wall_s())

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _post(self, request: Request) -> Reply:
        try:
            answer = await self._client.post(
                self._url,
                content=request.body.encode("utf-8"),
                cast_to=httpx2.Response,
                options={"headers": {"Idempotency-Key": request.name}},
            )
        except openai.APIStatusError as error:
            # Raised for its status; a reply like any other to us.
            return self._masked(error.response)
        except openai.APITimeoutError as cause:
            detail = f"no answer from {self._place} in time: {self._words(cause)}"
            raise Transient("timeout", detail) from cause
        except openai.APIConnectionError as cause:
            raise self._connection_error(cause) from cause
        return self._masked(answer)

    def _connection_error(self, cause: BaseException) -> Transient | Permanent:
        detail = f"no answer from {self._place}: {self._words(cause)}"
        if any(isinstance(link, ssl.SSLCertVerificationError) for link in _chain(cause)):
            return Permanent("certificate", detail)
        return Transient("connection", detail)

    def _words(self, error: BaseException) -> str:
        # The causes name the fault; the SDK's own words are "Connection error.".
        causes = (str(link) for link in _chain(error) if link is not error)
        words = next((text for text in causes if text.strip()), "the connection broke")
        return self._mask(" ".join(words.split()))[:200]

    def _masked(self, answer: httpx2.Response) -> Reply:
        headers = {name.lower(): self._mask(value) for name, value in answer.headers.items()}
        return Reply(status=answer.status_code, headers=headers, body=mask_bytes(self._mask, answer.content))


def chat_url(base_url: str) -> str:
    """Return where chat completions are asked for; a query such as ``api-version`` stays.

    Whole, so that the SDK need not put it together again for each call.
    """
    parts = urlsplit(base_url)
    path = f"{parts.path.rstrip('/')}/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def open_client(base_url: str, limits: Limits, *, headers: Mapping[str, str]) -> openai.AsyncOpenAI:
    """Return the SDK's client with everything set that it would look up or add by itself.

    Args:
        base_url: The address.
        limits: Connections and durations.
        headers: All the headers there are, keys included, beside those of the HTTP layer.
    """
    _quieten()
    timeout = httpx2.Timeout(limits.timeout_s, connect=limits.connect_s)
    http_client = openai.DefaultAsyncHttpxClient(
        timeout=timeout,
        limits=httpx2.Limits(max_connections=limits.in_flight, max_keepalive_connections=limits.in_flight),
        follow_redirects=False,
        mounts=_LOOPBACK,
        transport=open_transport(most=limits.in_flight),
        event_hooks={"request": [_only(headers)]},
    )
    return openai.AsyncOpenAI(
        base_url=base_url,
        # Never sent: the Authorization header, where there is one, is among ours.
        api_key="placeholder",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        timeout=timeout,
        max_retries=0,
        http_client=http_client,
    )


def _only(headers: Mapping[str, str]) -> RequestHook:
    """Return a hook that sends these headers and no others.

    The SDK adds what OPENAI_CUSTOM_HEADERS, OPENAI_ORG_ID and the platform
    say, and the HTTP client adds cookies: two machines would send two things.
    """

    async def replace_headers(request: httpx2.Request) -> None:
        wire = {name: request.headers[name] for name in _WIRE_HEADERS if name in request.headers}
        request.headers = httpx2.Headers({**wire, **headers})

    return replace_headers


def _quieten() -> None:
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes, outermost first; of a group, its first member."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        group: Any = getattr(link, "exceptions", None)
        link = group[0] if group else link.__cause__ or link.__context__
