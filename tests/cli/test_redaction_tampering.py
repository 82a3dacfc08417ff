"""Whatever is changed in a copy that withholds texts is caught and named."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cli.read_again import ReadAgain
from harness.cli.redact import redact
from harness.domain.canonical import canonical_bytes
from harness.domain.errors import HarnessError
from harness.redaction.lines import read_line
from harness.redaction.plan_lines import plan_again
from harness.report.keys import make_key, write_key_pair
from tests.cli.marked_project import sign_marked_run
from tests.cli.redaction_tampering import COPY_EDITS, copies
from tests.cli.tampering import Edit, Place

DOCS = Path(__file__).parents[2] / "docs" / "verification.md"
_KEY = make_key("p256")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with copies of two signed runs, one of which shows some of its texts."""
    root = tmp_path_factory.mktemp("signed")
    copy, other = copies(root)
    for name, out in (("one", copy), ("two", other)):
        run = sign_marked_run(root / name, _KEY)
        redact(run=run, out=out, fields=("replies",), cases=("c01", "c02"), tags=(), gold=None, as_json=False)
    write_key_pair(root / "signer.key", _KEY)
    return root


@pytest.fixture
def place(signed: Path, tmp_path: Path) -> Place:
    """Copies that may be spoilt."""
    for each in copies(signed):
        shutil.copytree(each, tmp_path / each.name)
    copy, other = copies(tmp_path)
    return Place(project=signed, run=copy, other=other, key=_KEY)


def _verify(harness, place: Place):
    called = harness("verify", place.run, "--key", place.project / "signer.pub", "--recompute", "--json")
    return called, json.loads(called.out)


@pytest.mark.parametrize("edit", COPY_EDITS, ids=lambda edit: edit.what)
def test_every_edit_of_a_copy_is_caught_and_named(harness, place, edit):
    edit.do(place)
    called, found = _verify(harness, place)
    told = [f"{c['what']}: {c['detail']}" for c in found["claims"] if c["standing"] == "broken"]

    assert (called.code, found["result"]) == (4, "TAMPERED")
    assert any(edit.caught in each for each in told), told


def test_an_untouched_copy_passes(harness, place):
    assert _verify(harness, place)[0].code == 0


def test_the_documented_table_is_this_matrix():
    rows = "".join(f"| {edit.what} | {_cell(edit)} |\n" for edit in COPY_EDITS)

    assert rows in DOCS.read_text("utf-8"), f"wanted in {DOCS.name}:\n{rows}"
    assert len({edit.what for edit in COPY_EDITS}) == len(COPY_EDITS)


def _cell(edit: Edit) -> str:
    return f"`{edit.caught.strip().removesuffix(':')}`"


def _broken_lines(line: dict[str, Any]) -> Iterator[bytes]:
    """Yield the line with one value of any depth in turn taken away, or of another type."""
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    walk(line)
    for node, key in places:
        for wrong in (None, 10**15, {"x": [1]}, "x", []):
            was, node[key] = node[key], wrong
            yield canonical_bytes(line)
            node[key] = was


@pytest.mark.parametrize("kind", ["plan", "canary", "anchor", "case", "record"])
def test_a_line_that_fits_nothing_is_refused_in_words(place, kind):
    lines = (place.run / "redacted.jsonl").read_bytes().splitlines()
    whole = [read_line(line, place="copy") for line in lines]
    index = next(n for n, line in enumerate(whole) if line.committed.kind == kind)
    n_refused = 0
    for content in _broken_lines(json.loads(lines[index])):
        try:
            broken = [*whole[:index], read_line(content, place="copy"), *whole[index + 1 : index + 2]]
            plan = plan_again(line for line in broken if line.committed.kind != "record")
            list(ReadAgain(plan).records(broken))
        except HarnessError:
            n_refused += 1

    assert n_refused > 50
