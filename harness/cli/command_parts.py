"""What the commands share: the group, arguments, numbers in a range, the way to what does the work."""

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


EXPERIMENT = click.argument("experiment", type=click.Path(path_type=Path))
RUN = click.argument("run", type=click.Path(path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def call(module: str, function: str, **arguments: Any) -> int:
    """Import the module and call the function: `--help` must not pay for numpy, scipy and openai."""
    result = getattr(import_module(f"harness.cli.{module}"), function)(**arguments)
    return result if isinstance(result, int) else 0


def refuse_unused(what: str, *, unused: tuple[str, ...]) -> None:
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
