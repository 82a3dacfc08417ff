"""Lends the hand-made reports to the tests of this room."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """The module of hand-made reports, loaded by its place: tests are no package."""
    spec = spec_from_file_location("sample_report", HERE / "sample_report.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
