"""The command line: rooms wired, results printed, exit codes given; nobody else prints or exits."""

import sys

from harness.cli.commands import cli
from harness.cli.output import report_error, say
from harness.domain.errors import HarnessError

__all__ = ["cli", "main"]


def main() -> None:
    """Run the command line and exit with its documented code."""
    import click

    try:
        code = cli.main(standalone_mode=False)
    except HarnessError as error:
        sys.exit(report_error(error))
    except click.exceptions.Abort:
        say("harness: stopped")
        sys.exit(3)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
