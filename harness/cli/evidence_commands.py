"""Commands about what another person can check: keys, signatures, proofs, copies."""

from pathlib import Path
from typing import Any

import click

from harness.cli.command_parts import JSON, RUN, call, cli


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--type", "kind", type=click.Choice(["p256", "ed25519"]), default="p256", show_default=True)
@JSON
def keygen(path: Path, kind: str, as_json: bool) -> int:
    """Make a key that signs, and its public half.

    PATH is the key's file, or a folder that gets signer.key and signer.pub.
    Nothing is ever overwritten.
    """
    return call("sign", "keygen", path=path, kind=kind, as_json=as_json)


@cli.command()
@RUN
@click.option("--key", type=click.Path(path_type=Path), help="The signing key's file.")
@click.option("--key-env", "variable", metavar="NAME", help="The environment variable that holds its PEM.")
@click.option("--gold", type=click.Path(path_type=Path), help="The gold set whose ledger has the look.")
@click.option("--replace", is_flag=True, help="Sign again where this key has signed already.")
@JSON
def sign(**options: Any) -> int:
    """Sign the report of a run.

    First every number is made again from the evidence: what does not follow is
    not signed. A second signer gets a bundle of its own.
    """
    return call("sign", "sign", **options)


@cli.command()
@RUN
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
@JSON
def verify(**options: Any) -> int:
    """Verify a report, its evidence and its signature.

    Exit codes: 0 all holds and the gates passed, 1 all holds and a gate failed,
    3 something is not proven (without a key: who signed), 4 something was
    changed.
    """
    return call("verify", "verify", **options)


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--query", type=click.Path(path_type=Path), help="Write a request for a time stamp here.")
@click.option("--token", type=click.Path(path_type=Path), help="Put this time stamp into the bundle.")
def timestamp(**options: Any) -> int:
    """Date a signature by an authority (RFC 3161).

    PATH is a run, or a bundle. Sends nothing: an authority is asked with curl.
    """
    return call("timestamp", "timestamp", **options)


@cli.command()
@RUN
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
@JSON
def redact(**options: Any) -> int:
    """Copy a run without some of its texts.

    The copy stands under the same signature, and every number of the report
    still follows from it.
    """
    return call("redact", "redact", **options)


@cli.command()
@RUN
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
    return call("prove", "prove", **options)


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
@JSON
def verify_proof(**options: Any) -> int:
    """Verify that the records of a case stand in signed evidence."""
    return call("verify_proof", "verify_proof", **options)
