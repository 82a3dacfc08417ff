"""Commands about an experiment and its run: from the template to the report."""

from pathlib import Path
from typing import Any

import click

from harness.cli.command_parts import EXPERIMENT, JSON, RUN, call, cli


@cli.command()
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path), default=Path("harness-demo"), show_default=True
)
@click.option("--experiment", type=click.Choice(["xstest", "arena"]), default="xstest", show_default=True)
@click.option("--open-held-out", is_flag=True, help="Also open the held-out split (one look).")
@JSON
def demo(directory: Path, experiment: str, open_held_out: bool, as_json: bool) -> int:
    """Run the whole job on recorded real data.

    No key, no network: the answers and the judge's votes were recorded.
    """
    return call(
        "demo",
        "demo",
        directory=directory,
        experiment=experiment,
        open_held_out=open_held_out,
        as_json=as_json,
    )


@cli.command()
@click.argument("directory", type=click.Path(path_type=Path))
def init(directory: Path) -> int:
    """Write a project from the template."""
    return call("project", "init", directory=directory)


@cli.command()
@EXPERIMENT
@JSON
def check(experiment: Path, as_json: bool) -> int:
    """Check every input of an experiment; send nothing.

    Shows the digests, the number of calls, their cost and the smallest
    difference that could be detected.
    """
    return call("project", "check", experiment=experiment, as_json=as_json)


@cli.command()
@EXPERIMENT
@click.option("--key", type=click.Path(path_type=Path), help="Also sign the lock, with this key.")
@click.option("--key-env", "variable", metavar="NAME", help="The environment variable that holds the key.")
@JSON
def freeze(**options: Any) -> int:
    """Write the lock that a run must still match.

    Signed, it shows a reader that the plan was there before the data.
    """
    return call("project", "freeze", **options)


@cli.command()
@EXPERIMENT
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path), help="Run directory. [default: runs/NAME-DIGEST]"
)
@click.option("--locked", is_flag=True, help="Refuse to run without a lock that matches.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    help="An earlier run: what moved, the judge or the backends?",
)
@click.option(
    "--aa",
    "same_arm",
    is_flag=True,
    help="Ask the baseline twice, as both arms, on the exploratory cases: what is found is chance or fault.",
)
@JSON
def run(locked: bool, same_arm: bool, **options: Any) -> int:
    """Ask, audit, analyse and report; resume.

    Only exploratory cases enter a number. The same command again goes on where
    the last one stopped: no call that was answered is made twice.
    """
    if locked and same_arm:
        raise click.UsageError("--locked is not used with --aa: a lock is of two arms.")
    return call("run", "run", locked=locked, same_arm=same_arm, **options)


@cli.command("open-held-out")
@RUN
@click.option("--gold", type=click.Path(path_type=Path), help="The gold set whose ledger takes the look.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--decision-only", is_flag=True, help="Show the decision, and no number of these cases.")
@click.option("--past-budget", is_flag=True, help="Open although no look is left; exploratory then.")
@JSON
def open_held_out(run: Path, **options: Any) -> int:
    """Open the held-out split of a run.

    That is one look; it is written into the ledger before anything is computed.
    """
    return call("held_out", "open_held_out", run=run, **options)


@cli.command()
@RUN
@JSON
def report(run: Path, as_json: bool) -> int:
    """Write all report forms again."""
    return call("run", "report", run=run, as_json=as_json)
