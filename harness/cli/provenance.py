"""What made a run: versions, machine kind, and the repository's commit where there is one."""

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness.domain.report import Provenance

_PACKAGES = ("diskcache", "httpx2", "numpy", "openai", "pydantic", "scipy", "tenacity")


def provenance(project: Path) -> Provenance:
    """Return the provenance of work done now, for the project in this folder."""
    commit = _git(project, "rev-parse", "HEAD")
    status = _git(project, "status", "--porcelain") if commit else None
    return Provenance(
        harness_version=version("judge-harness"),
        python=platform.python_version(),
        platform=f"{sys.platform}-{platform.machine()}",
        packages=tuple((name, _version(name)) for name in _PACKAGES),
        git_commit=commit,
        git_dirty=None if status is None else bool(status),
    )


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
