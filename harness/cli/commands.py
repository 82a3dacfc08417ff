"""The commands and their options. Their work is imported only when they run."""

import math
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource


class Number(click.types.FloatParamType):
    """A number, neither infinite nor ``nan``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or refuse it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class Finite(Number, click.FloatRange):
    """A number in a range. ``nan`` compares with no limit, so a range alone lets it through."""


_EXPERIMENT = click.argument("experiment", type=click.Path(path_type=Path))
_RUN = click.argument("run", type=click.Path(path_type=Path))
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def _do(module: str, function: str, **arguments: Any) -> int:
    """Import the module and call the function: `--help` must not pay for numpy, scipy and openai."""
    result = getattr(import_module(f"harness.cli.{module}"), function)(**arguments)
    return result if isinstance(result, int) else 0


def _refuse_unused(what: str, *, unused: tuple[str, ...]) -> None:
    """Refuse options that were given and would be left aside without a word."""
    context = click.get_current_context()
    for option in context.command.params:
        given = option.name and context.get_parameter_source(option.name) == ParameterSource.COMMANDLINE
        if given and option.name in unused:
            raise click.UsageError(f"{option.opts[0]} is not used with {what}.")


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"harness {version('judge-harness')}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version)
def cli() -> None:
    """Is the new prompt or model better, worse, or can't we tell?

    Exit codes: 0 all gates passed, 1 a gate failed, 2 wrong input or command
    line, 3 not measurable or not enough evidence, 4 something frozen or signed
    was changed.
    """


@cli.command()
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path), default=Path("harness-demo"), show_default=True
)
@click.option("--experiment", type=click.Choice(["xstest", "arena"]), default="xstest", show_default=True)
@click.option("--open-held-out", is_flag=True, help="Also open the held-out split (one look).")
@_JSON
def demo(directory: Path, experiment: str, open_held_out: bool, as_json: bool) -> int:
    """Run the whole job on recorded real data.

    No key, no network: the answers and the judge's votes were recorded.
    """
    return _do(
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
    return _do("project", "init", directory=directory)


@cli.command()
@_EXPERIMENT
@_JSON
def check(experiment: Path, as_json: bool) -> int:
    """Check every input of an experiment; send nothing.

    Shows the digests, the number of calls, their cost and the smallest
    difference that could be detected.
    """
    return _do("project", "check", experiment=experiment, as_json=as_json)


@cli.command()
@_EXPERIMENT
@click.option("--key", type=click.Path(path_type=Path), help="Also sign the lock, with this key.")
@click.option("--key-env", "variable", metavar="NAME", help="The environment variable that holds the key.")
@_JSON
def freeze(**options: Any) -> int:
    """Write the lock that a run must still match.

    Signed, it shows a reader that the plan was there before the data.
    """
    return _do("project", "freeze", **options)


@cli.command()
@_EXPERIMENT
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
@_JSON
def run(locked: bool, same_arm: bool, **options: Any) -> int:
    """Ask, audit, analyse and report; resume.

    Only exploratory cases enter a number. The same command again goes on where
    the last one stopped: no call that was answered is made twice.
    """
    if locked and same_arm:
        raise click.UsageError("--locked is not used with --aa: a lock is of two arms.")
    return _do("run", "run", locked=locked, same_arm=same_arm, **options)


@cli.command()
@_EXPERIMENT
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
@_JSON
def audit(experiment: Path, directory: Path | None, against: Path | None, record: bool, as_json: bool) -> int:
    """Ask about canaries and anchors only.

    Reports the audits, and sends nothing to the arms. Exit codes: 0 fit, 1
    unfit, 3 not audited.
    """
    return _do(
        "run",
        "audit",
        experiment=experiment,
        directory=directory,
        against=against,
        record=record,
        as_json=as_json,
    )


@cli.command()
@_EXPERIMENT
@click.option("--judge", "name", help="Which judge of a panel, by its name in the experiment.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write the page here.")
@_JSON
def history(experiment: Path, name: str | None, html: Path | None, as_json: bool) -> int:
    """Show the judge over its recorded audits.

    A Markdown table of `history.jsonl`, its CUSUM and its trend. Exit codes: 0
    steady, 1 decay or an alarm, 3 a single audit.
    """
    return _do("history", "history", experiment=experiment, name=name, html=html, as_json=as_json)


@cli.command()
@_RUN
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
    return _do("label", "label", **options)


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
@_JSON
def audit_votes(**options: Any) -> int:
    """Audit judges' votes that a file recorded.

    JSONL or CSV rows of votes, and of people's labels if there are any. Makes
    no calls. Exit codes: 0 fit, 1 unfit, 3 not audited.
    """
    return _do("audit_votes", "audit_votes", **options)


@cli.command("open-held-out")
@_RUN
@click.option("--gold", type=click.Path(path_type=Path), help="The gold set whose ledger takes the look.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--decision-only", is_flag=True, help="Show the decision, and no number of these cases.")
@click.option("--past-budget", is_flag=True, help="Open although no look is left; exploratory then.")
@_JSON
def open_held_out(run: Path, **options: Any) -> int:
    """Open the held-out split of a run.

    That is one look; it is written into the ledger before anything is computed.
    """
    return _do("held_out", "open_held_out", run=run, **options)


@cli.command()
@_RUN
@_JSON
def report(run: Path, as_json: bool) -> int:
    """Write all report forms again."""
    return _do("run", "report", run=run, as_json=as_json)


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
@_JSON
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
        _refuse_unused("--unpaired", unused=_PAIRED_ONLY)
        rates = {"baseline": results[0], "candidate": results[1]}
        return _do("compare_unpaired", "compare_unpaired", **rates, alpha=alpha, as_json=as_json)
    paths = tuple(Path(result) for result in results)
    if len(paths) > 2:
        _refuse_unused("three or more results", unused=_MAJORITY_ONLY)
        many = {name: options[name] for name in ("pass_at", "metric", "questions_differ", "seed")}
        return _do("compare_many", "compare_many", paths=paths, **many, alpha=alpha, as_json=as_json)
    return _do("compare", "compare", baseline=paths[0], candidate=paths[1], **options)


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
@_JSON
def power(**options: Any) -> int:
    """Sample size, detectable difference, calls."""
    return _do("power", "power", **options)


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--type", "kind", type=click.Choice(["p256", "ed25519"]), default="p256", show_default=True)
@_JSON
def keygen(path: Path, kind: str, as_json: bool) -> int:
    """Make a key that signs, and its public half.

    PATH is the key's file, or a folder that gets signer.key and signer.pub.
    Nothing is ever overwritten.
    """
    return _do("sign", "keygen", path=path, kind=kind, as_json=as_json)


@cli.command()
@_RUN
@click.option("--key", type=click.Path(path_type=Path), help="The signing key's file.")
@click.option("--key-env", "variable", metavar="NAME", help="The environment variable that holds its PEM.")
@click.option("--gold", type=click.Path(path_type=Path), help="The gold set whose ledger has the look.")
@click.option("--replace", is_flag=True, help="Sign again where this key has signed already.")
@_JSON
def sign(**options: Any) -> int:
    """Sign the report of a run.

    First every number is made again from the evidence: what does not follow is
    not signed. A second signer gets a bundle of its own.
    """
    return _do("sign", "sign", **options)


@cli.command()
@_RUN
@click.option(
    "--key", "keys", type=click.Path(path_type=Path), multiple=True, help="A public key that counts."
)
@click.option("--trust", type=click.Path(path_type=Path), help="A list of keys that count, and when.")
@click.option(
    "--tsa",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Certificates of an authority whose time stamps count.",
)
@click.option("--gold", type=click.Path(path_type=Path), help="The gold set whose ledger has the looks.")
@click.option(
    "--inputs", type=click.Path(path_type=Path), help="The experiment's folder: hash its files too."
)
@click.option("--recompute", is_flag=True, help="Make every number again from the evidence.")
@click.option("--commitments", is_flag=True, help="Make what copies rest on again, with the run's secret.")
@click.option(
    "--against", type=click.Path(path_type=Path), help="The earlier run: make the comparison again too."
)
@_JSON
def verify(**options: Any) -> int:
    """Verify a report, its evidence and its signature.

    Exit codes: 0 all holds and the gates passed, 1 all holds and a gate failed,
    3 something is not proven (without a key: who signed), 4 something was
    changed.
    """
    return _do("verify", "verify", **options)


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--query", type=click.Path(path_type=Path), help="Write a request for a time stamp here.")
@click.option("--token", type=click.Path(path_type=Path), help="Put this time stamp into the bundle.")
def timestamp(**options: Any) -> int:
    """Date a signature by an authority (RFC 3161).

    PATH is a run, or a bundle. Sends nothing: an authority is asked with curl.
    """
    return _do("timestamp", "timestamp", **options)


@cli.command()
@_RUN
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Write the copy here.")
@click.option("--case", "cases", multiple=True, help="A case whose texts are withheld. [default: all]")
@click.option("--tag", "tags", multiple=True, help="A tag whose cases' texts are withheld.")
@click.option(
    "--withhold",
    "fields",
    multiple=True,
    type=click.Choice(["prompts", "references", "answers", "replies", "templates", "judge-prompt"]),
    help="What is withheld. [default: prompts, references, answers, replies]",
)
@click.option(
    "--gold", type=click.Path(path_type=Path), help="The gold set whose record takes what is shown."
)
@_JSON
def redact(**options: Any) -> int:
    """Copy a run without some of its texts.

    The copy stands under the same signature, and every number of the report
    still follows from it.
    """
    return _do("redact", "redact", **options)


@cli.command()
@_RUN
@click.option("--case", required=True, help="The id of the case to show.")
@click.option(
    "--withhold",
    "fields",
    multiple=True,
    type=click.Choice(["prompts", "references", "answers", "replies"]),
    help="What is not shown of it.",
)
@click.option(
    "--gold", type=click.Path(path_type=Path), help="The gold set whose record takes what is shown."
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the proof here.")
def prove(**options: Any) -> int:
    """Show one case of a signed run without the others.

    The proof holds the case, its records, their way up to the signed root, and
    the signature.
    """
    return _do("prove", "prove", **options)


@cli.command("verify-proof")
@click.argument("proof", type=click.Path(path_type=Path))
@click.option(
    "--key", "keys", type=click.Path(path_type=Path), multiple=True, help="A public key that counts."
)
@click.option("--trust", type=click.Path(path_type=Path), help="A list of keys that count, and when.")
@click.option(
    "--tsa",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Certificates of an authority whose time stamps count.",
)
@_JSON
def verify_proof(**options: Any) -> int:
    """Verify that the records of a case stand in signed evidence."""
    return _do("verify_proof", "verify_proof", **options)


@cli.command()
@click.option("--dir", "directory", type=click.Path(path_type=Path), help="Write one file a schema here.")
@click.argument("name", required=False)
def schema(directory: Path | None, name: str | None) -> int:
    """Print the JSON Schemas of all files."""
    return _do("project", "schema", directory=directory, name=name)
