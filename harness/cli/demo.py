"""`harness demo`: the whole job on recorded real data."""

import shutil
from pathlib import Path
from typing import Literal

import harness
from harness.cli.held_out import open_held_out as open_run_held_out
from harness.cli.output import say
from harness.cli.project import lock_experiment
from harness.cli.run import report, run_experiment
from harness.cli.run_files import EXPOSURES, LOOKS, read_look
from harness.cli.sign import sign_with_throwaway_key
from harness.domain.errors import InputError

_FOLDERS = ("anchors", "experiments", "gold", "judges")
_OF_A_RUN = ("*.lock.json", LOOKS, EXPOSURES)


def demo(
    *, directory: Path, experiment: Literal["xstest", "arena"], open_held_out: bool, as_json: bool
) -> int:
    """Copy the recorded project into a folder, freeze it, run it, and show what came out."""
    project = directory / "project"
    if not project.exists():
        _copy_content(project)
    path = project / "experiments" / experiment / "experiment.toml"
    lock_experiment(path)
    run = run_experiment(path, directory / f"run-{experiment}", locked=True)
    if open_held_out:
        code = open_run_held_out(run=run, gold=None, yes=True, as_json=as_json)
    else:
        code = report(run=run, as_json=as_json)
    if read_look(run) is None:
        say(f"held-out: closed; `harness open-held-out {run}` opens it")
    if sign_with_throwaway_key(run):
        say(f"signed with a throw-away key: proves integrity only; `harness verify {run}` looks at it")
    return code


def _copy_content(project: Path) -> None:
    source = _content()
    for folder in _FOLDERS:
        shutil.copytree(source / folder, project / folder, ignore=shutil.ignore_patterns(*_OF_A_RUN))


def _content() -> Path:
    """Return where the recorded project is: in the package, or beside it in a checkout."""
    package = Path(harness.__file__).parent
    for folder in (package / "_content", package.parent):
        if (folder / "experiments").is_dir():
            return folder
    raise InputError(f"{package / '_content'}: the recorded project was not installed")
