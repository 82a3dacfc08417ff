"""A chat backend that is opened by its first call: a run that has nothing to ask never imports the SDK."""

from collections.abc import Mapping

from harness.backends.credentials import read_credentials
from harness.backends.protocol import Backend
from harness.domain.calls import Request, Response
from harness.domain.specs import EndpointSpec


class LateChat:
    """One endpoint, asked over HTTP from the first call on; what it needs is checked at once."""

    def __init__(self, name: str, endpoint: EndpointSpec, *, environ: Mapping[str, str]) -> None:
        """Check that the endpoint can be asked; nothing is opened yet.

        Args:
            name: What the endpoint is called in messages.
            endpoint: Where it is and how hard it may be asked.
            environ: Where keys are looked up, now and when it is opened.

        Raises:
            InputError: A variable is not set.
        """
        read_credentials(name, endpoint, environ=environ)
        self._name, self._endpoint, self._environ = name, endpoint, environ
        self._opened: Backend | None = None

    async def send(self, request: Request) -> Response:
        """Send one request once, and return what came back; see `Backend`."""
        if self._opened is None:
            # Here, not at the top: the SDK takes longer to import than a recorded run to finish.
            from harness.backends.chat import ChatBackend

            self._opened = ChatBackend(self._name, self._endpoint, environ=self._environ)
        return await self._opened.send(request)

    async def aclose(self) -> None:
        """Close what is open."""
        if self._opened is not None:
            await self._opened.aclose()
