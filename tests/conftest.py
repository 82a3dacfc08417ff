"""The mock of the wire, and the way to the loopback server."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
import respx
from respx.mocks import HTTPCoreMocker

# With --import-mode=importlib this folder is on no path; `import loopback` needs it there.
sys.path.insert(0, str(Path(__file__).parent))


class HTTPCore2Mocker(HTTPCoreMocker):
    """Respx for the transport of the SDK, which is httpcore2 and not httpcore."""

    name = "httpcore2"
    targets: ClassVar[list[str]] = [
        target.replace("httpcore.", "httpcore2.", 1) for target in HTTPCoreMocker.targets
    ]


@pytest.fixture
def wire() -> Iterator[respx.MockRouter]:
    """Everything that would go out, intercepted; a call that no route expects fails the test."""
    with respx.mock(using="httpcore2", assert_all_called=False) as router:
        yield router
