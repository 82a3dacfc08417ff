"""What README shows is what the commands print, and what it links to is there."""

import re
from pathlib import Path

import click

from harness.cli.commands import cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_demonstration_prints_what_readme_quotes(harness, tmp_path):
    quoted = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    called = harness("demo", "--dir", tmp_path)

    assert quoted is not None
    assert called.out.startswith(quoted.group(1))


def test_every_link_of_the_documentation_leads_to_a_file():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_command_that_readme_names_exists():
    named = set(re.findall(r"(?:bin/harness|`harness) ([a-z-]+)", README))

    assert named <= set(cli.list_commands(click.Context(cli)))
