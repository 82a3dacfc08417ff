"""What a backend is: one request in, one response out."""

from typing import Protocol

from harness.domain.calls import Request, Response
from harness.domain.errors import Transient


class Backend(Protocol):
    """Talks to one endpoint. It belongs to the event loop that it is opened in."""

    async def send(self, request: Request) -> Response:
        """Send one request once, and return what came back.

        A response that is returned is fit to be stored: an answer, or a
        refusal, a filtered or a truncated one, which are data as well.

        Raises:
            Transient: Asking again may succeed.
            Permanent: Asking again cannot.
        """
        ...

    async def aclose(self) -> None:
        """Close what is open. Closing twice is allowed."""
        ...


class Filtered(Transient):
    """A filtered response that the plan asks for again.

    ``response`` is what stands when the last try is filtered too.
    """

    def __init__(self, detail: str, *, response: Response) -> None:
        super().__init__("filtered", detail, status=response.status)
        self.response = response
