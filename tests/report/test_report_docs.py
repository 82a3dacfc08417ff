"""docs/report.md names every field of the report, and no other."""

import json
import re
from pathlib import Path

from harness.report.schema import schemas

DOCS = Path(__file__).parents[2] / "docs" / "report.md"


def test_every_field_of_every_block_has_its_line():
    sections = re.split(r"^### ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    documented = {
        section.split("\n", 1)[0]: set(re.findall(r"^- `(\w+)`: ", section, re.MULTILINE))
        for section in sections
    }
    schema = json.loads(schemas()["report"])

    blocks = {"Report": schema, **schema["$defs"]}
    assert documented == {name: set(block["properties"]) for name, block in blocks.items()}
