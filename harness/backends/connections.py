"""Connections in a stack: the last one given back is the next one used.

The HTTP client's own pool looks every connection over, twice a call, and asks
the kernel about each idle one: a cost that grows with the calls in flight.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from urllib.request import getproxies

import httpx2

_ONE = httpx2.Limits(max_connections=1, max_keepalive_connections=1)


def open_transport(*, most: int) -> httpx2.AsyncBaseTransport | None:
    """Return a stack of so many connections at most.

    It is null where the environment names a proxy, which only the client's own pool knows.
    """
    return None if getproxies() else StackedTransport(most=most)


class StackedTransport(httpx2.AsyncBaseTransport):
    """Pools of one connection each, as many as there are calls in flight at once."""

    def __init__(self, *, most: int) -> None:
        # The roots are read once, not once a connection.
        self._tls: ssl.SSLContext = httpx2.create_ssl_context()
        self._places = asyncio.Semaphore(most)
        # Changed between awaits only, in one event loop.
        self._free: list[httpx2.AsyncHTTPTransport] = []
        self._all: list[httpx2.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request over a connection that nothing else uses."""
        await self._places.acquire()
        connection = self._free.pop() if self._free else self._open()

        def give_back() -> None:
            self._free.append(connection)
            self._places.release()

        try:
            response = await connection.handle_async_request(request)
        except BaseException:
            give_back()
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Borrowed(response.stream, give_back=give_back)
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        for connection in self._all:
            await connection.aclose()

    def _open(self) -> httpx2.AsyncHTTPTransport:
        connection = httpx2.AsyncHTTPTransport(verify=self._tls, limits=_ONE)
        self._all.append(connection)
        return connection


class _Borrowed(httpx2.AsyncByteStream):
    """The body of a response, whose connection is free once the body is closed."""

    def __init__(self, stream: httpx2.AsyncByteStream, *, give_back: Callable[[], None]) -> None:
        self._stream = stream
        self._give_back: Callable[[], None] | None = give_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        """Close the body and give the connection back, once."""
        give_back, self._give_back = self._give_back, None
        try:
            await self._stream.aclose()
        finally:
            if give_back is not None:
                give_back()
