"""The command line: rooms wired, results printed, exit codes given; nobody else prints or exits."""

import os
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
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        say(f"harness: {' '.join(error.format_message().split())}")
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        say(f"harness: {place}{error.strerror or type(error).__name__}")
        sys.exit(2)
    except Exception as error:
        # A defect of ours must never end as 1, which says that a gate failed.
        if os.environ.get("HARNESS_DEBUG"):
            raise
        say(f"harness: a defect of the harness: {type(error).__name__} (HARNESS_DEBUG=1 shows where)")
        sys.exit(3)
    sys.exit(code if isinstance(code, int) else 0)
