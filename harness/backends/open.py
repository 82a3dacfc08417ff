"""The backend of an endpoint, as its spec names it."""

from collections.abc import Mapping
from pathlib import Path

from harness.backends.late import LateChat
from harness.backends.protocol import Backend
from harness.backends.recorded import RecordedBackend
from harness.domain.errors import InputError
from harness.domain.specs import EndpointSpec


def open_backend(name: str, endpoint: EndpointSpec, *, root: Path, environ: Mapping[str, str]) -> Backend:
    """Open the backend of an endpoint; nothing is sent yet.

    Args:
        name: What the endpoint is called in messages.
        endpoint: The spec.
        root: The folder that ``replies`` is relative to.
        environ: Where keys are looked up.

    Raises:
        InputError: A key variable is not set, or the replies cannot be read.
    """
    if endpoint.backend == "recorded":
        if not endpoint.replies:
            raise InputError(f"endpoint {name}: replies: found nothing, wanted a file")
        return RecordedBackend(root / endpoint.replies)
    return LateChat(name, endpoint, environ=environ)
