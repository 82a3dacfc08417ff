"""A small project on disk, and the way to its class."""

import sys
from pathlib import Path

import pytest

# With --import-mode=importlib this folder is on no path; `import project` needs it there.
sys.path.insert(0, str(Path(__file__).parent))

from project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project that is right in everything; a test spoils one thing."""
    return Project(tmp_path)
