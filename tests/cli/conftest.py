"""The command line, called in this process."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.cli import main


class Called(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


Call = Callable[..., Called]


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command line with these words."""

    def call(*words: str | Path) -> Called:
        monkeypatch.setattr(sys, "argv", ["harness", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return Called(int(stopped.value.code or 0), out, err)

    return call
