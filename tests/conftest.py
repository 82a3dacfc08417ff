"""The mock of the wire, and the way to the loopback server."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
import respx
from hypothesis import HealthCheck, settings
from respx.mocks import HTTPCoreMocker

# With --import-mode=importlib this folder is on no path; `import loopback` needs it there.
sys.path.insert(0, str(Path(__file__).parent))

# How fast a loaded machine draws inputs, and how many it throws away, says nothing about the code.
settings.register_profile(
    "unhurried",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("unhurried")


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
