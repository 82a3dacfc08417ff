"""Commands about judges and the people they are held against."""

from pathlib import Path
from typing import Any

import click

from harness.cli.command_parts import EXPERIMENT, JSON, RUN, Finite, Number, call, cli


@cli.command()
@EXPERIMENT
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path),
    help="Run directory. [default: runs/NAME-audit-DIGEST]",
)
@click.option(
    "--against", type=click.Path(path_type=Path), help="An earlier run or audit: is the judge still the same?"
)
@click.option("--record", is_flag=True, help="Add this audit to the judge's history.jsonl.")
@JSON
def audit(experiment: Path, directory: Path | None, against: Path | None, record: bool, as_json: bool) -> int:
    """Ask about canaries and anchors only.

    Reports the audits, and sends nothing to the arms. Exit codes: 0 fit, 1
    unfit, 3 not audited.
    """
    return call(
        "run",
        "audit",
        experiment=experiment,
        directory=directory,
        against=against,
        record=record,
        as_json=as_json,
    )


@cli.command()
@EXPERIMENT
@click.option("--judge", "name", help="Which judge of a panel, by its name in the experiment.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write the page here.")
@JSON
def history(experiment: Path, name: str | None, html: Path | None, as_json: bool) -> int:
    """Show the judge over its recorded audits.

    A Markdown table of `history.jsonl`, its CUSUM and its trend. Exit codes: 0
    steady, 1 decay or an alarm, 3 a single audit.
    """
    return call("history", "history", experiment=experiment, name=name, html=html, as_json=as_json)


@cli.command()
@RUN
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["human-scale", "adjudication"]),
    help="Cases drawn at random, both arms; or answers on which the judge's votes differ.",
)
@click.option(
    "-n", "n", type=click.IntRange(1), default=50, show_default=True, help="Cases, or answers, to hand out."
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the sheet here, CSV or JSONL.")
@click.option("--read", type=click.Path(path_type=Path), help="A sheet that was filled in.")
@click.option("--into", type=click.Path(path_type=Path), help="The anchors its labels are added to.")
def label(**options: Any) -> int:
    """Hand answers to people, and read their labels back.

    A sheet is blind to arm and judge; what its ids stand for is in a key file
    beside it. Held-out cases are never handed out.
    """
    return call("label", "label", **options)


@cli.command("audit-votes")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--against", type=click.Path(path_type=Path), help="An earlier file: what changed since then?")
@click.option("--labels", help="The labels there are, in their order, with commas between.")
@click.option("--ordered", is_flag=True, help="The labels have an order: also weighted coefficients.")
@click.option("--tie", help="The label that prefers neither answer.")
@click.option("--pass-at", type=Number(), help="A score passes from this value on.")
@click.option(
    "--margin",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="How far the judge's agreement with a person may lie below a second person's.",
)
@click.option("--min-agreement", type=Finite(0, 1), help="Lowest agreement with people.")
@click.option(
    "--max-flips",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.2,
    show_default=True,
    help="Highest share of repeats, or of orders, that differ.",
)
@click.option(
    "--band",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="How far the place or the arm of an answer may move the judge.",
)
@click.option(
    "--min-verdicts",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="Lowest share of votes that say something.",
)
@JSON
def audit_votes(**options: Any) -> int:
    """Audit judges' votes that a file recorded.

    JSONL or CSV rows of votes, and of people's labels if there are any. Makes
    no calls. Exit codes: 0 fit, 1 unfit, 3 not audited.
    """
    return call("audit_votes", "audit_votes", **options)
