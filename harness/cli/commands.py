"""Every command, by what it is about; the work is done by the files that they name."""

from harness.cli import evidence_commands, experiment_commands, judge_commands, result_commands
from harness.cli.command_parts import cli

__all__ = ["cli", "evidence_commands", "experiment_commands", "judge_commands", "result_commands"]
