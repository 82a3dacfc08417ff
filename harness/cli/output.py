"""What people see: one line an error, the result and nothing else on standard output."""

import os
import sys

from harness.domain.errors import HarnessError


def report_error(error: HarnessError) -> int:
    """Print the error as one line and return its exit code."""
    lines = str(error).splitlines() or [type(error).__name__]
    say(f"harness: {' '.join(line.strip() for line in lines)}")
    return error.exit_code


def say(text: str) -> None:
    """Print a line that is not the result."""
    sys.stderr.write(printable(text) + "\n")


def printable(text: str) -> str:
    """Return the text with everything a terminal would obey made visible."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def put(text: str) -> None:
    """Write the result to standard output, whole, with one line end behind it.

    A reader that went away, such as ``head``, does not change what was found:
    the command still ends with the code of its result.
    """
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end; that must not fail as well.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
