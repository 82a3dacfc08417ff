"""Commands about results that are there, and about how many cases it takes."""

from pathlib import Path
from typing import Any

import click

from harness.cli.command_parts import JSON, Finite, Number, call, cli, refuse_unused

_MAJORITY_ONLY = ("margin", "estimand", "measure", "slices", "coverage", "html")
_PAIRED_ONLY = (*_MAJORITY_ONLY, "pass_at", "metric", "questions_differ", "seed")


@cli.command()
@click.argument("results", nargs=-1, required=True, metavar="BASELINE CANDIDATE [MORE]...")
@click.option(
    "--unpaired",
    is_flag=True,
    help="Compare two published rates on different cases, such as 62/100 70/120.",
)
@click.option(
    "--margin",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.03,
    show_default=True,
    help="Smallest difference that matters.",
)
@click.option("--alpha", type=Finite(0, 0.5, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option("--estimand", type=click.Choice(["majority", "mean"]), default="majority", show_default=True)
@click.option(
    "--measure",
    type=click.Choice(["pass", "score"]),
    default="pass",
    show_default=True,
    help="What the mean estimand is the mean of.",
)
@click.option("--pass-at", type=Number(), help="A score passes from this value on.")
@click.option("--metric", help="Which grade of a tool's log counts, where it has several.")
@click.option(
    "--questions-differ",
    is_flag=True,
    help="Pair by id although the files say that a case asks something else.",
)
@click.option("--slice", "slices", multiple=True, help="A tag whose result is declared in advance.")
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True)
@click.option(
    "--coverage",
    type=Finite(0, 1),
    default=0.9,
    show_default=True,
    help="Share of cases that must be paired.",
)
@click.option("--html", type=click.Path(path_type=Path), help="Also write the page here.")
@JSON
def compare(results: tuple[str, ...], unpaired: bool, **options: Any) -> int:
    """Compare existing per-case results.

    JSONL, or CSV, with `id` and `passed` or `score`, and, if there are any,
    `repeat`, `cluster` and `tags`; an arm of a run as RUN@candidate; or a log of
    Inspect, lm-evaluation-harness, promptfoo, OpenAI evals, FastChat or deepeval,
    as LOG@NAME where it holds several prompts or models. Makes no calls. Three
    or more results get Cochran's Q and every pair after Holm.
    """
    if len(results) < 2 or (unpaired and len(results) > 2):
        raise click.UsageError(f"found {len(results)} results, wanted two{'' if unpaired else ' or more'}")
    alpha, as_json = options["alpha"], options["as_json"]
    if unpaired:
        refuse_unused("--unpaired", unused=_PAIRED_ONLY)
        rates = {"baseline": results[0], "candidate": results[1]}
        return call("compare_unpaired", "compare_unpaired", **rates, alpha=alpha, as_json=as_json)
    paths = tuple(Path(result) for result in results)
    if len(paths) > 2:
        refuse_unused("three or more results", unused=_MAJORITY_ONLY)
        many = {name: options[name] for name in ("pass_at", "metric", "questions_differ", "seed")}
        return call("compare_many", "compare_many", paths=paths, **many, alpha=alpha, as_json=as_json)
    return call("compare", "compare", baseline=paths[0], candidate=paths[1], **options)


@cli.command()
@click.option(
    "--cases", type=click.IntRange(1, 100_000_000), help="Cases you have: print what they can detect."
)
@click.option(
    "--difference",
    type=Finite(0, 1, min_open=True),
    help="Difference you want to find: print the cases it takes.",
)
@click.option(
    "--discordance",
    type=Finite(0, 1, min_open=True),
    default=None,
    help="Share of cases where exactly one arm passes. [default: a table]",
)
@click.option("--alpha", type=Finite(0, 0.5, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option(
    "--power",
    "power_",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
)
@click.option(
    "--cluster-size",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Cases a cluster, on average.",
)
@click.option(
    "--icc",
    type=Finite(0, 1),
    default=0.0,
    show_default=True,
    help="Correlation of the difference within a cluster.",
)
@click.option(
    "--answers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Answers a case and arm, for the number of calls.",
)
@click.option(
    "--votes",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Judge votes an answer, for the number of calls.",
)
@JSON
def power(**options: Any) -> int:
    """Sample size, detectable difference, calls."""
    return call("power", "power", **options)


@cli.command()
@click.option("--dir", "directory", type=click.Path(path_type=Path), help="Write one file a schema here.")
@click.argument("name", required=False)
def schema(directory: Path | None, name: str | None) -> int:
    """Print the JSON Schemas of all files."""
    return call("project", "schema", directory=directory, name=name)
