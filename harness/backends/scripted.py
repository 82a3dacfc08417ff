"""A fake in memory, for tests and dry runs."""

import inspect
from collections import Counter
from collections.abc import Awaitable, Callable

from harness.backends.bodies import completion_response
from harness.domain.calls import Request, Response

Reply = Response | str | Exception
Script = Callable[[Request], Reply | Awaitable[Reply]]


class ScriptedBackend:
    """Answers as a script says, and counts.

    A text becomes a chat completion, an exception is raised, a response is
    returned as it is. ``calls`` counts the calls by request name, ``n_calls``
    all of them, ``most_in_flight`` the most at one time.
    """

    def __init__(
        self,
        script: Script,
        *,
        model: str = "scripted",
        pause: Callable[[Request], Awaitable[None]] | None = None,
    ) -> None:
        """Make a backend.

        Args:
            script: What is answered; it may be a coroutine function.
            model: The model id that texts are returned under.
            pause: Awaited before each answer: latency, in whatever clock the caller has.
        """
        self._script = script
        self._model = model
        self._pause = pause
        # Shared by all calls; changed only between awaits, in one event loop.
        self.calls: Counter[str] = Counter()
        self.most_in_flight = 0
        self.closed = False
        self._in_flight = 0

    @property
    def n_calls(self) -> int:
        """How many calls came."""
        return self.calls.total()

    async def send(self, request: Request) -> Response:
        """Return what the script answers, or raise it."""
        self.calls[request.name] += 1
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            if self._pause is not None:
                await self._pause(request)
            reply = self._script(request)
            reply = await reply if inspect.isawaitable(reply) else reply
        finally:
            self._in_flight -= 1
        if isinstance(reply, Exception):
            raise reply
        return completion_response(reply, model=self._model) if isinstance(reply, str) else reply

    async def aclose(self) -> None:
        """Note that the backend was closed."""
        self.closed = True
