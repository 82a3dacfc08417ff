"""What made a run: versions, the bill of its software, the repository's commit, and how the clock went."""

import platform
import re
import subprocess
import sys
import time
from datetime import datetime
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path
from typing import NamedTuple

from harness.domain.canonical import digest
from harness.domain.environment import SoftwareBill
from harness.domain.report import Provenance

_PACKAGES = ("diskcache", "httpx2", "numpy", "openai", "pydantic", "scipy", "tenacity")
_SEPARATORS = re.compile(r"[-_.]+")


class Clocks(NamedTuple):
    """Two clocks at one moment, in milliseconds: Unix time, and a clock that nobody sets."""

    wall_ms: int
    steady_ms: int


def read_clocks() -> Clocks:
    """Return both clocks."""
    return Clocks(time.time_ns() // 1_000_000, time.monotonic_ns() // 1_000_000)


def with_move(made_by: Provenance, first: Clocks, last: Clocks) -> Provenance:
    """Return the provenance with how far the wall clock was moved in between, against the steady one.

    Of several starts of a run the farthest move stays.
    """
    moved = (last.wall_ms - first.wall_ms) - (last.steady_ms - first.steady_ms)
    farthest = max(moved, made_by.clock_moved_ms or 0, key=abs)
    return made_by.model_copy(update={"clock_moved_ms": farthest})


def provenance(
    project: Path, *, bill: SoftwareBill | None = None, clock_moved_ms: int | None = None
) -> Provenance:
    """Return the provenance of work done now, for the project in this folder.

    Args:
        project: Where the experiment is; its repository counts, if it is in one.
        bill: What is installed, where the report keeps it.
        clock_moved_ms: How far the clock was moved during earlier starts.
    """
    commit = _git(project, "rev-parse", "HEAD")
    # Files that git does not know are no change of the code; a run directory is one of them.
    status = _git(project, "status", "--porcelain", "--untracked-files=no") if commit else None
    return Provenance(
        harness_version=version("judge-harness"),
        python=platform.python_version(),
        platform=_platform(),
        packages=tuple((name, _version(name)) for name in _PACKAGES),
        environment_sha256=None if bill is None else digest(bill),
        git_commit=commit,
        git_dirty=None if status is None else bool(status),
        recorded_at=datetime.now().astimezone().isoformat(timespec="seconds"),
        clock_moved_ms=clock_moved_ms,
    )


def software_bill() -> SoftwareBill:
    """Return everything that is installed; of two versions of one name the one that is imported."""
    found: dict[str, str] = {}
    for distribution in distributions():
        described = distribution.metadata
        name = _SEPARATORS.sub("-", described["Name"] or "").lower()
        if name:
            found.setdefault(name, described["Version"] or "unknown")
    return SoftwareBill(
        python=platform.python_version(), platform=_platform(), packages=tuple(sorted(found.items()))
    )


def _platform() -> str:
    return f"{sys.platform}-{platform.machine()}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git says, or nothing where there is no git or no repository."""
    try:
        found = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() if found.returncode == 0 else None
